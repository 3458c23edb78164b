package harness

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.ClassCodeVisitorSupport
import org.codehaus.groovy.ast.ClassNode
import org.codehaus.groovy.ast.ImportNode
import org.codehaus.groovy.ast.ModuleNode
import org.codehaus.groovy.ast.expr.ClassExpression
import org.codehaus.groovy.ast.expr.ClosureExpression
import org.codehaus.groovy.ast.expr.ConstructorCallExpression
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.ast.expr.PropertyExpression
import org.codehaus.groovy.ast.expr.TupleExpression
import org.codehaus.groovy.ast.expr.VariableExpression
import org.codehaus.groovy.control.SourceUnit

/** Finds in a parsed Jenkinsfile what Jenkins' sandbox refuses at run time, or what goes wrong there without a word. */
@CompileStatic
class Sandbox extends ClassCodeVisitorSupport {
    /** Classes that may be made with `new`. */
    private static final Set<String> MADE = '''
            Date ArrayList HashMap LinkedHashMap TreeMap HashSet LinkedHashSet TreeSet StringBuilder
            StringBuffer String Exception JsonSlurper SimpleDateFormat URL
    '''.tokenize().toSet()
    /** Classes whose static members may be used, and which of them; an empty list stands for all. */
    private static final Map<String, List<String>> STATIC = [
            Arrays     : ['asList', 'toString'],
            Base64     : [],
            Boolean    : ['parseBoolean', 'valueOf'],
            Calendar   : ['getInstance'],
            Collections: [],
            Integer    : ['parseInt', 'toString', 'valueOf'],
            JsonOutput : ['toJson', 'prettyPrint'],
            Math       : [],
            String     : ['format', 'join', 'valueOf'],
            System     : ['currentTimeMillis', 'identityHashCode'],
            TimeZone   : ['getTimeZone'],
            URLDecoder : ['decode'],
            URLEncoder : ['encode'],
            UUID       : ['randomUUID', 'fromString'],
            Utils      : ['markStageSkippedForConditional'],
    ]
    /** Methods by their names alone: `clear` is permitted for maps, and not for lists. */
    private static final Set<String> METHODS = '''
            toArray execute getRawBuild getMetaClass evaluate getCauses exec invokeMethod clear
    '''.tokenize().toSet()
    private static final Set<String> PROPERTIES = 'metaClass rawBuild classLoader causes'.tokenize().toSet()
    private static final Set<String> IMPORTS = 'groovy.json.JsonSlurperClassic'.tokenize().toSet()

    private final List<Finding> found = []

    static List<Finding> check(ModuleNode module) {
        Sandbox sandbox = new Sandbox()
        module.imports.each { ImportNode it -> sandbox.checkImport(it) }
        module.classes.each { ClassNode it -> sandbox.visitClass(it) }
        return sandbox.found.unique(false) { Finding it -> [it.line, it.message] }
    }

    @Override
    protected SourceUnit getSourceUnit() {
        return null
    }

    private void checkImport(ImportNode node) {
        if (node.className in IMPORTS) {
            reject(node.lineNumber, "the sandbox does not permit ${node.className}")
        }
    }

    @Override
    void visitConstructorCallExpression(ConstructorCallExpression call) {
        String name = call.type.nameWithoutPackage
        if (!call.specialCall && !(name in MADE)) {
            reject(call.lineNumber, "the sandbox does not permit new ${name}")
        }
        super.visitConstructorCallExpression(call)
    }

    @Override
    void visitMethodCallExpression(MethodCallExpression call) {
        String name = call.methodAsString
        String type = call.implicitThis ? null : typeName(call.objectExpression)
        // A script may evaluate text, which the sandbox then watches too: workflow-cps' CpsScript.
        boolean isOwn = name == 'evaluate' && call.implicitThis
        if (name in METHODS && !isOwn) {
            reject(call.lineNumber, "the sandbox does not permit the method ${name}")
        } else if (type != null && name != null) {
            checkStatic(call.lineNumber, type, name)
        } else if (name in ['sort', 'toSorted'] && takesClosure(call)) {
            reject(call.lineNumber, "${name} with a closure gives wrong results in Jenkins")
        }
        super.visitMethodCallExpression(call)
    }

    @Override
    void visitPropertyExpression(PropertyExpression access) {
        String name = access.propertyAsString
        if (name in PROPERTIES) {
            reject(access.lineNumber, "the sandbox does not permit the property ${name}")
        }
        super.visitPropertyExpression(access)
    }

    private void checkStatic(int line, String type, String name) {
        List<String> allowed = STATIC[type]
        if (allowed == null || (allowed && !(name in allowed))) {
            reject(line, "the sandbox does not permit ${type}.${name}")
        }
    }

    /** Returns the last name of the class before a dot, or null; before names are resolved a class is a variable. */
    private static String typeName(Expression expression) {
        if (expression instanceof ClassExpression) {
            return expression.type.nameWithoutPackage
        }
        String text = expression instanceof VariableExpression ? expression.name
                : expression instanceof PropertyExpression ? expression.propertyAsString : null
        boolean plain = expression instanceof VariableExpression || isPackage(expression)
        return text != null && plain && text ==~ /[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*|UUID/ ? text : null
    }

    private static boolean isPackage(Expression expression) {
        return expression.text ==~ /(?!env\.|params\.)([a-z][a-z0-9]*\.)+[A-Z]\w*/
    }

    private static boolean takesClosure(MethodCallExpression call) {
        return call.arguments instanceof TupleExpression &&
                ((TupleExpression) call.arguments).expressions.any { Expression it -> it instanceof ClosureExpression }
    }

    private void reject(int line, String message) {
        found.add(new Finding(line, message))
    }
}
