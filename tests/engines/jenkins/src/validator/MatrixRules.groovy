package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of `matrix`. */
@CompileStatic
class MatrixRules {
    /** With two stages a cell, 116 cells were too many. */
    private static final int CELLS = 114
    private static final Set<String> SECTIONS = '''
            axes excludes stages agent environment input options post tools when
    '''.tokenize().toSet()
    private final Report report
    private final StageRules stages

    MatrixRules(Report report, StageRules stages) {
        this.report = report
        this.stages = stages
    }

    void check(MethodCallExpression matrix) {
        ClosureExpression body = Ast.body(matrix)
        if (body == null) {
            report.add(matrix, '"matrix" needs a block')
            return
        }
        Map<String, MethodCallExpression> found = new Sections(report, 'matrix', SECTIONS).read(matrix, body)
        ['axes', 'stages'].findAll { String it -> !found.containsKey(it) }.each { String it ->
            report.add(matrix, "matrix lacks the section \"${it}\"")
        }
        found.each { String name, MethodCallExpression call ->
            switch (name) {
                case 'axes':
                    checkAxes(call)
                    break
                case 'excludes':
                    blocks(call, 'exclude').each { MethodCallExpression exclude -> checkExclude(exclude) }
                    break
                case 'stages':
                    stages.checkStages(call, true)
                    break
                default:
                    new SectionRules(report).check(call, false)
            }
        }
    }

    private void checkAxes(MethodCallExpression axes) {
        Set<Object> names = new HashSet<>()
        int cells = 1
        blocks(axes, 'axis').each { MethodCallExpression axis ->
            Map<String, MethodCallExpression> found = readAxis(axis, 'name values'.tokenize().toSet())
            Object name = found.name == null ? null : Ast.constant(Ast.arguments(found.name).find())
            if (name != null && !names.add(name)) {
                report.add(axis, "the axis ${name} is there twice")
            }
            cells *= found.values == null ? 1 : Ast.arguments(found.values).size()
        }
        if (cells > CELLS) {
            report.add(axes, "the matrix has ${cells} cells, more than ${CELLS}")
        }
    }

    private void checkExclude(MethodCallExpression exclude) {
        blocks(exclude, 'axis').each { MethodCallExpression it -> readAxis(it, '''
            name values notValues
    '''.tokenize().toSet()) }
    }

    private Map<String, MethodCallExpression> readAxis(MethodCallExpression axis, Set<String> allowed) {
        Map<String, MethodCallExpression> found = new Sections(report, 'axis', allowed).read(axis, Ast.body(axis))
        if (!found.containsKey('name')) {
            report.add(axis, 'an axis lacks its name')
        }
        if (found.containsKey('values') == found.containsKey('notValues')) {
            report.add(axis, 'an axis needs its values')
        }
        found.each { String name, MethodCallExpression call ->
            List<Expression> values = Ast.arguments(call)
            if (values.isEmpty() || !values.every { Expression it -> Ast.constant(it) instanceof String }) {
                report.add(call, "\"${name}\" of an axis takes string literals")
            } else if (name == 'name' && !(Ast.constant(values[0]) ==~ /[A-Za-z_]\w*/)) {
                report.add(call, "\"${Ast.constant(values[0])}\" is no name for a variable")
            } else if (values.unique(false) { Expression it -> it.text }.size() < values.size()) {
                report.add(call, 'an axis has the same value twice')
            }
        }
        return found
    }

    /** Returns the blocks of that name within *section*, which holds nothing else. */
    private List<MethodCallExpression> blocks(MethodCallExpression section, String name) {
        ClosureExpression body = Ast.body(section)
        List<MethodCallExpression> found = []
        (body == null ? [] : Ast.statements(body)).each { Object it ->
            MethodCallExpression call = Ast.call((Statement) it)
            if (call?.methodAsString == name && Ast.body(call) != null) {
                found.add(call)
            } else {
                report.add((Statement) it, "\"${section.methodAsString}\" holds ${name} blocks only")
            }
        }
        if (found.isEmpty()) {
            report.add(section, "\"${section.methodAsString}\" holds no ${name}")
        }
        return found
    }
}
