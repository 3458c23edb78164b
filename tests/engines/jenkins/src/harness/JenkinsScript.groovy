package harness

import groovy.transform.CompileStatic
import hudson.model.Result
import java.lang.reflect.Field
import org.codehaus.groovy.runtime.typehandling.DefaultTypeTransformation
import org.jenkinsci.plugins.scriptsecurity.sandbox.RejectedAccessException

/** What a Jenkinsfile becomes: a script whose unknown calls are steps, its unknown names globals or variables. */
@CompileStatic
abstract class JenkinsScript extends Script {
    @Override
    Object invokeMethod(String name, Object given) {
        Object[] arguments = given instanceof Object[] ? (Object[]) given : [given] as Object[]
        if (name == 'pipeline' && arguments.length == 1 && arguments[0] instanceof Closure) {
            return new Declarative(this, Build.current).run((Closure) arguments[0])
        }
        String step = name == Compiler.SLEEP ? 'sleep' : name
        if (!Build.current.steps.isSymbol(step)) {
            Saved.check(step, this, arguments)
        }
        return Build.current.steps.call(step, arguments)
    }

    @Override
    Object evaluate(String text) {
        return Compiler.script(text, Build.current).run()
    }

    @Override
    Object getProperty(String name) {
        switch (name) {
            case 'env':
                return new Environment(Build.current)
            case 'params':
                return Build.current.parameters.toMap()
            case 'currentBuild':
                return new CurrentBuild(Build.current)
            case 'docker':
                return new Docker(Build.current)
            case 'scm':
                return Build.current.scm
            case 'steps':
                return this
        }
        if (!binding.hasVariable(name) && !metaClass.hasProperty(this, name)) {
            Object parameter = Build.current.parameters.get(name)
            String variable = Build.current.environment()[name]
            if (variable != null || parameter != null) {
                return variable ?: parameter
            }
        }
        return super.getProperty(name)
    }

    /** As in Jenkins, functions read the value that a closure assigns to a variable with `@Field`. */
    @Override
    void setProperty(String name, Object value) {
        Field field = Saved.field(getClass(), name)
        if (field == null) {
            super.setProperty(name, value)
        } else {
            field.set(this, DefaultTypeTransformation.castToType(value, field.type))
        }
    }

    @Override
    void print(Object value) {
        Build.current.console.line(value as String)
    }

    @Override
    void println(Object value) {
        Build.current.console.line(value as String)
    }

    @Override
    void println() {
        Build.current.console.line('')
    }
}

/** The global `env`. */
@CompileStatic
class Environment {
    private final Build build

    Environment(Build build) {
        this.build = build
    }

    Object getProperty(String name) {
        return name == 'environment' ? build.environment() : build.environment()[name]
    }

    void setProperty(String name, Object value) {
        // As in Jenkins 2.479.3: null is the text "null".
        build.variables[name] = String.valueOf(value)
    }

    Map<String, String> getEnvironment() {
        return build.environment()
    }

    Object getAt(String name) {
        throw rejected('getAt java.lang.Object java.lang.String')
    }

    void putAt(String name, Object value) {
        throw rejected('putAt java.lang.Object java.lang.String java.lang.Object')
    }

    /** The sandbox permits `env.NAME` and `env.getProperty(name)`, but not `env[name]`, which is a method of Groovy's. */
    private static RejectedAccessException rejected(String method) {
        return new RejectedAccessException(
                "Scripts not permitted to use staticMethod org.codehaus.groovy.runtime.DefaultGroovyMethods ${method}")
    }
}

/** The global `currentBuild`. */
@CompileStatic
class CurrentBuild {
    private final Build build

    CurrentBuild(Build build) {
        this.build = build
    }

    String getResult() {
        Result seen = Threads.scope.outcome
        Result own = build.result
        return (own == null || (seen != null && seen.isWorseThan(own)) ? seen : own)?.name()
    }

    void setResult(String name) {
        build.worsen(Result.fromString(name))
    }

    String getCurrentResult() {
        return result ?: 'SUCCESS'
    }

    boolean resultIsBetterOrEqualTo(String name) {
        return !Result.fromString(currentResult).isWorseThan(Result.fromString(name))
    }

    boolean resultIsWorseOrEqualTo(String name) {
        return !Result.fromString(name).isWorseThan(Result.fromString(currentResult))
    }

    /** As Jenkins: the build before, with its result alone; null without one. */
    Map<String, String> getPreviousBuild() {
        return build.settings.previousResult ? [result: build.settings.previousResult] : null
    }

    long getStartTimeInMillis() {
        return build.started
    }

    long getDuration() {
        return Clock.now() - build.started
    }

    String getDurationString() {
        return "${duration} ms and counting"
    }

    /** As Jenkins: what started the build, each with the name of its class. */
    List<Map<String, String>> getBuildCauses() {
        return build.settings.causes.collect { String cause ->
            Map<String, String> made = [_class: cause, shortDescription: "Started by ${cause}".toString()]
            made + (cause == 'hudson.model.Cause$UserIdCause' ? [userId: 'jo', userName: 'Jo'] : [:])
        }
    }

    /** As Jenkins: those of the class with this name alone. */
    List<Map<String, String>> getBuildCauses(String name) {
        return buildCauses.findAll { Map<String, String> cause -> cause._class == name }
    }

    int getNumber() {
        return build.settings.number
    }

    String getId() {
        return build.settings.number as String
    }

    String getDisplayName() {
        return build.displayName
    }

    void setDisplayName(String name) {
        build.displayName = name
    }

    String getFullDisplayName() {
        return "${build.settings.job} ${build.displayName}"
    }

    String getFullProjectName() {
        return build.settings.job
    }

    String getProjectName() {
        return build.settings.job.tokenize('/').last()
    }

    String getDescription() {
        return build.description
    }

    void setDescription(String text) {
        build.description = text
    }
}
