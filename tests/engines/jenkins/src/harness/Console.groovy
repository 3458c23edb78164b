package harness

import groovy.transform.CompileStatic

/** The log of a build, with secrets masked. */
@CompileStatic
class Console {
    private final Writer writer

    Console(File file) {
        writer = file.newWriter('UTF-8')
    }

    synchronized void line(String text, List<String> secrets = Threads.scope.secrets) {
        writer.write(mask(text, secrets) + '\n')
        writer.flush()
    }

    synchronized void close() {
        writer.close()
    }

    private static String mask(String text, List<String> secrets) {
        String masked = text
        secrets.sort(false) { String secret -> -secret.length() }.each { String secret ->
            masked = masked.replace(secret, '****')
        }
        return masked
    }

    /** Returns what hides *secret* in a log: each line of it, as it is and as shells quote it when they trace. */
    static List<String> patterns(String secret) {
        return secret.readLines().findAll { String line -> !line.isEmpty() }.collectMany { String line ->
            [line, line.replace("'", "'\\''"), line.replace("'", "'\"'\"'")].unique()
        }
    }
}
