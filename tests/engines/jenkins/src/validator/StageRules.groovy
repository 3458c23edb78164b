package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of stages, and of how they nest. */
@CompileStatic
class StageRules {
    private static final List<String> CONTENT = ['steps', 'stages', 'parallel', 'matrix']
    private static final Set<String> SECTIONS = CONTENT.toSet() + [
            'agent', 'when', 'post', 'tools', 'environment', 'failFast', 'options', 'input',
    ]
    private final Report report
    private final SectionRules sections

    StageRules(Report report) {
        this.report = report
        sections = new SectionRules(report)
    }

    /** Checks a `stages` or `parallel` section; *inParallel* is true below any parallel or matrix. */
    void checkStages(MethodCallExpression section, boolean inParallel) {
        ClosureExpression body = Ast.body(section)
        if (body == null) {
            report.add(section, "\"${section.methodAsString}\" needs a block")
            return
        }
        if (Ast.statements(body).isEmpty()) {
            report.add(section, "\"${section.methodAsString}\" holds no stages")
        }
        Set<String> names = new HashSet<>()
        Ast.statements(body).each { Statement statement ->
            MethodCallExpression stage = Ast.call(statement)
            if (stage?.methodAsString != 'stage') {
                report.add(statement, "\"${section.methodAsString}\" holds stages only")
                return
            }
            String name = checkName(stage)
            if (name != null && !names.add(name)) {
                report.add(stage, "the stage name \"${name}\" is there twice among siblings")
            }
            checkStage(stage, name, inParallel)
        }
    }

    private String checkName(MethodCallExpression stage) {
        List<Expression> values = Ast.values(stage)
        Object name = values.size() == 1 ? Ast.constant(values[0]) : null
        if (!(name instanceof String) || ((String) name).isEmpty()) {
            report.add(stage, 'a stage needs a name, and that as a plain string literal')
            return null
        }
        return (String) name
    }

    private void checkStage(MethodCallExpression stage, String name, boolean inParallel) {
        ClosureExpression body = Ast.body(stage)
        if (body == null) {
            report.add(stage, "stage \"${name}\" has no block")
            return
        }
        Map<String, MethodCallExpression> found = new Sections(report, 'stage', SECTIONS).read(stage, body)
        List<String> content = CONTENT.findAll { String it -> found.containsKey(it) }
        if (content.size() != 1) {
            report.add(stage, content ? "stage \"${name}\" has ${content.join(' and ')}, one of them is allowed"
                    : "stage \"${name}\" has none of ${CONTENT.join(', ')}")
        }
        checkFanOut(stage, name, found, inParallel)
        checkFailFast(found)
        found.each { String section, MethodCallExpression call -> checkSection(section, call, inParallel) }
    }

    private static boolean fansOut(Map<String, MethodCallExpression> found) {
        return found.containsKey('parallel') || found.containsKey('matrix')
    }

    private void checkFanOut(MethodCallExpression stage, String name, Map<String, MethodCallExpression> found,
                             boolean inParallel) {
        if (!fansOut(found)) {
            return
        }
        if (inParallel) {
            report.add(stage, "stage \"${name}\" has parallel or matrix inside another parallel or matrix")
        }
        ['agent', 'tools'].findAll { String it -> found.containsKey(it) }.each { String it ->
            report.add(found[it], "\"${it}\" is not allowed in stage \"${name}\", which contains parallel stages")
        }
    }

    private void checkFailFast(Map<String, MethodCallExpression> found) {
        MethodCallExpression failFast = found.failFast
        if (failFast == null) {
            return
        }
        List<Expression> values = Ast.arguments(failFast)
        if (!fansOut(found)) {
            report.add(failFast, 'failFast needs parallel or matrix in the same stage')
        }
        if (values.size() != 1 || !(Ast.constant(values[0]) instanceof Boolean)) {
            report.add(failFast, 'failFast takes true or false')
        }
    }

    private void checkSection(String name, MethodCallExpression call, boolean inParallel) {
        switch (name) {
            case 'stages':
                checkStages(call, inParallel)
                break
            case 'parallel':
                checkStages(call, true)
                break
            case 'matrix':
                new MatrixRules(report, this).check(call)
                break
            case 'failFast':
                break
            default:
                sections.check(call, false)
        }
    }
}
