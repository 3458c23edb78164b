package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of `when`. */
@CompileStatic
class WhenRules {
    private static final Set<String> FLAGS = 'beforeAgent beforeInput beforeOptions'.tokenize().toSet()
    private final Report report

    WhenRules(Report report) {
        this.report = report
    }

    void check(MethodCallExpression when, ClosureExpression body) {
        Set<String> seen = new HashSet<>()
        int conditions = 0
        Ast.statements(body).each { Statement statement ->
            MethodCallExpression call = Ast.call(statement)
            if (call != null && call.methodAsString in FLAGS) {
                checkFlag(call, seen)
            } else {
                conditions++
                checkCondition(statement)
            }
        }
        if (conditions == 0) {
            report.add(when, 'when has no condition')
        }
    }

    private void checkFlag(MethodCallExpression flag, Set<String> seen) {
        List<Expression> values = Ast.arguments(flag)
        if (values.size() != 1 || !(Ast.constant(values[0]) instanceof Boolean)) {
            report.add(flag, "${flag.methodAsString} takes true or false")
        }
        if (!seen.add(flag.methodAsString)) {
            report.add(flag, "${flag.methodAsString} is there twice")
        }
    }

    private void checkCondition(Statement statement) {
        MethodCallExpression call = Ast.call(statement)
        String name = call?.methodAsString
        Model model = name == null ? null : report.facts.model('when', name, "the condition \"${name}\"")
        if (call == null) {
            report.add(statement, 'not a condition of when')
        } else if (model != null && model.entry.children != 'none') {
            checkNesting(call, model)
        } else if (call.methodAsString == 'expression') {
            if (Ast.body(call) == null || Ast.arguments(call).size() != 1) {
                report.add(call, 'expression needs a block')
            }
        } else if (model == null) {
            report.add(call, "there is no condition \"${name}\" of when")
        } else if (Ast.body(call) != null) {
            report.add(call, "${model.what} takes no block")
        } else {
            new ArgumentRules(report).checkDescribable(call, model)
        }
    }

    private void checkNesting(MethodCallExpression call, Model model) {
        ClosureExpression body = Ast.body(call)
        if (body == null || Ast.arguments(call).size() != 1) {
            report.add(call, "${call.methodAsString} needs a block and nothing else")
            return
        }
        List<Statement> inner = Ast.statements(body)
        if (inner.isEmpty()) {
            report.add(call, "${call.methodAsString} has no condition")
        } else if (model.entry.children == 'one' && inner.size() > 1) {
            report.add(call, "${call.methodAsString} takes one condition")
        }
        inner.each { Statement it -> checkCondition(it) }
    }
}
