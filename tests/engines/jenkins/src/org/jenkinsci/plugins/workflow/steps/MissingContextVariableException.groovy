package org.jenkinsci.plugins.workflow.steps

import groovy.transform.CompileStatic

/** A step that needs an agent was called where there is none. */
@CompileStatic
class MissingContextVariableException extends Exception {
    MissingContextVariableException(String step) {
        super("Required context class hudson.FilePath is missing: the ${step} step stands in no node")
    }
}
