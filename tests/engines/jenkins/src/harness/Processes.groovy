package harness

import groovy.transform.CompileStatic
import java.util.concurrent.ConcurrentHashMap

/** Starts programs in a session of their own, and ends them as Jenkins does. */
@CompileStatic
class Processes {
    private final long patience
    private final Set<Process> started = Collections.newSetFromMap(new ConcurrentHashMap<Process, Boolean>())

    Processes(double seconds) {
        patience = (long) (seconds * 1000)
        Runtime.runtime.addShutdownHook(new Thread(this.&killStarted))
    }

    private void killStarted() {
        started.each { Process process -> signal('KILL', "-${process.pid()}") }
    }

    /** Writes a program. No process starts meanwhile: it could inherit the open file, and running it be refused. */
    static synchronized void write(File program, String text) {
        program.setText(text, 'UTF-8')
        program.setExecutable(true)
    }

    Process start(List<String> command, File folder, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder((['setsid'] + command) as List<String>).directory(folder)
        builder.environment().clear()
        builder.environment().putAll(environment)
        Process process = launch(builder)
        started.add(process)
        process.outputStream.close()
        return process
    }

    private static synchronized Process launch(ProcessBuilder builder) {
        return builder.start()
    }

    int waitFor(Process process) {
        int status = process.waitFor()
        started.remove(process)
        return status
    }

    /** Ends *process*: its children first, each told by TERM, then by KILL; last whatever else its session holds. */
    void stop(Process process) {
        endTree(process.pid() as String)
        signal('KILL', "-${process.pid()}")
    }

    /** Ends all processes that carry *cookie* in their environment, wherever they have moved to. */
    void stopAll(String cookie) {
        String wanted = "JENKINS_NODE_COOKIE=${cookie}\0"
        running().each { String pid ->
            if (read(pid, 'environ').contains(wanted)) {
                endTree(pid)
            }
        }
    }

    private void endTree(String pid) {
        running().findAll { String other -> status(other)[1] == pid }.each { String child -> endTree(child) }
        signal('TERM', pid)
        long end = System.nanoTime() + patience * 1_000_000L
        while (isRunning(pid) && System.nanoTime() < end) {
            Thread.sleep(5)
        }
        if (isRunning(pid)) {
            signal('KILL', pid)
        }
    }

    private static List<String> running() {
        return new File('/proc').list().toList().findAll { String name -> name.isLong() }
    }

    /** A process that ended and that nobody has waited for does not count. */
    private static boolean isRunning(String pid) {
        return !(status(pid)[0] in ['Z', ''])
    }

    /** Returns the state and the parent of a process; empty texts when it is gone. */
    private static List<String> status(String pid) {
        List<String> fields = read(pid, 'stat').replaceFirst(/(?s)^.*\) /, '').tokenize(' ')
        return fields.size() > 1 ? fields[0..1] : ['', '']
    }

    private static String read(String pid, String file) {
        try {
            return new String(new File("/proc/${pid}/${file}").bytes, 'ISO-8859-1')
        } catch (IOException gone) {
            return ''
        }
    }

    private static void signal(String name, String target) {
        ProcessBuilder kill = new ProcessBuilder('kill', "-${name}".toString(), '--', target)
        launch(kill.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)).waitFor()
    }
}
