package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.ClassNode
import org.codehaus.groovy.ast.MethodNode
import org.codehaus.groovy.ast.ModuleNode
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of the `pipeline` block itself. */
@CompileStatic
class PipelineRules {
    static final Set<String> SECTIONS = '''
            agent stages environment options parameters triggers tools libraries post
    '''.tokenize().toSet()
    private final Report report

    PipelineRules(Report report) {
        this.report = report
    }

    void check(ModuleNode module) {
        List<MethodCallExpression> top = module.statementBlock.statements.collect { Statement it -> Ast.call(it) }
                .findAll { MethodCallExpression it -> isPipeline(it) }
        bodies(module).each { ASTNode body ->
            Tree.each(body) { ASTNode node ->
                boolean isNested = !top.any { MethodCallExpression it -> it.is(node) }
                if (node instanceof MethodCallExpression && isPipeline(node) && isNested) {
                    report.add(node, 'the pipeline block must stand at the top level')
                }
            }
        }
        top.drop(1).each { MethodCallExpression it -> report.add(it, 'only one pipeline block is allowed') }
        top.take(1).each { MethodCallExpression it -> checkPipeline(it) }
    }

    private static List<ASTNode> bodies(ModuleNode module) {
        List<ASTNode> found = [(ASTNode) module.statementBlock]
        found.addAll(module.methods*.code)
        module.classes.each { ClassNode type ->
            found.addAll(type.methods.findAll { MethodNode it -> !it.scriptBody && it.code != null }*.code)
        }
        return found
    }

    private static boolean isPipeline(MethodCallExpression call) {
        return call != null && call.implicitThis && call.methodAsString == 'pipeline' && Ast.body(call) != null
    }

    private void checkPipeline(MethodCallExpression pipeline) {
        Sections sections = new Sections(report, 'pipeline', SECTIONS)
        Map<String, MethodCallExpression> found = sections.read(pipeline, Ast.body(pipeline))
        ['agent', 'stages'].findAll { String it -> !found.containsKey(it) }.each { String it ->
            report.add(pipeline, "the pipeline lacks the section \"${it}\"")
        }
        SectionRules rules = new SectionRules(report)
        found.each { String name, MethodCallExpression section ->
            if (name == 'stages') {
                new StageRules(report).checkStages(section, false)
            } else {
                rules.check(section, true)
            }
        }
    }
}

/** Reads the sections of a block: each a call, known, and there once. */
@CompileStatic
class Sections {
    private final Report report
    private final String where
    private final Set<String> allowed

    Sections(Report report, String where, Set<String> allowed) {
        this.report = report
        this.where = where
        this.allowed = allowed
    }

    Map<String, MethodCallExpression> read(ASTNode place, ClosureExpression body) {
        Map<String, MethodCallExpression> found = new LinkedHashMap<>()
        Ast.statements(body).each { Statement statement ->
            MethodCallExpression call = Ast.call(statement)
            if (call == null) {
                report.add(statement, "not a valid section of ${where}")
            } else if (!(call.methodAsString in allowed)) {
                report.add(call, "${where} has no section \"${call.methodAsString}\"")
            } else if (found.containsKey(call.methodAsString)) {
                report.add(call, "${where} has the section \"${call.methodAsString}\" more than once")
            } else {
                found[call.methodAsString] = call
            }
        }
        return found
    }
}
