package hudson.plugins.git

import groovy.transform.CompileStatic

/** A command of git that has failed. */
@CompileStatic
class GitException extends RuntimeException {
    GitException(String message) {
        super(message)
    }
}
