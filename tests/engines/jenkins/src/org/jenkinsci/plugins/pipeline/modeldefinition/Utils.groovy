package org.jenkinsci.plugins.pipeline.modeldefinition

import groovy.transform.CompileStatic
import harness.Build

/** The one function that scripts may call to draw a stage as skipped. */
@CompileStatic
class Utils {
    static void markStageSkippedForConditional(String stageName) {
        Build.current.stages.markSkipped(stageName)
    }
}
