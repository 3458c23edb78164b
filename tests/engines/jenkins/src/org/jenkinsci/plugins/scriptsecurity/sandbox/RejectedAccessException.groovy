package org.jenkinsci.plugins.scriptsecurity.sandbox

import groovy.transform.CompileStatic

/** The script uses what the sandbox does not let through. */
@CompileStatic
class RejectedAccessException extends SecurityException {
    RejectedAccessException(String message) {
        super(message)
    }
}
