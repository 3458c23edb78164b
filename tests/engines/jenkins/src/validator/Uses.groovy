package validator

import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import groovy.transform.CompileStatic
import harness.Compiler
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.ClassHelper
import org.codehaus.groovy.ast.ClassNode
import org.codehaus.groovy.ast.DynamicVariable
import org.codehaus.groovy.ast.FieldNode
import org.codehaus.groovy.ast.MethodNode
import org.codehaus.groovy.ast.Variable
import org.codehaus.groovy.ast.expr.*
import org.codehaus.groovy.control.CompilationUnit
import org.codehaus.groovy.control.Phases
import org.codehaus.groovy.control.SourceUnit

/**
 * Lists what Jenkinsfiles use of Java, Groovy and Jenkins, as words that a list of permitted signatures can answer:
 *
 *     call NAME              a bare call: a function of the file, or a step
 *     method TYPE NAME N     a method with N arguments; TYPE is `?` where no declaration tells it
 *     static TYPE NAME N     a static method
 *     new TYPE N             a constructor
 *     property TYPE NAME     a property that is read or set
 *     field TYPE NAME        a static field
 *     cast TYPE              a cast
 *     global NAME            a name that is declared nowhere in the file
 */
@CompileStatic
class Uses {
    /** What operators are called as methods, which the sandbox asks for. */
    private static final Map<String, String> OPERATORS = [
            '+' : 'plus', '-': 'minus', '*': 'multiply', '/': 'div', '%': 'mod', '**': 'power', '<<': 'leftShift',
            '[' : 'getAt', '=~': 'findRegex', '==~': 'matchRegex', 'in': 'isCase', '|': 'or', '&': 'and', '^': 'xor',
            '+=': 'plus', '-=': 'minus',
    ]
    private final Set<String> found = new TreeSet<>()
    /** The names that `environment` sets. */
    private final Set<String> set = new TreeSet<>()
    private final Map<String, String> fields

    private Uses(Map<String, String> fields) {
        this.fields = fields
    }

    static void main(String[] arguments) {
        Map<String, Object> request = (Map<String, Object>) new JsonSlurper().parse(new File(arguments[0]), 'UTF-8')
        Map<String, Object> answers = [:]
        ((Map<String, String>) request.texts).each { String name, String text -> answers[name] = of(text) }
        new File(arguments[1]).setText(JsonOutput.toJson(answers), 'UTF-8')
    }

    static Map<String, Object> of(String text) {
        CompilationUnit unit = new CompilationUnit(Compiler.configuration(), null, new GroovyClassLoader(Uses.classLoader))
        SourceUnit source = unit.addSource("${Compiler.NAME}.groovy", text)
        unit.compile(Phases.SEMANTIC_ANALYSIS)
        ClassNode script = source.AST.classes[0]
        Uses uses = new Uses(script.fields.collectEntries { FieldNode it -> [it.name, it.originType.name] } as Map<String, String>)
        script.methods.findAll { MethodNode it -> it.name != 'main' }.each { MethodNode it ->
            Tree.each(it.code) { ASTNode node -> uses.noteSet(node) }
            uses.read(it.code)
        }
        script.fields.each { FieldNode it -> uses.read(it.initialValueExpression) }
        List<String> functions = script.methods*.name.findAll { String it -> !(it in ['run', 'main']) }
        return [uses: uses.found.toList(), own: functions.unique() + script.fields*.name] as Map<String, Object>
    }

    private void read(ASTNode code) {
        if (code != null) {
            Tree.each(code) { ASTNode it -> note(it) }
        }
    }

    private void note(ASTNode node) {
        switch (node) {
            case MethodCallExpression: noteCall((MethodCallExpression) node); break
            case StaticMethodCallExpression:
                StaticMethodCallExpression call = (StaticMethodCallExpression) node
                found.add("static ${call.ownerType.name} ${call.method} ${count(call.arguments)}".toString())
                break
            case ConstructorCallExpression:
                ConstructorCallExpression made = (ConstructorCallExpression) node
                found.add("new ${made.type.name} ${count(made.arguments)}".toString())
                break
            case PropertyExpression: noteProperty((PropertyExpression) node); break
            case BinaryExpression: noteOperator((BinaryExpression) node); break
            case CastExpression: found.add("cast ${((CastExpression) node).type.name}".toString()); break
            case VariableExpression: noteName((VariableExpression) node); break
            case MethodPointerExpression: found.add('pointer'); break
            case DeclarationExpression: break
        }
    }

    private void noteCall(MethodCallExpression call) {
        String name = call.methodAsString
        if (name == null) {
            found.add('method ? computed 0')
        } else if (call.implicitThis) {
            found.add("call ${name}".toString())
        } else if (call.objectExpression instanceof ClassExpression) {
            found.add("static ${call.objectExpression.type.name} ${name} ${count(call.arguments)}".toString())
        } else {
            found.add("method ${typeOf(call.objectExpression)} ${name} ${count(call.arguments)}".toString())
        }
    }

    private void noteProperty(PropertyExpression access) {
        String name = access.propertyAsString
        if (access.objectExpression instanceof ClassExpression) {
            found.add("field ${access.objectExpression.type.name} ${name}".toString())
        } else {
            found.add("property ${typeOf(access.objectExpression)} ${name}".toString())
        }
    }

    private void noteOperator(BinaryExpression operation) {
        String name = OPERATORS[operation.operation.text]
        if (name != null) {
            found.add("method ${typeOf(operation.leftExpression)} ${name} 1".toString())
        } else if (operation.operation.text == '=' && operation.leftExpression instanceof BinaryExpression) {
            BinaryExpression place = (BinaryExpression) operation.leftExpression
            found.add("method ${typeOf(place.leftExpression)} putAt 2".toString())
        }
    }

    private void noteSet(ASTNode node) {
        if (node instanceof BinaryExpression && node.operation.text == '=' && node.leftExpression instanceof VariableExpression) {
            set.add(((VariableExpression) node.leftExpression).name)
        }
    }

    private void noteName(VariableExpression name) {
        boolean isOpen = name.accessedVariable == null || name.accessedVariable instanceof DynamicVariable
        if (isOpen && !(name.name in set) && !name.thisExpression && !name.superExpression) {
            found.add("global ${name.name}".toString())
        }
    }

    /** Returns what an expression is as far as the file tells it, else `?`; a name that it does not declare is itself. */
    private String typeOf(Expression expression) {
        switch (expression) {
            case GStringExpression: return 'groovy.lang.GString'
            case ListExpression: return 'java.util.List'
            case MapExpression: return 'java.util.Map'
            case ConstantExpression:
            case ConstructorCallExpression:
            case CastExpression: return expression.type.name
            case VariableExpression: return typeOfName((VariableExpression) expression)
            case BinaryExpression:
                boolean adds = ((BinaryExpression) expression).operation.text == '+'
                return adds ? typeOf(((BinaryExpression) expression).leftExpression) : '?'
            default: return '?'
        }
    }

    private String typeOfName(VariableExpression name) {
        Variable declared = name.accessedVariable
        if (declared == null || declared instanceof DynamicVariable) {
            return name.thisExpression ? 'this' : fields[name.name] ?: name.name
        }
        ClassNode type = declared.originType
        return type == ClassHelper.OBJECT_TYPE || type == ClassHelper.DYNAMIC_TYPE ? '?' : type.name
    }

    private static int count(Expression arguments) {
        return arguments instanceof TupleExpression ? ((TupleExpression) arguments).expressions.size() : 1
    }
}
