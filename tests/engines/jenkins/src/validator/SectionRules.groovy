package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.CodeVisitorSupport
import org.codehaus.groovy.ast.expr.BinaryExpression
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.ConstantExpression
import org.codehaus.groovy.ast.expr.DeclarationExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.GStringExpression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.expr.PropertyExpression
import org.codehaus.groovy.ast.expr.VariableExpression
import org.codehaus.groovy.ast.stmt.ExpressionStatement
import org.codehaus.groovy.ast.stmt.Statement

/** What Declarative asks of the sections that a pipeline and a stage have in common. */
@CompileStatic
class SectionRules {
    private static final Set<String> INPUT = '''
            message id ok submitter submitterParameter parameters
    '''.tokenize().toSet()
    private final Report report
    private final ListRules lists
    private final StepRules steps

    SectionRules(Report report) {
        this.report = report
        lists = new ListRules(report)
        steps = new StepRules(report)
    }

    void check(MethodCallExpression section, boolean isTop) {
        String name = section.methodAsString
        if (name == 'agent') {
            checkAgent(section)
            return
        }
        ClosureExpression body = Ast.body(section)
        if (body == null || Ast.arguments(section).size() > 1) {
            report.add(section, "\"${name}\" needs a block and nothing else")
        } else if (Ast.statements(body).isEmpty()) {
            report.add(section, "\"${name}\" is empty")
        } else {
            checkBlock(name, section, body, isTop)
        }
    }

    private void checkBlock(String name, MethodCallExpression section, ClosureExpression body, boolean isTop) {
        switch (name) {
            case 'environment':
                new EnvironmentRules(report).check(body)
                break
            case 'post':
                checkPost(section, body)
                break
            case 'steps':
                steps.checkSteps(body, true)
                break
            case 'when':
                new WhenRules(report).check(section, body)
                break
            case 'input':
                checkInput(section, body)
                break
            case 'tools':
                lists.each(section, body, report.facts.names('tools')).each { MethodCallExpression it -> lists.expectOne(it) }
                break
            case 'libraries':
                lists.each(section, body, ['lib']).each { MethodCallExpression it -> lists.expectOne(it) }
                break
            default:
                lists.check(section, body, isTop)
        }
    }

    private void checkAgent(MethodCallExpression agent) {
        List<Expression> arguments = Ast.arguments(agent)
        ClosureExpression body = Ast.body(agent)
        if (arguments.size() != 1) {
            report.add(agent, 'agent takes any, none or a block')
        } else if (body == null) {
            String word = arguments[0] instanceof VariableExpression ? arguments[0].text : Ast.constant(arguments[0])
            // The plugin's ModelParser accepts only types without parameters; `dockerfile` needs a block, as in the docs.
            Model model = report.facts.model('agents', word, word)
            if (!model?.entry?.bare || model.types) {
                report.add(agent, 'agent takes any, none or a block')
            }
        } else {
            checkAgentBlock(agent, body)
        }
    }

    private void checkAgentBlock(MethodCallExpression agent, ClosureExpression body) {
        List<MethodCallExpression> found = lists.calls(agent, body)
        if (Ast.statements(body).size() != 1) {
            report.add(agent, "an agent block names one of ${report.facts.names('agents').join(', ')}")
        }
        found.each { MethodCallExpression kind ->
            String name = kind.methodAsString
            Model model = report.facts.model('agents', name, "the agent type \"${name}\"")
            if (model == null) {
                report.add(kind, "there is no agent type \"${name}\"")
            } else {
                checkAgentType(kind, model)
            }
        }
    }

    private void checkAgentType(MethodCallExpression kind, Model model) {
        ClosureExpression body = Ast.body(kind)
        if (body == null) {
            if (model.required.size() > 1 || Ast.arguments(kind).size() != 1) {
                report.add(kind, "${model.what} lacks its value")
            }
            return
        }
        List<MethodCallExpression> lines = lists.each(kind, body, model.types.keySet())
        lines.each { MethodCallExpression line ->
            lists.expectOne(line)
            new ArgumentRules(report).checkType(line, model, line.methodAsString, Ast.arguments(line)[0])
        }
        model.required.keySet().findAll { String it -> !(it in lines*.methodAsString) }.each { String it ->
            report.add(kind, "${model.what} lacks \"${it}\"")
        }
    }

    private void checkPost(MethodCallExpression post, ClosureExpression body) {
        Set<String> seen = new HashSet<>()
        lists.each(post, body, report.facts.names('post')).each { MethodCallExpression condition ->
            ClosureExpression inner = Ast.body(condition)
            if (!seen.add(condition.methodAsString)) {
                report.add(condition, "post has the condition \"${condition.methodAsString}\" twice")
            }
            if (inner == null || Ast.arguments(condition).size() > 1) {
                report.add(condition, "the post condition \"${condition.methodAsString}\" needs a block")
            } else if (Ast.statements(inner).isEmpty()) {
                report.add(condition, "the post condition \"${condition.methodAsString}\" has no steps")
            } else {
                steps.checkSteps(inner, false)
            }
        }
    }

    private void checkInput(MethodCallExpression input, ClosureExpression body) {
        List<MethodCallExpression> found = lists.each(input, body, INPUT)
        if (!found.any { MethodCallExpression it -> it.methodAsString == 'message' }) {
            report.add(input, 'input lacks its message')
        }
        found.each { MethodCallExpression field ->
            if (field.methodAsString == 'parameters') {
                check(field, false)
            } else {
                lists.expectOne(field)
            }
        }
    }
}

/** `environment`: lines of the form NAME = value. */
@CompileStatic
class EnvironmentRules {
    private final Report report

    EnvironmentRules(Report report) {
        this.report = report
    }

    void check(ClosureExpression body) {
        Set<String> names = new HashSet<>()
        Ast.statements(body).each { Statement statement ->
            BinaryExpression line = assignment(statement)
            if (line == null || !(line.leftExpression instanceof VariableExpression)) {
                report.add(statement, 'environment holds lines NAME = value only')
                return
            }
            String name = line.leftExpression.text
            if (!(name ==~ /[A-Za-z_]\w*/)) {
                report.add(statement, "\"${name}\" is no name for an environment variable")
            }
            if (!names.add(name)) {
                report.add(statement, "the environment variable ${name} is set twice")
            }
            checkValue(name, line.rightExpression)
        }
        if (names.size() > SizeRules.MAP) {
            report.add(body, "environment has ${names.size()} variables, more than ${SizeRules.MAP}")
        }
    }

    private static BinaryExpression assignment(Statement statement) {
        Expression line = statement instanceof ExpressionStatement ? ((ExpressionStatement) statement).expression : null
        if (!(line instanceof BinaryExpression) || line instanceof DeclarationExpression) {
            return null
        }
        return ((BinaryExpression) line).operation.text == '=' ? (BinaryExpression) line : null
    }

    private void checkValue(String name, Expression value) {
        if (value instanceof MethodCallExpression) {
            boolean isCredential = value.implicitThis && value.methodAsString == 'credentials'
            List<Expression> arguments = Ast.arguments(value)
            if (isCredential && !(arguments.size() == 1 && Ast.isText(arguments[0]))) {
                report.add(value, 'credentials() takes one string')
            }
        } else if (!isConcatenation(value)) {
            report.add(value, "the value of ${name} is neither a string, nor strings joined by +, nor a function call")
            return
        }
        // RuntimeASTTransformer.translateEnvironmentValue of pipeline-model-definition builds plain properties and calls.
        value.visit(new CodeVisitorSupport() {
            @Override
            void visitPropertyExpression(PropertyExpression property) {
                if (property.safe) {
                    report.add(value, "Declarative reads ?. in the value of ${name} as a dot")
                }
                super.visitPropertyExpression(property)
            }
        })
    }

    private static boolean isConcatenation(Expression value) {
        if (value instanceof BinaryExpression) {
            boolean joins = value.operation.text == '+'
            return joins && isConcatenation(value.leftExpression) && isConcatenation(value.rightExpression)
        }
        return value instanceof ConstantExpression || value instanceof GStringExpression
    }
}
