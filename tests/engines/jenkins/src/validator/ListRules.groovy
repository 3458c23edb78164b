package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of sections that are lists of calls: options, parameters, triggers. */
@CompileStatic
class ListRules {
    private static final Set<String> STAGE_OPTIONS = '''
            timeout retry timestamps skipDefaultCheckout checkoutToSubdirectory withEnv withCredentials
            catchError warnError lock ws ansiColor
    '''.tokenize().toSet()
    private static final Set<String> OPTIONS = STAGE_OPTIONS + '''
            buildDiscarder disableConcurrentBuilds disableResume preserveStashes parallelsAlwaysFailFast durabilityHint
            skipStagesAfterUnstable quietPeriod newContainerPerStage overrideIndexTriggers disableRestartFromStage
            rateLimitBuilds
    '''.tokenize().toSet()
    private static final Set<String> TRIGGERS = 'cron pollSCM upstream githubPush'.tokenize().toSet()
    /** The parameter types, and what each may have beside its name and description. */
    private static final Map<String, List<String>> PARAMETERS = [
            string      : ['defaultValue', 'trim'],
            text        : ['defaultValue', 'trim'],
            booleanParam: ['defaultValue'],
            choice      : ['choices'],
            password    : ['defaultValue'],
            file        : [],
            credentials : ['defaultValue', 'credentialType', 'required'],
            run         : ['projectName', 'filter'],
    ]
    private static final Set<String> UNITS = '''
            NANOSECONDS MICROSECONDS MILLISECONDS SECONDS MINUTES HOURS DAYS
    '''.tokenize().toSet()
    private final Report report

    ListRules(Report report) {
        this.report = report
    }

    void check(MethodCallExpression section, ClosureExpression body, boolean isTop) {
        switch (section.methodAsString) {
            case 'options':
                checkOptions(section, body, isTop)
                break
            case 'triggers':
                unique(plain(each(section, body, TRIGGERS)))
                break
            case 'parameters':
                plain(each(section, body, PARAMETERS.keySet())).each { MethodCallExpression it -> checkParameter(it) }
                break
            default:
                report.add(section, "there is no section \"${section.methodAsString}\"")
        }
    }

    /** Returns the calls in a block; anything else in it is reported. */
    List<MethodCallExpression> calls(MethodCallExpression section, ClosureExpression body) {
        List<MethodCallExpression> found = []
        Ast.statements(body).each { Statement statement ->
            MethodCallExpression call = Ast.call(statement)
            if (call == null) {
                report.add(statement, "not a valid line of \"${section.methodAsString}\"")
            } else {
                found.add(call)
            }
        }
        return found
    }

    /** Returns the calls in a block that are known there; anything else is reported. */
    List<MethodCallExpression> each(MethodCallExpression section, ClosureExpression body, Collection<String> known) {
        return calls(section, body).findAll { MethodCallExpression call ->
            if (!(call.methodAsString in known)) {
                report.add(call, "\"${section.methodAsString}\" does not know \"${call.methodAsString}\"")
            }
            call.methodAsString in known
        }
    }

    void expectOne(MethodCallExpression call) {
        if (Ast.arguments(call).size() != 1 || Ast.body(call) != null) {
            report.add(call, "\"${call.methodAsString}\" takes one value")
        }
    }

    private void checkOptions(MethodCallExpression section, ClosureExpression body, boolean isTop) {
        List<MethodCallExpression> options = plain(calls(section, body))
        options.each { MethodCallExpression option ->
            String name = option.methodAsString
            if (!(name in OPTIONS)) {
                report.add(option, "there is no option \"${name}\"")
            } else if (!isTop && !(name in STAGE_OPTIONS)) {
                report.add(option, "the option \"${name}\" is allowed at the top only")
            }
            checkLimit(option)
        }
        unique(options)
    }

    private void checkLimit(MethodCallExpression option) {
        Map<String, Expression> named = Ast.named(option)
        List<Expression> values = Ast.values(option)
        String name = option.methodAsString
        if (!(name in ['timeout', 'retry'])) {
            return
        }
        Expression number = named ? named[name == 'timeout' ? 'time' : 'count'] : values ? values[0] : null
        if (number == null || (Ast.constant(number) != null && !(Ast.constant(number) instanceof Number))) {
            report.add(option, "the option \"${name}\" takes a number")
        }
        Object unit = Ast.constant(named.unit)
        if (unit != null && !(unit in UNITS)) {
            report.add(option, "there is no unit of time \"${unit}\"")
        }
    }

    private void checkParameter(MethodCallExpression parameter) {
        String type = parameter.methodAsString
        Map<String, Expression> named = Ast.named(parameter)
        if (!named.containsKey('name')) {
            report.add(parameter, 'a parameter lacks its name')
        }
        named.keySet().findAll { String it -> !(it in PARAMETERS[type] + ['name', 'description']) }.each { String it ->
            report.add(parameter, "the parameter type \"${type}\" does not know \"${it}\"")
        }
        Object fallback = Ast.constant(named.defaultValue)
        if (type == 'choice' && !named.containsKey('choices')) {
            report.add(parameter, 'a choice lacks its choices')
        }
        if (fallback != null && (type == 'booleanParam') != (fallback instanceof Boolean)) {
            report.add(parameter, "the default of a \"${type}\" is of the wrong type")
        }
    }

    /** Reports calls with blocks or with mixed arguments. */
    private List<MethodCallExpression> plain(List<MethodCallExpression> calls) {
        calls.each { MethodCallExpression call ->
            if (Ast.arguments(call).any { Expression it -> it instanceof ClosureExpression }) {
                report.add(call, "\"${call.methodAsString}\" cannot have a block here")
            }
            if (Ast.isMixed(call)) {
                report.add(call, "\"${call.methodAsString}\" mixes named and unnamed values")
            }
        }
        return calls
    }

    private void unique(List<MethodCallExpression> calls) {
        Set<String> seen = new HashSet<>()
        calls.each { MethodCallExpression call ->
            if (!seen.add(call.methodAsString)) {
                report.add(call, "\"${call.methodAsString}\" is there twice")
            }
        }
    }
}
