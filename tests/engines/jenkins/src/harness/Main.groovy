package harness

import groovy.json.JsonOutput
import groovy.transform.CompileStatic
import hudson.AbortException
import hudson.model.Result
import org.codehaus.groovy.control.MultipleCompilationErrorsException
import org.jenkinsci.plugins.scriptsecurity.sandbox.RejectedAccessException
import org.jenkinsci.plugins.workflow.steps.FlowInterruptedException

/** Runs one Jenkinsfile, and writes down what happened. */
@CompileStatic
class Main {
    /** Errors whose message says it all. */
    private static final List<Class> EXPECTED = [
            AbortException, FlowInterruptedException, MultipleCompilationErrorsException, RejectedAccessException,
    ]

    static void main(String[] arguments) {
        Settings settings = Settings.read(new File(arguments[0]))
        Build build = new Build(settings)
        Throwable failure = null
        Scope outermost = new Scope(null)
        build.threads.after((long) (settings.seconds * 1000)) {
            build.console.line('Aborted: the time for the whole build is up', [])
            build.threads.cancel(outermost, new FlowInterruptedException(Result.ABORTED, 'Aborted by the harness'))
        }
        build.threads.run(outermost) {
            try {
                build.evaluate(settings.script)
                if (Saved.failure != null) {
                    throw Saved.failure
                }
            } catch (Throwable error) {
                failure = error
                report(build, error)
            }
            build.console.line("Finished: ${build.result ?: Result.SUCCESS}")
        }
        build.console.close()
        settings.report.setText(JsonOutput.toJson(outcome(build, failure)), 'UTF-8')
        System.exit(0)
    }

    private static void report(Build build, Throwable error) {
        build.worsen(error instanceof FlowInterruptedException ? error.result : Result.FAILURE)
        List<Integer> lines = lines(error)
        String place = lines ? " (${Compiler.NAME}: line ${lines.join(', ')})" : ''
        build.console.line("ERROR: ${error.message ?: error.class.name}${place}")
        if (!EXPECTED.any { Class it -> it.isInstance(error) }) {
            build.console.line(error.class.name)
            frames(error, ['harness.', Compiler.NAME]).each { StackTraceElement it ->
                build.console.line("    at ${it}")
            }
        }
    }

    private static List<StackTraceElement> frames(Throwable error, List<String> prefixes) {
        return error.stackTrace.toList().findAll { StackTraceElement it ->
            it.lineNumber > 0 && prefixes.any { String prefix -> it.className.startsWith(prefix) }
        }
    }

    /** Returns the lines of the Jenkinsfile on the stack, innermost first. */
    private static List<Integer> lines(Throwable error) {
        return frames(error, [Compiler.NAME]).collect { StackTraceElement it -> it.lineNumber }.unique()
    }

    private static Map<String, Object> describe(Throwable error) {
        return [type: error.class.name, message: error.message ?: '', lines: lines(error)] as Map<String, Object>
    }

    private static Map<String, Object> outcome(Build build, Throwable failure) {
        return [
                result    : (build.result ?: Result.SUCCESS).name(),
                error     : failure == null ? null : describe(failure),
                stages    : build.stages.toList(),
                archived  : build.archived,
                mails     : build.mails,
                containers: build.containers,
                builds    : build.builds,
                inputs    : build.inputs.collect { Map<String, Object> it -> it.message },
                reports   : build.reports,
                crons     : build.crons,
                stashes   : build.stashes,
                parameters: build.parameters.toMap(),
                name      : build.displayName,
                description: build.description,
        ] as Map<String, Object>
    }
}
