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
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of steps outside `script`: calls only, and known steps with arguments that they have. */
@CompileStatic
class StepRules {
    private static final Set<String> BLOCKED = 'stage properties parallel pipeline'.tokenize().toSet()
    /** The steps of the harness: what it runs of plugins that the facts do not know is checked by these. */
    private static final Map<String, Step> KNOWN = [
            FlowSteps, AgentSteps, ShellSteps, ArtifactSteps, EnvironmentSteps, ScmSteps, NoticeSteps,
    ].collectMany { Class it -> it.methods.findAll { Method method -> method.isAnnotationPresent(Step) } }
            .collectEntries { Method it -> [it.name, it.getAnnotation(Step)] } as Map<String, Step>
    private final Report report
    private final ArgumentRules arguments

    StepRules(Report report) {
        this.report = report
        arguments = new ArgumentRules(report)
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
            checkArguments(call)
            (body == null ? [] : Ast.statements(body)).each { Object it -> checkStep((Statement) it) }
        }
    }

    /** Jenkins takes a step that it does not know for one of a library, or a function. */
    private void checkArguments(MethodCallExpression call) {
        Model model = report.facts.step(call.methodAsString) ?: fromHarness(call.methodAsString)
        if (model == null) {
            return
        }
        Boolean takesBlock = (Boolean) model.entry.block
        if (takesBlock != null && takesBlock != (Ast.body(call) != null)) {
            report.add(call, "${model.what} ${takesBlock ? 'needs a block' : 'takes no block'}")
        }
        arguments.checkDescribable(call, model)
    }

    private static Model fromHarness(String name) {
        Step step = KNOWN[name]
        if (step == null) {
            return null
        }
        Collection<String> required = step.required().toList()
        Collection<String> others = (step.others().toList() + [step.first()]) - required - ['']
        Map<String, Object> entry = [block: (Object) step.takesBody(), required: required.collectEntries { [it, 'Object'] },
                                     optional: others.collectEntries { [it, 'Object'] }]
        return new Model("the step \"${name}\"", entry)
    }
}
