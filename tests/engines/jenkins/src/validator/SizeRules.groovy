package validator

import groovy.transform.CompileStatic
import harness.Finding
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.ClassNode
import org.codehaus.groovy.ast.MethodNode
import org.codehaus.groovy.ast.ModuleNode
import org.codehaus.groovy.ast.expr.ConstantExpression
import org.codehaus.groovy.ast.expr.ListExpression
import org.codehaus.groovy.ast.expr.MapExpression
import org.codehaus.groovy.ast.stmt.BlockStatement

/** The sizes past which Jenkins' own compilation of a script breaks. */
@CompileStatic
class SizeRules {
    /** Methods broke between 2,521 and 3,389 nodes; this is the bound that generated files keep. */
    static final int NODES = 1500
    static final int STATEMENTS = 250
    static final int LIST = 250
    static final int MAP = 125
    static final int TEXT = 65_535
    private final Report report

    SizeRules(Report report) {
        this.report = report
    }

    void check(ModuleNode module) {
        checkBody(1, module.statementBlock, 'the script outside its functions')
        functions(module).each { MethodNode it -> checkBody(it.lineNumber, it.code, "the function ${it.name}") }
    }

    static Collection<MethodNode> functions(ModuleNode module) {
        Set<MethodNode> found = new LinkedHashSet<>(module.methods)
        module.classes.each { ClassNode type -> found.addAll(type.methods) }
        return found.findAll { MethodNode it -> !it.scriptBody && it.code != null }
    }

    private void checkBody(int line, ASTNode body, String what) {
        int nodes = Tree.count(body)
        if (nodes > NODES) {
            String message = "${what} has ${nodes} syntax nodes, more than ${NODES}: Method code too large"
            report.findings.add(new Finding(line, message))
        }
        Tree.each(body) { ASTNode node -> checkNode(node) }
    }

    private void checkNode(ASTNode node) {
        if (node instanceof ListExpression && node.expressions.size() > LIST) {
            report.add(node, "a list literal has ${node.expressions.size()} elements, more than ${LIST}")
        } else if (node instanceof MapExpression && node.mapEntryExpressions.size() > MAP) {
            int entries = node.mapEntryExpressions.size()
            report.add(node, "Map expressions can only contain up to ${MAP} entries, this one has ${entries}")
        } else if (node instanceof BlockStatement && node.statements.size() > STATEMENTS) {
            report.add(node, "a block has ${node.statements.size()} statements, more than ${STATEMENTS}")
        } else if (node instanceof ConstantExpression) {
            checkText(node)
        }
    }

    private void checkText(ConstantExpression node) {
        int length = node.value instanceof String ? ((String) node.value).length() : 0
        if (length > TEXT) {
            report.add(node, "a string literal has ${length} UTF-16 units, more than ${TEXT}")
        }
    }
}
