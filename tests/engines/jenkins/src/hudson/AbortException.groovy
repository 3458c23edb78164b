package hudson

import groovy.transform.CompileStatic

/** A failure that is told in one line, without a stack. */
@CompileStatic
class AbortException extends IOException {
    AbortException(String message) {
        super(message)
    }
}
