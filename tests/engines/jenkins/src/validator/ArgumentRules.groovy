package validator

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.ASTNode
import org.codehaus.groovy.ast.expr.Expression
import org.codehaus.groovy.ast.expr.MapEntryExpression
import org.codehaus.groovy.ast.expr.MapExpression
import org.codehaus.groovy.ast.expr.MethodCallExpression

/**
 * What Declarative asks of arguments: `validateDescribable` of `ModelValidatorImpl` for steps and conditions, its
 * `validateElement(ModelASTMethodCall)` for options, triggers, parameters and what these are given.
 */
@CompileStatic
class ArgumentRules {
    private static final Map<String, Class> JAVA = [
            String: String, boolean: Boolean, Boolean: Boolean, int: Number, Integer: Number, long: Number, Long: Number,
            double: Number,
    ]
    private final Report report

    ArgumentRules(Report report) {
        this.report = report
    }

    /** Checks what a step or a condition is given before its block: one value, or named ones. */
    void checkDescribable(MethodCallExpression call, Model model) {
        List<Expression> values = Ast.values(call)
        if (values.size() > 1) {
            report.add(call, "${model.what} takes one unnamed value, or named ones only")
        } else if (values && !isNamed(values[0])) {
            if (model.sole == null) {
                report.add(call, "${model.what} takes no unnamed value")
            } else {
                checkType(call, model, model.sole, values[0])
            }
        } else {
            checkNamed(call, model, Ast.named(call))
        }
    }

    /** Checks an option, a trigger, a parameter, or a value that one of these is given. */
    void checkMethodCall(MethodCallExpression call, Model model) {
        List<Expression> values = Ast.values(call)
        if (values.any { Expression it -> it instanceof MapExpression }) {
            Map<String, Expression> named = Ast.named(call)
            checkKnown(call, model, named)
            named.each { String key, Expression value -> checkValue(call, model, key, value) }
            checkPrimitives(call, model, named)
        } else if (values.size() != model.required.size() && !isBareSwitch(values, model)) {
            String many = "${model.required.size()} unnamed value${model.required.size() == 1 ? '' : 's'}"
            report.add(call, "${model.what} takes ${many}, not ${values.size()}")
        } else if (values.size() > 1) {
            report.add(call, "${model.what} takes named values")
        } else if (values) {
            checkValue(call, model, model.sole, values[0])
        }
    }

    /** Returns whether an argument is a map of named ones, and no object `[$class: …]`. */
    private static boolean isNamed(Expression argument) {
        return argument instanceof MapExpression && !argument.mapEntryExpressions.any { MapEntryExpression it ->
            it.keyExpression.text == '$class'
        }
    }

    /** Returns whether nothing is given to what requires one Boolean, which Jenkins takes (JENKINS-41391). */
    private static boolean isBareSwitch(List<Expression> values, Model model) {
        return values.isEmpty() && model.sole != null && model.types[model.sole] == 'Boolean'
    }

    private void checkNamed(MethodCallExpression call, Model model, Map<String, Expression> named) {
        Model object = objectOf(model)
        if (object != null && named.keySet().any { String it -> !model.types.containsKey(it) }) {
            checkNamed(call, object, named)
            return
        }
        if (checkKnown(call, model, named)) {
            model.required.keySet().findAll { String it -> !named.containsKey(it) }.each { String it ->
                report.add(call, "${model.what} lacks \"${it}\"")
            }
        }
        named.each { String key, Expression value -> checkType(call, model, key, value) }
    }

    /** Returns the object whose keys may stand for the only required parameter; null where that is none. */
    private Model objectOf(Model model) {
        List<String> type = model.sole == null ? [] : model.types[model.sole].tokenize()
        return type && type[0] == 'object' ? report.facts.model('objects', type[1], model.what) : null
    }

    /** Returns whether all *named* arguments are known; others are reported. */
    private boolean checkKnown(ASTNode call, Model model, Map<String, Expression> named) {
        Collection<String> unknown = named.keySet().findAll { String it -> !model.types.containsKey(it) }
        unknown.each { String it -> report.add(call, "${model.what} does not know \"${it}\"") }
        return unknown.isEmpty()
    }

    /** Numbers have no default that Java could give them: without them, nothing can be made. */
    private void checkPrimitives(ASTNode call, Model model, Map<String, Expression> named) {
        model.required.findAll { String key, String type -> type == 'int' && !named.containsKey(key) }.each {
            report.add(call, "${model.what} lacks \"${it.key}\"")
        }
    }

    private void checkValue(ASTNode call, Model model, String key, Expression value) {
        if (value instanceof MethodCallExpression && value.implicitThis) {
            Model inner = report.facts.value(value.methodAsString)
            if (inner != null) {
                checkMethodCall((MethodCallExpression) value, inner)
            }
        } else {
            checkType(call, model, key, value)
        }
    }

    /** Checks a literal; what is worked out may be of any type. */
    void checkType(ASTNode call, Model model, String key, Expression value) {
        Object constant = Ast.constant(value)
        List<String> type = (model.types[key] ?: '').tokenize()
        if (constant == null || type.isEmpty()) {
            return
        }
        String name = type[0]
        if (name == 'enum' && !(constant in type.drop(1))) {
            report.add(call, "\"${key}\" of ${model.what} is \"${constant}\", which is none of ${type.drop(1).join(', ')}")
        } else if (name in ['list', 'object']) {
            report.add(call, "\"${key}\" of ${model.what} is no ${name}")
        } else if (JAVA.containsKey(name) && !JAVA[name].isInstance(constant)) {
            report.add(call, "\"${key}\" of ${model.what} is no ${JAVA[name].simpleName}")
        }
    }
}
