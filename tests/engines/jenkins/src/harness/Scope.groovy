package harness

import groovy.transform.CompileStatic
import hudson.model.Result

/** What surrounds a running step; all but the variables is inherited from the parent when not set. */
@CompileStatic
class Scope {
    final Scope parent
    /** Variables that this block adds; an empty value takes a variable away. */
    final Map<String, String> variables
    Allocation agent
    File folder
    StageRecord stage
    /** The manifest of the pod around. */
    String pod
    List<String> branches = []
    List<String> secrets = []
    /** In `post`: what the build would end with if this stage were its last. */
    Result outcome

    Scope(Scope parent, Map<String, String> variables = [:]) {
        this.parent = parent
        this.variables = variables
        if (parent != null) {
            agent = parent.agent
            folder = parent.folder
            stage = parent.stage
            pod = parent.pod
            branches = parent.branches
            secrets = parent.secrets
            outcome = parent.outcome
        }
    }

    boolean isWithin(Scope other) {
        for (Scope scope = this; scope != null; scope = scope.parent) {
            if (scope.is(other)) {
                return true
            }
        }
        return false
    }

    /** Returns all variables seen from here, given those of the build. */
    Map<String, String> environment(Map<String, String> base) {
        List<Scope> chain = []
        for (Scope scope = this; scope != null; scope = scope.parent) {
            chain.add(0, scope)
        }
        Map<String, String> seen = new TreeMap<>(base)
        chain.each { Scope scope ->
            scope.variables.each { String name, String value -> set(seen, name, value) }
        }
        return seen
    }

    /** As Jenkins: `PATH+NAME` puts a folder in front, and an empty value removes the variable. */
    private static void set(Map<String, String> seen, String name, String value) {
        int plus = name.indexOf('+')
        if (plus > 0) {
            String plain = name.substring(0, plus)
            seen[plain] = seen[plain] ? value + File.pathSeparator + seen[plain] : value
        } else if (value.isEmpty()) {
            seen.remove(name)
        } else {
            seen[name] = value
        }
    }
}
