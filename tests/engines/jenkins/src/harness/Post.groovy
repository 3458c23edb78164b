package harness

import groovy.transform.CompileStatic
import hudson.model.Result
import org.jenkinsci.plugins.workflow.steps.FlowInterruptedException

/** Runs `post` sections, the conditions in Jenkins' order. */
@CompileStatic
class Post {
    /** By the `ordinal` of each condition in pipeline-model-definition (`model/conditions/*.groovy`). */
    private static final List<String> ORDER = '''
            always changed fixed regression aborted success unsuccessful unstable failure notBuilt cleanup
    '''.tokenize()
    private final Build build
    private final Directives directives

    Post(Build build, Directives directives) {
        this.build = build
        this.directives = directives
    }

    Throwable runForBuild(Block root, Throwable error) {
        Throwable outcome = error
        if (conditions(root.post).keySet().any { String name -> holds(name, error) }) {
            build.steps.call('stage', ['Declarative: Post Actions', { outcome = run(root.post, error) }] as Object[])
        }
        return outcome
    }

    /**
     * Runs what holds given *error*, the rest also after a failure in one condition. Returns the first failure.
     *
     * As `runPostConditions` in ModelInterpreter.groovy of pipeline-model-definition: while a condition runs, the build
     * has the result of the stage, also for parallel stages.
     */
    Throwable run(Closure section, Throwable error) {
        Throwable first = error
        Map<String, Closure> bodies = conditions(section)
        ORDER.findAll { String name -> bodies.containsKey(name) }.each { String name ->
            if (holds(name, first)) {
                Result before = build.result
                Result logical = combined(first)
                build.replaceResult(logical)
                try {
                    Scope inner = new Scope(Threads.scope)
                    inner.outcome = logical
                    Threads.within(inner) { directives.call(bodies[name]) }
                } catch (Throwable failure) {
                    build.console.line("Error when executing ${name} post condition: ${failure.message}")
                    build.worsen(resultOf(failure))
                    first = first ?: failure
                } finally {
                    if (build.result == logical && logical != before) {
                        build.replaceResult(before)
                    }
                }
            }
        }
        return first
    }

    private boolean holds(String condition, Throwable error) {
        Result result = combined(error)
        switch (condition) {
            case 'always':
            case 'cleanup':
            case 'changed':
                return true
            case 'unsuccessful':
                return result != Result.SUCCESS
            case 'aborted':
            case 'failure':
            case 'success':
            case 'unstable':
                return result == Result.fromString(condition)
            default:
                return false
        }
    }

    private Result combined(Throwable error) {
        Result before = build.result ?: Result.SUCCESS
        Result own = resultOf(error)
        return own.isWorseThan(before) ? own : before
    }

    static Result resultOf(Throwable error) {
        if (error == null) {
            return Result.SUCCESS
        }
        return error instanceof FlowInterruptedException ? error.result : Result.FAILURE
    }

    private Map<String, Closure> conditions(Closure section) {
        return directives.calls(section).collectEntries { Symbol it -> [it.name, ((List) it.arguments.arguments)[0]] }
    }
}
