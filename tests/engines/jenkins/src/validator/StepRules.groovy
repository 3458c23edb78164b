package validator

import groovy.transform.CompileStatic
import harness.AgentSteps
import harness.ArtifactSteps
import harness.EnvironmentSteps
import harness.FlowSteps
import harness.NoticeSteps
import harness.ScmSteps
import harness.ShellSteps
import harness.Step
import java.lang.reflect.Method
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MapExpression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of steps outside `script`: calls only, and known steps with arguments that they have. */
@CompileStatic
class StepRules {
    private static final Set<String> BLOCKED = 'stage properties parallel pipeline'.tokenize().toSet()
    private static final Set<String> NUMBERS = 'count time quantity ordinal'.tokenize().toSet()
    private static final Set<String> BOOLEANS = '''
            returnStdout returnStatus allowEmpty useDefaultExcludes allowEmptyArchive onlyIfSuccessful
            fingerprint followSymlinks allowEmptyResults skipMarkingBuildUnstable wait propagate
            catchInterruptions activity defaultExcludes caseSensitive tmp skipPublishingChecks enabledForFailure
            skipSave skipRestore
    '''.tokenize().toSet()
    /** Arguments of any type. */
    private static final Set<String> OPEN = '''
            parameters healthScaleFactor quietPeriod scm branches overrides bindings changelog poll
            properties inversePrecedence skipIfLocked extra priority conditions tools caches
    '''.tokenize().toSet()
    private static final Map<String, Step> KNOWN = [
            FlowSteps, AgentSteps, ShellSteps, ArtifactSteps, EnvironmentSteps, ScmSteps, NoticeSteps,
    ].collectMany { Class it -> it.methods.findAll { Method method -> method.isAnnotationPresent(Step) } }
            .collectEntries { Method it -> [it.name, it.getAnnotation(Step)] } as Map<String, Step>
    private final Report report

    StepRules(Report report) {
        this.report = report
    }

    /** Checks the lines of a block; a `parallel` that is alone in `steps` is the old form of parallel stages. */
    void checkSteps(ClosureExpression body, boolean isSteps) {
        List<Statement> statements = Ast.statements(body)
        if (isSteps && statements.size() == 1 && Ast.call(statements[0])?.methodAsString == 'parallel') {
            return
        }
        statements.each { Statement it -> checkStep(it) }
    }

    private void checkStep(Statement statement) {
        MethodCallExpression call = Ast.call(statement)
        if (call == null) {
            report.add(statement, 'a step is a call of a step or function; anything else needs script')
            return
        }
        String name = call.methodAsString
        ClosureExpression body = Ast.body(call)
        if (name in BLOCKED) {
            report.add(call, "the step \"${name}\" is not allowed here")
        } else if (name == 'script') {
            if (body == null || Ast.arguments(call).size() > 1) {
                report.add(call, 'script needs a block')
            }
        } else {
            checkArguments(call, KNOWN[name])
            (body == null ? [] : Ast.statements(body)).each { Object it -> checkStep((Statement) it) }
        }
    }

    private void checkArguments(MethodCallExpression call, Step step) {
        List<Expression> values = Ast.values(call)
        String name = call.methodAsString
        if (step == null) {
            return
        }
        if (step.takesBody() != (Ast.body(call) != null)) {
            report.add(call, "the step \"${name}\" ${step.takesBody() ? 'needs a block' : 'takes no block'}")
        }
        if (values.size() > 1) {
            report.add(call, "the step \"${name}\" takes one unnamed value, or named ones only")
        } else if (values && !(values[0] instanceof MapExpression)) {
            checkType(call, step.first(), values[0])
        } else {
            checkNamed(call, step, Ast.named(call))
        }
    }

    private void checkNamed(MethodCallExpression call, Step step, Map<String, Expression> named) {
        if (step.takesMap() && !named.containsKey(step.first())) {
            return
        }
        List<String> known = step.others().toList() + [step.first()]
        named.keySet().findAll { String it -> !(it in known) }.each { String it ->
            report.add(call, "the step \"${call.methodAsString}\" does not know \"${it}\"")
        }
        step.required().findAll { String it -> !named.containsKey(it) }.each { String it ->
            report.add(call, "the step \"${call.methodAsString}\" lacks \"${it}\"")
        }
        known.findAll { String it -> named.containsKey(it) }.each { String it -> checkType(call, it, named[it]) }
    }

    private void checkType(MethodCallExpression call, String key, Expression value) {
        Object constant = Ast.constant(value)
        if (constant == null || key in OPEN) {
            return
        }
        Class wanted = key in NUMBERS ? Number : key in BOOLEANS ? Boolean : String
        if (!wanted.isInstance(constant)) {
            report.add(call, "\"${key}\" of the step \"${call.methodAsString}\" is no ${wanted.simpleName}")
        }
    }
}
