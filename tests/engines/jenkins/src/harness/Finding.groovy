package harness

import groovy.transform.CompileStatic

/** Something wrong with a Jenkinsfile, and the line of it. */
@CompileStatic
class Finding {
    final int line
    final String message

    Finding(int line, String message) {
        this.line = line
        this.message = message
    }
}
