package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.AnnotationNode
import org.codehaus.groovy.ast.ClassNode
import org.codehaus.groovy.ast.MethodNode
import org.codehaus.groovy.ast.ModuleNode
import org.codehaus.groovy.ast.expr.BinaryExpression
import org.codehaus.groovy.ast.expr.BooleanExpression
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.DeclarationExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.expr.VariableExpression

/**
 * What would not survive a restart of the controller, which saves all that code between two steps holds: values that
 * Java cannot serialize, and steps where Jenkins runs Groovy natively and so cannot stop.
 */
@CompileStatic
class DurabilityRules {
    private static final Set<String> TYPES = '''
            Matcher MatchResult Iterator ListIterator Entry Map.Entry Stream IntStream Optional InputStream Reader
    '''.tokenize().toSet()
    private static final Set<String> MAKERS = '''
            matcher iterator listIterator entrySet subList stream parallelStream splitAsStream spliterator
    '''.tokenize().toSet()
    /**
     * Methods of Groovy's own that call the closure that they are given. Jenkins translates `collectEntries`, which
     * makes the branches of a `parallel`, and `each`, which declares the combinations of a matrix
     * (CpsDefaultGroovyMethods of workflow-cps).
     */
    private static final Set<String> CALLERS = '''
            eachWithIndex reverseEach collect collectMany find findAll findResult any every inject
            groupBy count sum max min unique removeAll retainAll withDefault times upto downto step eachLine replaceAll
            with tap
    '''.tokenize().toSet()
    private final Report report
    private Set<String> natives

    DurabilityRules(Report report) {
        this.report = report
    }

    void check(ModuleNode module) {
        Set<MethodNode> functions = new LinkedHashSet<>(module.methods)
        module.classes.each { ClassNode type -> functions.addAll(type.methods) }
        Collection<MethodNode> written = functions.findAll { MethodNode it -> !it.scriptBody && it.code != null }
        natives = written.findAll { MethodNode it -> isNative(it) }.collect { MethodNode it -> it.name }.toSet()
        checkSaved(module.statementBlock)
        written.each { MethodNode it -> isNative(it) ? checkNative(it) : checkSaved(it.code) }
    }

    static boolean isNative(MethodNode function) {
        return function.annotations.any { AnnotationNode it -> it.classNode.nameWithoutPackage == 'NonCPS' }
    }

    /** Code that Jenkins may stop at any step, to go on after a restart. */
    private void checkSaved(ASTNode body) {
        Set<ASTNode> asked = Collections.newSetFromMap(new IdentityHashMap<ASTNode, Boolean>())
        Tree.each(body) { ASTNode node ->
            if (node instanceof BooleanExpression) {
                asked.add(node.expression)
            } else if (node instanceof DeclarationExpression && !node.multipleAssignmentDeclaration) {
                checkType(node)
            } else if (node instanceof BinaryExpression && node.operation.text == '=~' && !asked.contains(node)) {
                report.add(node, 'a Matcher would be held when the build is saved: NotSerializableException')
            } else if (node instanceof MethodCallExpression) {
                checkCall(node)
            }
        }
    }

    private void checkType(DeclarationExpression declaration) {
        VariableExpression variable = (VariableExpression) declaration.leftExpression
        if (variable.originType.name in TYPES || variable.originType.nameWithoutPackage in TYPES) {
            String type = variable.originType.nameWithoutPackage
            report.add(declaration, "${variable.name} is a ${type}, which cannot be saved: NotSerializableException")
        }
    }

    private void checkCall(MethodCallExpression call) {
        String name = call.methodAsString
        if (!call.implicitThis && name in MAKERS) {
            report.add(call, "what ${name} gives cannot be saved: NotSerializableException")
        }
        ClosureExpression body = Ast.body(call)
        if (!call.implicitThis && body != null && name in CALLERS) {
            MethodCallExpression step = outside(body).find()
            if (step != null) {
                report.add(step, "${step.methodAsString} is called in a closure of ${name}: Jenkins runs that natively")
            }
        }
    }

    private void checkNative(MethodNode function) {
        outside(function.code).each { MethodCallExpression call ->
            report.add(call, "${function.name} is @NonCPS and calls ${call.methodAsString}, which is not")
        }
        Tree.each(function.code) { ASTNode node ->
            if (node instanceof MethodCallExpression && node.methodAsString == 'call') {
                report.add(node, "${function.name} is @NonCPS and calls a closure, which may hold steps")
            }
        }
    }

    /** Returns the calls below *node* of steps, and of functions that are not native. */
    private List<MethodCallExpression> outside(ASTNode node) {
        List<MethodCallExpression> found = []
        Tree.each(node) { ASTNode it ->
            if (it instanceof MethodCallExpression && it.implicitThis && !(it.methodAsString in natives)) {
                found.add((MethodCallExpression) it)
            }
        }
        return found
    }
}
