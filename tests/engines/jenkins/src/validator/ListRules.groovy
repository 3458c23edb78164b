package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of sections that are lists of calls: options, parameters, triggers. */
@CompileStatic
class ListRules {
    private final Report report
    private final ArgumentRules arguments

    ListRules(Report report) {
        this.report = report
        arguments = new ArgumentRules(report)
    }

    void check(MethodCallExpression section, ClosureExpression body, boolean isTop) {
        switch (section.methodAsString) {
            case 'options':
                checkOptions(section, body, isTop)
                break
            case 'triggers':
                unique(checked('triggers', each(section, body, report.facts.names('triggers')), 'the trigger'))
                break
            case 'parameters':
                List<MethodCallExpression> known = each(section, body, report.facts.names('parameters'))
                checked('parameters', known, 'the parameter type').each { MethodCallExpression it -> checkParameter(it) }
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
        List<MethodCallExpression> options = calls(section, body)
        checked('options', options, 'the option').each { MethodCallExpression option ->
            String name = option.methodAsString
            Model model = report.facts.model('options', name, name)
            if (model == null) {
                report.add(option, "there is no option \"${name}\"")
            } else if (!isTop && !((List<String>) model.entry['in']).contains('stage')) {
                report.add(option, "the option \"${name}\" is allowed at the top only")
            }
        }
        unique(options)
    }

    /** Jenkins finds out that these are missing when it makes the parameter, at the start of the build. */
    private void checkParameter(MethodCallExpression parameter) {
        Map<String, Expression> named = Ast.named(parameter)
        if (named && !named.containsKey('name')) {
            report.add(parameter, 'a parameter lacks its name')
        }
        if (parameter.methodAsString == 'choice' && !named.containsKey('choices')) {
            report.add(parameter, 'a choice lacks its choices')
        }
    }

    /** Returns *calls*, whose arguments are checked against what *section* of the facts says of them. */
    private List<MethodCallExpression> checked(String section, List<MethodCallExpression> calls, String kind) {
        plain(calls).each { MethodCallExpression call ->
            Model model = report.facts.model(section, call.methodAsString, "${kind} \"${call.methodAsString}\"")
            if (model != null && !Ast.isMixed(call)) {
                arguments.checkMethodCall(call, model)
            }
        }
        return calls
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
