package validator

import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import harness.Compiler
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.expr.ConstantExpression
import org.codehaus.groovy.ast.expr.GStringExpression
import org.codehaus.groovy.ast.expr.MapEntryExpression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.control.CompilationUnit
import org.codehaus.groovy.control.MultipleCompilationErrorsException
import org.codehaus.groovy.control.Phases
import org.codehaus.groovy.control.SourceUnit

/** Lists the texts of many Jenkinsfiles: reads these from one JSON file, writes what Groovy's parser found to another. */
class Texts {
    static void main(String[] arguments) {
        Map request = (Map) new JsonSlurper().parse(new File(arguments[0]), 'UTF-8')
        Map answers = request.collectEntries { name, text -> [name, texts((String) text)] }
        new File(arguments[1]).setText(JsonOutput.toJson(answers), 'UTF-8')
    }

    /** Returns each text of a file with what it is given to, "" for the step of a call, and what else could run. */
    private static List<List<String>> texts(String text) {
        CompilationUnit unit = new CompilationUnit(Compiler.configuration(), null, new GroovyClassLoader(Texts.classLoader))
        SourceUnit source = unit.addSource("${Compiler.NAME}.groovy", text)
        try {
            unit.compile(Phases.CONVERSION)
        } catch (MultipleCompilationErrorsException error) {
            return [['refused', error.message]]
        }
        List<List<String>> found = []
        List<ASTNode> roots = [source.AST.statementBlock] + source.AST.methods*.code
        roots.findAll().each { ASTNode root ->
            Map<ASTNode, String> owners = new IdentityHashMap<>()
            Tree.each(root) { ASTNode node ->
                if (node instanceof MethodCallExpression) {
                    mark(node.arguments, node.methodAsString ?: '', owners)
                } else if (node instanceof MapEntryExpression) {
                    mark(node.valueExpression, node.keyExpression.text, owners)
                } else if (node instanceof ConstantExpression && node.value instanceof String) {
                    found << [owners[node] ?: '', node.value]
                } else if (node instanceof GStringExpression) {
                    found << ['GString', node.text]
                }
            }
        }
        found
    }

    private static void mark(ASTNode node, String owner, Map<ASTNode, String> owners) {
        Tree.each(node) { ASTNode below -> owners[below] = owner }
    }
}
