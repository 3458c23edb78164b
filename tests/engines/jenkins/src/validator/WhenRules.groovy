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
    private static final Set<String> NESTING = 'allOf anyOf not'.tokenize().toSet()
    /** The conditions, and the names of their values. */
    private static final Map<String, List<String>> CONDITIONS = [
            branch        : ['pattern', 'comparator'],
            buildingTag   : [],
            changelog     : ['pattern', 'multiline', 'comparator'],
            changeset     : ['pattern', 'glob', 'comparator', 'caseSensitive'],
            changeRequest : ['id', 'target', 'branch', 'fork', 'url', 'title', 'author', 'authorDisplayName',
                             'authorEmail', 'comparator'],
            environment   : ['name', 'value', 'ignoreCase'],
            equals        : ['expected', 'actual'],
            isRestartedRun: [],
            tag           : ['pattern', 'comparator'],
            triggeredBy   : ['cause', 'detail', 'value'],
    ]
    private static final Map<String, List<String>> REQUIRED = [
            environment: ['name', 'value'],
            equals     : ['expected', 'actual'],
    ]
    private static final Set<String> NEEDS_VALUE = '''
            branch changelog changeset triggeredBy environment equals
    '''.tokenize().toSet()
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
        if (call == null) {
            report.add(statement, 'not a condition of when')
        } else if (call.methodAsString in NESTING) {
            checkNesting(call)
        } else if (call.methodAsString == 'expression') {
            if (Ast.body(call) == null || Ast.arguments(call).size() != 1) {
                report.add(call, 'expression needs a block')
            }
        } else if (!CONDITIONS.containsKey(call.methodAsString)) {
            report.add(call, "there is no condition \"${call.methodAsString}\" of when")
        } else {
            checkValues(call)
        }
    }

    private void checkNesting(MethodCallExpression call) {
        ClosureExpression body = Ast.body(call)
        if (body == null || Ast.arguments(call).size() != 1) {
            report.add(call, "${call.methodAsString} needs a block and nothing else")
            return
        }
        List<Statement> inner = Ast.statements(body)
        if (inner.isEmpty()) {
            report.add(call, "${call.methodAsString} has no condition")
        } else if (call.methodAsString == 'not' && inner.size() > 1) {
            report.add(call, 'not takes one condition')
        }
        inner.each { Statement it -> checkCondition(it) }
    }

    private void checkValues(MethodCallExpression call) {
        String name = call.methodAsString
        Map<String, Expression> named = Ast.named(call)
        if (Ast.body(call) != null) {
            report.add(call, "the condition \"${name}\" takes no block")
        } else if (name in NEEDS_VALUE && Ast.values(call).isEmpty()) {
            report.add(call, "the condition \"${name}\" lacks its value")
        }
        named.keySet().findAll { String it -> !(it in CONDITIONS[name]) }.each { String it ->
            report.add(call, "the condition \"${name}\" does not know \"${it}\"")
        }
        List<String> required = REQUIRED[name] ?: []
        required.findAll { String it -> !named.containsKey(it) }.each { String it ->
            report.add(call, "the condition \"${name}\" lacks \"${it}\"")
        }
    }
}
