package validator

import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import groovy.transform.CompileStatic
import harness.Compiler
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.MethodNode
import org.codehaus.groovy.ast.ModuleNode
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.ConstantExpression
import org.codehaus.groovy.ast.expr.ListExpression
import org.codehaus.groovy.ast.expr.MapExpression
import org.codehaus.groovy.ast.stmt.BlockStatement
import org.codehaus.groovy.control.CompilationUnit
import org.codehaus.groovy.control.Phases
import org.codehaus.groovy.control.SourceUnit

/**
 * Measures Jenkinsfiles against the limits of Jenkins: reads texts from one JSON file, writes figures to another.
 *
 * A node is each statement and expression of the tree that Groovy's parser makes, blocks, closures, argument lists and the
 * names of called methods among them; not the `this` before a bare call, nor what is empty.
 */
@CompileStatic
class Sizes {
    /** What a method, its two fields of call sites and code, and their names take of a class' constants. */
    private static final int OF_A_METHOD = 15
    /** From this number on, the index of a call site is a constant of its own. */
    private static final int SHORT = 32_768

    private int statements
    private int list
    private int map
    private int units
    private int bytes
    private int closures
    private final Set<String> texts = new HashSet<>()

    static void main(String[] arguments) {
        Map<String, String> texts = (Map<String, String>) new JsonSlurper().parse(new File(arguments[0]), 'UTF-8')
        Map<String, Object> answers = [:]
        texts.each { String name, String text -> answers[name] = new Sizes().measured(text) }
        new File(arguments[1]).setText(JsonOutput.toJson(answers), 'UTF-8')
    }

    Map<String, Object> measured(String text) {
        GroovyClassLoader loader = new GroovyClassLoader(Sizes.classLoader)
        CompilationUnit unit = new CompilationUnit(Compiler.configuration(), null, loader)
        SourceUnit source = unit.addSource("${Compiler.NAME}.groovy", text)
        unit.compile(Phases.CONVERSION)
        ModuleNode module = source.AST
        Map<String, Integer> methods = [:]
        int script = weighed(module.statementBlock)
        // What Groovy adds, such as `main`, stands on no line.
        SizeRules.functions(module).findAll { MethodNode it -> it.lineNumber > 0 }.each { MethodNode it ->
            methods[it.name + '/' + it.parameters.length] = weighed(it.code)
        }
        int nodes = script + ((int) methods.values().sum(0))
        return [
                script: script, methods: methods, nodes: nodes, statements: statements, list: list, map: map,
                units: units, bytes: bytes, closures: closures,
                constants: 2 * texts.size() + OF_A_METHOD * methods.size() + Math.max(0, nodes - SHORT),
        ] as Map<String, Object>
    }

    private int weighed(ASTNode body) {
        Tree.each(body) { ASTNode node -> look(node) }
        return Tree.count(body)
    }

    private void look(ASTNode node) {
        if (node instanceof BlockStatement) {
            statements = Math.max(statements, node.statements.size())
        } else if (node instanceof ListExpression) {
            list = Math.max(list, node.expressions.size())
        } else if (node instanceof MapExpression) {
            map = Math.max(map, node.mapEntryExpressions.size())
        } else if (node instanceof ClosureExpression) {
            closures++
        } else if (node instanceof ConstantExpression && node.value instanceof String) {
            lookAtText((String) node.value)
        }
    }

    private void lookAtText(String text) {
        texts.add(text)
        units = Math.max(units, text.length())
        if (text.length() > bytes.intdiv(3)) {
            bytes = Math.max(bytes, modifiedUtf8(text))
        }
    }

    /** Returns how many bytes a class file needs for *text*. */
    private static int modifiedUtf8(String text) {
        int found = 0
        for (int i = 0; i < text.length(); i++) {
            int unit = (int) text.charAt(i)
            found += unit > 0 && unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
        }
        return found
    }
}
