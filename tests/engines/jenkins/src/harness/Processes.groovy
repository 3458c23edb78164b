package harness

import groovy.transform.CompileStatic

/** Starts programs in a session of their own, and ends them as Jenkins does. */
@CompileStatic
class Processes {
    private final long patience

    Processes(double seconds) {
        patience = (long) (seconds * 1000)
    }

    Process start(List<String> command, File folder, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder((['setsid'] + command) as List<String>).directory(folder)
        builder.environment().clear()
        builder.environment().putAll(environment)
        Process process = builder.start()
        process.outputStream.close()
        return process
    }

    /** Ends *process*: its children first, each told by TERM, then by KILL; last whatever else its session holds. */
    void stop(Process process) {
        endTree(process.toHandle())
        signal('KILL', "-${process.pid()}")
    }

    /** Ends all processes that carry *cookie* in their environment, wherever they have moved to. */
    void stopAll(String cookie) {
        byte[] wanted = "JENKINS_NODE_COOKIE=${cookie}\0".getBytes('UTF-8')
        new File('/proc').list().findAll { String name -> name.isLong() }.each { String pid ->
            if (holds(new File("/proc/${pid}/environ"), wanted)) {
                ProcessHandle.of(pid as long).ifPresent { ProcessHandle handle -> endTree(handle) }
            }
        }
    }

    private void endTree(ProcessHandle handle) {
        handle.children().iterator().each { ProcessHandle child -> endTree(child) }
        signal('TERM', handle.pid() as String)
        long end = System.nanoTime() + patience * 1_000_000L
        while (isRunning(handle) && System.nanoTime() < end) {
            Thread.sleep(5)
        }
        if (isRunning(handle)) {
            signal('KILL', handle.pid() as String)
        }
    }

    /** A process that ended and that nobody has waited for does not count. */
    private static boolean isRunning(ProcessHandle handle) {
        try {
            return handle.alive && !new File("/proc/${handle.pid()}/stat").text.replaceAll(/(?s).*\) /, '').startsWith('Z')
        } catch (IOException gone) {
            return false
        }
    }

    private static void signal(String name, String target) {
        Process kill = new ProcessBuilder('kill', "-${name}".toString(), '--', target)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
        kill.waitFor()
    }

    private static boolean holds(File environ, byte[] wanted) {
        try {
            return new String(environ.bytes, 'ISO-8859-1').contains(new String(wanted, 'ISO-8859-1'))
        } catch (IOException gone) {
            return false
        }
    }
}
