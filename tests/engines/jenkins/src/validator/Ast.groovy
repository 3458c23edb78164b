package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.expr.*
import org.codehaus.groovy.ast.stmt.*

/** Looks at Groovy's syntax tree. */
@CompileStatic
class Ast {
    /** Returns the call that *statement* consists of, or null; `a {} b {}` on one line is a call on the result of `a`, so no such call. */
    static MethodCallExpression call(Statement statement) {
        if (!(statement instanceof ExpressionStatement) || !(((ExpressionStatement) statement).expression instanceof MethodCallExpression)) {
            return null
        }
        MethodCallExpression call = (MethodCallExpression) ((ExpressionStatement) statement).expression
        return call.implicitThis && call.methodAsString != null ? call : null
    }

    static List<Expression> arguments(MethodCallExpression call) {
        return call.arguments instanceof TupleExpression ? ((TupleExpression) call.arguments).expressions : [call.arguments]
    }

    /** Returns the block that ends a call, or null. */
    static ClosureExpression body(MethodCallExpression call) {
        List<Expression> arguments = arguments(call)
        return arguments && arguments.last() instanceof ClosureExpression ? (ClosureExpression) arguments.last() : null
    }

    /** Returns the arguments of a call without the block that ends it. */
    static List<Expression> values(MethodCallExpression call) {
        List<Expression> arguments = arguments(call)
        return body(call) == null ? arguments : arguments.subList(0, arguments.size() - 1)
    }

    /** Returns the named arguments of a call; empty when it has others. */
    static Map<String, Expression> named(MethodCallExpression call) {
        Map<String, Expression> found = new LinkedHashMap<>()
        values(call).each { Expression it ->
            if (it instanceof MapExpression) {
                it.mapEntryExpressions.each { MapEntryExpression entry -> found[entry.keyExpression.text] = entry.valueExpression }
            }
        }
        return found
    }

    /** Returns whether a call mixes named and unnamed arguments. */
    static boolean isMixed(MethodCallExpression call) {
        List<Expression> values = values(call)
        return values.size() > 1 && values.any { Expression it -> it instanceof NamedArgumentListExpression || it instanceof MapExpression }
    }

    static List<Statement> statements(ClosureExpression closure) {
        return closure.code instanceof BlockStatement ? ((BlockStatement) closure.code).statements : [closure.code]
    }

    /** Returns the value of a constant, or null. */
    static Object constant(Expression expression) {
        return expression instanceof ConstantExpression ? expression.value : null
    }

    static boolean isText(Expression expression) {
        return expression instanceof GStringExpression || constant(expression) instanceof String
    }

    /** Returns *node* and all below it. */
    static int count(ASTNode node) {
        return 1 + ((int) children(node).sum(0) { ASTNode it -> count(it) })
    }

    static void each(ASTNode node, Closure action) {
        action.call(node)
        children(node).each { ASTNode it -> each(it, action) }
    }

    static List<ASTNode> children(ASTNode node) {
        List<? extends ASTNode> found = node instanceof Statement ? below((Statement) node) : below((Expression) node)
        return (List<ASTNode>) found.findAll { ASTNode it -> it != null && !(it instanceof EmptyStatement) && !(it instanceof EmptyExpression) }
    }

    private static List<? extends ASTNode> below(Statement node) {
        switch (node) {
            case BlockStatement: return ((BlockStatement) node).statements
            case ExpressionStatement: return [((ExpressionStatement) node).expression]
            case ReturnStatement: return [((ReturnStatement) node).expression]
            case ThrowStatement: return [((ThrowStatement) node).expression]
            case IfStatement: return [((IfStatement) node).booleanExpression, ((IfStatement) node).ifBlock, ((IfStatement) node).elseBlock] as List<ASTNode>
            case ForStatement: return [((ForStatement) node).collectionExpression, ((ForStatement) node).loopBlock] as List<ASTNode>
            case WhileStatement: return [((WhileStatement) node).booleanExpression, ((WhileStatement) node).loopBlock] as List<ASTNode>
            case TryCatchStatement: return ([((TryCatchStatement) node).tryStatement] + ((TryCatchStatement) node).catchStatements + [((TryCatchStatement) node).finallyStatement]) as List<ASTNode>
            case CatchStatement: return [((CatchStatement) node).code]
            case SwitchStatement: return ([((SwitchStatement) node).expression] + ((SwitchStatement) node).caseStatements + [((SwitchStatement) node).defaultStatement]) as List<ASTNode>
            case CaseStatement: return [((CaseStatement) node).expression, ((CaseStatement) node).code] as List<ASTNode>
            case AssertStatement: return [((AssertStatement) node).booleanExpression, ((AssertStatement) node).messageExpression] as List<ASTNode>
            case SynchronizedStatement: return [((SynchronizedStatement) node).expression, ((SynchronizedStatement) node).code] as List<ASTNode>
            default: return []
        }
    }

    private static List<? extends ASTNode> below(Expression node) {
        switch (node) {
            case MethodCallExpression: return [((MethodCallExpression) node).objectExpression, ((MethodCallExpression) node).method, ((MethodCallExpression) node).arguments]
            case StaticMethodCallExpression: return [((StaticMethodCallExpression) node).arguments]
            case ConstructorCallExpression: return [((ConstructorCallExpression) node).arguments]
            case ClosureExpression: return [((ClosureExpression) node).code]
            case GStringExpression: return ((List) ((GStringExpression) node).strings) + ((GStringExpression) node).values
            case TupleExpression: return ((TupleExpression) node).expressions
            case ListExpression: return ((ListExpression) node).expressions
            case ClosureListExpression: return ((ClosureListExpression) node).expressions
            case ArrayExpression: return ((ArrayExpression) node).expressions
            case MapExpression: return ((MapExpression) node).mapEntryExpressions
            case MapEntryExpression: return [((MapEntryExpression) node).keyExpression, ((MapEntryExpression) node).valueExpression]
            case PropertyExpression: return [((PropertyExpression) node).objectExpression, ((PropertyExpression) node).property]
            case BinaryExpression: return [((BinaryExpression) node).leftExpression, ((BinaryExpression) node).rightExpression]
            case TernaryExpression: return [((TernaryExpression) node).booleanExpression, ((TernaryExpression) node).trueExpression, ((TernaryExpression) node).falseExpression]
            case RangeExpression: return [((RangeExpression) node).from, ((RangeExpression) node).to]
            case BooleanExpression: return [((BooleanExpression) node).expression]
            case CastExpression: return [((CastExpression) node).expression]
            case SpreadExpression: return [((SpreadExpression) node).expression]
            case SpreadMapExpression: return [((SpreadMapExpression) node).expression]
            case PrefixExpression: return [((PrefixExpression) node).expression]
            case PostfixExpression: return [((PostfixExpression) node).expression]
            case UnaryMinusExpression: return [((UnaryMinusExpression) node).expression]
            case BitwiseNegationExpression: return [((BitwiseNegationExpression) node).expression]
            case MethodPointerExpression: return [((MethodPointerExpression) node).expression, ((MethodPointerExpression) node).methodName]
            default: return []
        }
    }
}
