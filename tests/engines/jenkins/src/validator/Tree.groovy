package validator

import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.expr.*
import org.codehaus.groovy.ast.stmt.*

/** Walks Groovy's syntax tree. */
class Tree {
    /** What leads from each kind of node to the nodes below it. */
    private static final Map<Class, List<String>> BELOW = [
            (BlockStatement)            : ['statements'],
            (ExpressionStatement)       : ['expression'],
            (ReturnStatement)           : ['expression'],
            (ThrowStatement)            : ['expression'],
            (IfStatement)               : ['booleanExpression', 'ifBlock', 'elseBlock'],
            (ForStatement)              : ['collectionExpression', 'loopBlock'],
            (WhileStatement)            : ['booleanExpression', 'loopBlock'],
            (TryCatchStatement)         : ['tryStatement', 'catchStatements', 'finallyStatement'],
            (CatchStatement)            : ['code'],
            (SwitchStatement)           : ['expression', 'caseStatements', 'defaultStatement'],
            (CaseStatement)             : ['expression', 'code'],
            (AssertStatement)           : ['booleanExpression', 'messageExpression'],
            (SynchronizedStatement)     : ['expression', 'code'],
            (MethodCallExpression)      : ['objectExpression', 'method', 'arguments'],
            (StaticMethodCallExpression): ['arguments'],
            (ConstructorCallExpression) : ['arguments'],
            (ClosureExpression)         : ['code'],
            (GStringExpression)         : ['strings', 'values'],
            (TupleExpression)           : ['expressions'],
            (ListExpression)            : ['expressions'],
            (ArrayExpression)           : ['expressions'],
            (MapExpression)             : ['mapEntryExpressions'],
            (MapEntryExpression)        : ['keyExpression', 'valueExpression'],
            (PropertyExpression)        : ['objectExpression', 'property'],
            (BinaryExpression)          : ['leftExpression', 'rightExpression'],
            (TernaryExpression)         : ['booleanExpression', 'trueExpression', 'falseExpression'],
            (RangeExpression)           : ['from', 'to'],
            (BooleanExpression)         : ['expression'],
            (CastExpression)            : ['expression'],
            (SpreadExpression)          : ['expression'],
            (SpreadMapExpression)       : ['expression'],
            (PrefixExpression)          : ['expression'],
            (PostfixExpression)         : ['expression'],
            (UnaryMinusExpression)      : ['expression'],
            (BitwiseNegationExpression) : ['expression'],
            (MethodPointerExpression)   : ['expression', 'methodName'],
    ]

    private static final Map<Class, List<String>> FOUND = [:].withDefault { Class type ->
        BELOW.find { Class known, List<String> names -> known.isAssignableFrom(type) }?.value ?: []
    }

    /** Returns the number of *node* and all nodes below it. */
    static int count(ASTNode node) {
        int found = 0
        each(node) { found++ }
        return found
    }

    /** Gives *node* and all nodes below it to *action*, parents first; the `this` before a bare call is no node. */
    static void each(ASTNode node, Closure action) {
        action.call(node)
        FOUND[node.getClass()].each { String name ->
            [node[name]].flatten().each { ASTNode child ->
                if (isWritten(child)) {
                    each(child, action)
                }
            }
        }
    }

    private static boolean isWritten(ASTNode node) {
        boolean isEmpty = node == null || node instanceof EmptyStatement || node instanceof EmptyExpression
        return !isEmpty && !node.is(VariableExpression.THIS_EXPRESSION)
    }
}
