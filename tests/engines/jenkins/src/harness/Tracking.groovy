package harness

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.ClassHelper
import org.codehaus.groovy.ast.ClassNode
import org.codehaus.groovy.ast.CodeVisitorSupport
import org.codehaus.groovy.ast.MethodNode
import org.codehaus.groovy.ast.Parameter
import org.codehaus.groovy.ast.expr.ArgumentListExpression
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.ClosureListExpression
import org.codehaus.groovy.ast.expr.ConstantExpression
import org.codehaus.groovy.ast.expr.DeclarationExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MapEntryExpression
import org.codehaus.groovy.ast.expr.MapExpression
import org.codehaus.groovy.ast.expr.StaticMethodCallExpression
import org.codehaus.groovy.ast.expr.TupleExpression
import org.codehaus.groovy.ast.expr.VariableExpression
import org.codehaus.groovy.ast.stmt.BlockStatement
import org.codehaus.groovy.ast.stmt.CatchStatement
import org.codehaus.groovy.ast.stmt.EmptyStatement
import org.codehaus.groovy.ast.stmt.ExpressionStatement
import org.codehaus.groovy.ast.stmt.ForStatement
import org.codehaus.groovy.ast.stmt.IfStatement
import org.codehaus.groovy.ast.stmt.Statement
import org.codehaus.groovy.ast.stmt.TryCatchStatement
import org.codehaus.groovy.ast.stmt.WhileStatement

/** Lets functions and closures tell `Saved` which variables they have, before each statement. */
@CompileStatic
class Tracking {
    private static final ClassNode SAVED = ClassHelper.make(Saved)

    static void follow(ClassNode type) {
        type.methods.findAll { MethodNode it -> it.code != null && !isNative(it) }.each { MethodNode it ->
            it.code = framed(it.code, names(it.parameters))
        }
    }

    private static boolean isNative(MethodNode method) {
        return method.annotations.any { it.classNode.nameWithoutPackage == 'NonCPS' }
    }

    private static List<String> names(Parameter[] parameters) {
        return (parameters ?: new Parameter[0]).toList().collect { Parameter it -> it.name }
    }

    /** Returns *code* as a frame of its own, if it has variables or stands where some are seen. */
    private static Statement framed(Statement code, List<String> seen) {
        if (!seen && !declares(code)) {
            closures(code, seen)
            return code
        }
        Statement body = new BlockStatement()
        body.addStatement(tracked(code, seen))
        Statement end = new ExpressionStatement(tell('leave'))
        BlockStatement whole = new BlockStatement()
        whole.addStatement(new ExpressionStatement(tell('enter')))
        whole.addStatement(new TryCatchStatement(body, end))
        whole.sourcePosition = code
        return whole
    }

    private static boolean declares(Statement code) {
        boolean found = false
        code.visit(new CodeVisitorSupport() {
            @Override
            void visitDeclarationExpression(DeclarationExpression expression) {
                found = true
            }

            @Override
            void visitForLoop(ForStatement loop) {
                found = true
            }

            @Override
            void visitCatchStatement(CatchStatement statement) {
                found = true
            }

            @Override
            void visitClosureExpression(ClosureExpression expression) {
            }
        })
        return found
    }

    /** Returns *code*, whose statements see the variables *seen* and those declared before them. */
    private static Statement tracked(Statement code, List<String> seen) {
        if (code instanceof EmptyStatement) {
            return code
        }
        if (!(code instanceof BlockStatement)) {
            BlockStatement block = new BlockStatement([code] as List<Statement>, null)
            block.sourcePosition = code
            return tracked(block, seen)
        }
        List<String> visible = new ArrayList<>(seen)
        List<Statement> statements = []
        ((BlockStatement) code).statements.each { Statement statement ->
            Statement told = new ExpressionStatement(tell('see', visible))
            told.sourcePosition = statement
            statements.add(told)
            nested(statement, visible)
            statements.add(statement)
            visible.addAll(declared(statement))
        }
        BlockStatement block = new BlockStatement(statements, ((BlockStatement) code).variableScope)
        block.sourcePosition = code
        return block
    }

    private static List<String> declared(Statement statement) {
        Expression line = statement instanceof ExpressionStatement ? statement.expression : null
        if (!(line instanceof DeclarationExpression)) {
            return []
        }
        Expression left = ((DeclarationExpression) line).leftExpression
        List<Expression> variables = left instanceof TupleExpression ? ((TupleExpression) left).expressions : [left]
        return variables.collect { Expression it -> ((VariableExpression) it).name }
    }

    private static void nested(Statement statement, List<String> seen) {
        if (statement instanceof IfStatement) {
            closures(statement.booleanExpression, seen)
            statement.ifBlock = tracked(statement.ifBlock, seen)
            statement.elseBlock = tracked(statement.elseBlock, seen)
        } else if (statement instanceof WhileStatement) {
            closures(statement.booleanExpression, seen)
            statement.loopBlock = tracked(statement.loopBlock, seen)
        } else if (statement instanceof ForStatement) {
            closures(statement.collectionExpression, seen)
            statement.loopBlock = tracked(statement.loopBlock, seen + looped(statement))
        } else if (statement instanceof TryCatchStatement) {
            statement.tryStatement = tracked(statement.tryStatement, seen)
            statement.catchStatements.each { CatchStatement it -> it.code = tracked(it.code, seen + it.variable.name) }
            statement.finallyStatement = tracked(statement.finallyStatement, seen)
        } else if (statement instanceof BlockStatement) {
            BlockStatement inner = (BlockStatement) tracked(statement, seen)
            statement.statements.clear()
            statement.statements.addAll(inner.statements)
        } else {
            closures(statement, seen)
        }
    }

    private static List<String> looped(ForStatement loop) {
        Expression range = loop.collectionExpression
        if (!(range instanceof ClosureListExpression)) {
            return [loop.variable.name]
        }
        return declared(new ExpressionStatement(((ClosureListExpression) range).expressions[0]))
    }

    /** Follows into the outermost closures of *node*. */
    private static void closures(ASTNode node, List<String> seen) {
        node.visit(new CodeVisitorSupport() {
            @Override
            void visitClosureExpression(ClosureExpression closure) {
                closure.code = framed(closure.code, seen + names(closure.parameters))
            }
        })
    }

    private static Expression tell(String method) {
        return new StaticMethodCallExpression(SAVED, method, new ArgumentListExpression())
    }

    private static Expression tell(String method, List<String> variables) {
        MapExpression map = new MapExpression()
        variables.each { String name ->
            map.addMapEntryExpression(new MapEntryExpression(new ConstantExpression(name), new VariableExpression(name)))
        }
        return new StaticMethodCallExpression(SAVED, method, new ArgumentListExpression(map))
    }
}
