package hudson.model

import groovy.transform.CompileStatic

/** How a build ended, from best to worst. */
@CompileStatic
enum Result {
    SUCCESS, UNSTABLE, FAILURE, NOT_BUILT, ABORTED

    boolean isWorseThan(Result other) {
        return ordinal() > other.ordinal()
    }

    static Result fromString(String name) {
        return values().find { it.name() == name.toUpperCase(Locale.ROOT) } ?: FAILURE
    }
}
