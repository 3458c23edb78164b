package harness

import groovy.json.JsonOutput
import groovy.transform.CompileStatic
import java.lang.annotation.ElementType
import java.lang.annotation.Retention
import java.lang.annotation.RetentionPolicy
import java.lang.annotation.Target
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import org.jenkinsci.plugins.workflow.steps.MissingContextVariableException

/** Marks a method as a pipeline step of its name. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Step {
    /** The argument that may be given without its name. */
    String first() default ''
    /** Other arguments that may be given. */
    String[] others() default []
    /** Those that must be given. */
    String[] required() default []
    /** The first argument is a map or list by itself: `checkout([$class: …])`, `parallel(a: {})`. */
    boolean takesMap() default false
    /** Steps that run in a folder of an agent. */
    boolean needsNode() default false
    /** Steps that run a block. */
    boolean takesBody() default false
}

/** A value that a symbol makes, such as `string(credentialsId: …)`. */
@CompileStatic
class Symbol {
    String name
    Map<String, Object> arguments
}

/** A family of steps. */
@CompileStatic
abstract class StepFamily {
    protected final Build build

    protected StepFamily(Build build) {
        this.build = build
    }

    protected static Scope getScope() {
        return Threads.scope
    }

    /** Returns *path* as seen from the current folder. */
    protected static File resolve(String path) {
        File file = new File(path)
        return file.absolute ? file : new File(scope.folder, path)
    }
}

/** Finds steps by name, checks and names their arguments, and calls them. */
@CompileStatic
class Steps {
    private static final Set<String> SYMBOLS = '''
            string file usernamePassword usernameColonPassword sshUserPrivateKey booleanParam choice
            text password parameters buildDiscarder logRotator disableConcurrentBuilds disableResume
            pipelineTriggers cron pollSCM upstream durabilityHint preserveStashes scmGit gitSCM
            cloneOption localBranch cleanBeforeCheckout cleanAfterCheckout submodule choiceParam
            nonresumable agent analysisParser sarif arbitraryFileCache
            overrideIndexTriggers rateLimitBuilds githubProjectProperty authorizationMatrix
    '''.tokenize().toSet()

    private final Map<String, Object> owners = [:]
    private final Map<String, Method> methods = [:]

    Steps(List<? extends StepFamily> families) {
        families.each { StepFamily family ->
            family.class.methods.findAll { Method it -> it.isAnnotationPresent(Step) }.each { Method method ->
                owners[method.name] = family
                methods[method.name] = method
            }
        }
    }

    boolean isSymbol(String name) {
        return name in SYMBOLS
    }

    Object call(String name, Object[] given) {
        if (!methods.containsKey(name)) {
            if (name in SYMBOLS) {
                return new Symbol(name: name, arguments: symbolArguments(given))
            }
            if (name in Build.current.settings.pluginSteps) {
                return noted(name, given.toList())
            }
            throw new NoSuchMethodError("No such DSL method '${name}' found among steps ${methods.keySet().sort()}")
        }
        Step step = methods[name].getAnnotation(Step)
        List arguments = given.toList()
        Closure body = takeBody(arguments)
        Map<String, Object> named = nameFirst(name, step, arguments)
        check(name, step, named, body)
        try {
            return methods[name].invoke(owners[name], named, body)
        } catch (InvocationTargetException error) {
            throw error.targetException
        }
    }

    /** Writes a step that is not here into the log, and runs its block. */
    private static Object noted(String name, List arguments) {
        Closure body = takeBody(arguments)
        String agent = Threads.scope.agent?.node?.name
        Build.current.console.line("[plugin] ${name} ${JsonOutput.toJson(plain(arguments))} on ${agent}")
        return body == null ? null : body.call()
    }

    /** Returns *value* with all text in it plain, as a step gets it. */
    static Object plain(Object value) {
        if (value instanceof GString) {
            return value.toString()
        }
        if (value instanceof Map) {
            return ((Map) value).collectEntries { Object key, Object it -> [plain(key), plain(it)] }
        }
        return value instanceof List ? ((List) value).collect { Object it -> plain(it) } : value
    }

    private static Map<String, Object> symbolArguments(Object[] given) {
        if (given.length == 0) {
            return [:]
        }
        Object first = plain(given[0])
        return first instanceof Map ? (Map<String, Object>) first : [value: first]
    }

    private static Closure takeBody(List arguments) {
        boolean hasBody = !arguments.isEmpty() && arguments.last() instanceof Closure
        return hasBody ? (Closure) arguments.remove(arguments.size() - 1) : null
    }

    private static Map<String, Object> nameFirst(String name, Step step, List arguments) {
        if (arguments.isEmpty()) {
            return [:]
        }
        if (arguments.size() > 1) {
            throw new IllegalArgumentException("Expected named arguments but got ${arguments} for step ${name}")
        }
        if (arguments[0] instanceof Map && !isWhole(step, (Map) arguments[0])) {
            return (Map<String, Object>) plain(arguments[0])
        }
        if (step.first().isEmpty()) {
            throw new IllegalArgumentException("Step ${name} takes no unnamed argument")
        }
        return [(step.first()): plain(arguments[0])]
    }

    private static boolean isWhole(Step step, Map given) {
        return step.takesMap() && !given.containsKey(step.first())
    }

    private static void check(String name, Step step, Map<String, Object> named, Closure body) {
        List<String> allowed = step.others().toList() + [step.first()]
        List<String> unknown = (named.keySet() - allowed).toList()
        if (unknown) {
            throw new IllegalArgumentException("Unknown parameter(s) ${unknown} for step ${name}")
        }
        List<String> missing = step.required().toList().findAll { String it -> named[it] == null }
        if (missing) {
            throw new IllegalArgumentException("Missing required parameter(s) ${missing} for step ${name}")
        }
        if (step.takesBody() != (body != null)) {
            throw new IllegalStateException("Step ${name} ${body == null ? 'has no body to invoke' : 'takes no block'}")
        }
        if (step.needsNode() && Threads.scope.folder == null) {
            throw new MissingContextVariableException(name)
        }
    }
}
