package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.ConstantExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.GStringExpression
import org.codehaus.groovy.ast.expr.MapEntryExpression
import org.codehaus.groovy.ast.expr.MapExpression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.expr.TupleExpression
import org.codehaus.groovy.ast.stmt.BlockStatement
import org.codehaus.groovy.ast.stmt.ExpressionStatement
import org.codehaus.groovy.ast.stmt.Statement

/** Reads calls and their arguments off the syntax tree. */
@CompileStatic
class Ast {
    /** Returns the bare call that *statement* is, or null; `a {} b {}` on one line is a call on what `a` returns. */
    static MethodCallExpression call(Statement statement) {
        Expression line = statement instanceof ExpressionStatement ? statement.expression : null
        if (!(line instanceof MethodCallExpression)) {
            return null
        }
        MethodCallExpression call = (MethodCallExpression) line
        return call.implicitThis && call.methodAsString != null ? call : null
    }

    static List<Expression> arguments(MethodCallExpression call) {
        Expression given = call.arguments
        return given instanceof TupleExpression ? ((TupleExpression) given).expressions : [given]
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
                it.mapEntryExpressions.each { MapEntryExpression entry ->
                    found[entry.keyExpression.text] = entry.valueExpression
                }
            }
        }
        return found
    }

    /** Returns whether a call mixes named and unnamed arguments. */
    static boolean isMixed(MethodCallExpression call) {
        List<Expression> values = values(call)
        return values.size() > 1 && values.any { Expression it -> it instanceof MapExpression }
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
}
