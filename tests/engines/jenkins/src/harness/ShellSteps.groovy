package harness

import groovy.transform.CompileStatic
import hudson.AbortException
import org.jenkinsci.plugins.workflow.steps.FlowInterruptedException

/** The `sh` step: a real process, its output in the log, its status the outcome. */
@CompileStatic
class ShellSteps extends StepFamily {
    /** How long output may still come after the shell has ended; who writes longer is in the background. */
    private static final long LINGER = 300

    ShellSteps(Build build) {
        super(build)
    }

    @Step(first = 'script', required = ['script'], needsNode = true,
            others = ['returnStdout', 'returnStatus', 'label', 'encoding'])
    Object sh(Map<String, Object> given, Closure body) {
        if (given.returnStdout == true && given.returnStatus == true) {
            throw new IllegalArgumentException('returnStdout and returnStatus cannot both be true')
        }
        build.console.line("[Pipeline] sh${given.label == null ? '' : ' (' + given.label + ')'}")
        Map<String, String> environment = build.environment()
        File folder = scope.folder
        List<String> command = command((String) given.script)
        boolean capture = given.returnStdout == true
        return build.threads.await { Threads.Waiting waiting ->
            execute(command, folder, environment, capture, given, waiting)
        }
    }

    private Object execute(List<String> command, File folder, Map<String, String> environment, boolean capture,
                           Map<String, Object> given, Threads.Waiting waiting) {
        folder.mkdirs()
        Process process = build.processes.start(command, folder, environment)
        waiting.onCancel = { Thread.start { build.processes.stop(process) } }
        if (waiting.cause != null) {
            waiting.onCancel.run()
        }
        ByteArrayOutputStream captured = new ByteArrayOutputStream()
        Thread output = capture ? Thread.startDaemon { captured << process.inputStream } : follow(process.inputStream)
        Thread errors = follow(process.errorStream)
        int status = build.processes.waitFor(process)
        [output, errors].each { Thread thread -> thread.join(LINGER) }
        return outcome(status, captured, given, waiting.cause)
    }

    /** As Jenkins: an interrupted script that ends with status 0 has done its work. */
    private Object outcome(int status, ByteArrayOutputStream captured, Map<String, Object> given,
                           FlowInterruptedException cause) {
        String text = captured.toString('UTF-8')
        if (given.returnStatus == true && cause == null) {
            return status
        }
        if (status == 0) {
            return given.returnStatus == true ? (Object) 0 : given.returnStdout == true ? text : null
        }
        text.eachLine { String line -> build.console.line(line) }
        if (cause != null) {
            build.console.line("script returned exit code ${status}")
            throw cause
        }
        throw new AbortException("script returned exit code ${status}")
    }

    /** As Jenkins: the text is a file beside the workspace, run with `-xe` unless it names its own interpreter. */
    private List<String> command(String text) {
        File control = new File(scope.agent.temporary, "durable-${UUID.randomUUID().toString().substring(0, 8)}")
        control.mkdirs()
        File script = new File(control, 'script.sh')
        Processes.write(script, text.replace('\r\n', '\n'))
        return text.startsWith('#!') ? [script.path] : build.settings.shell + ['-xe', script.path]
    }

    private Thread follow(InputStream stream) {
        List<String> secrets = scope.secrets
        return Thread.startDaemon {
            stream.eachLine('UTF-8') { String line -> build.console.line(line, secrets) }
        }
    }
}
