package org.jenkinsci.plugins.workflow.steps

import groovy.transform.CompileStatic
import hudson.model.Result

/** A step that was stopped from outside: by a timeout, a failed sibling or a person. */
@CompileStatic
class FlowInterruptedException extends InterruptedException {
    final Result result
    /** False once the timeout step that asked for it has seen it: from there on `retry` may try again. */
    boolean actualInterruption = true

    FlowInterruptedException(Result result, String reason) {
        super(reason)
        this.result = result
    }
}
