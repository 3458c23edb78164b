package harness

import groovy.transform.CompileStatic

/** An `options` section: switches, and steps that stand around all the rest. */
@CompileStatic
class Options {
    private static final Set<String> SWITCHES = '''
            skipDefaultCheckout preserveStashes parallelsAlwaysFailFast skipStagesAfterUnstable
            checkoutToSubdirectory buildDiscarder disableConcurrentBuilds disableResume durabilityHint
            quietPeriod newContainerPerStage overrideIndexTriggers disableRestartFromStage
            rateLimitBuilds githubProjectProperty authorizationMatrix
    '''.tokenize().toSet()
    private final Build build
    private final List<Symbol> calls

    Options(Build build, List<Symbol> calls) {
        this.build = build
        this.calls = calls
    }

    /** Returns these options and *others*. */
    Options with(Options others) {
        return new Options(build, others.calls + calls)
    }

    boolean has(String name) {
        Symbol found = calls.find { Symbol it -> it.name == name }
        return found != null && !(found.arguments.values().any { Object it -> it == [false] || it == false })
    }

    String value(String name) {
        Symbol found = calls.find { Symbol it -> it.name == name }
        return found == null ? null : ((List) found.arguments.arguments)[0] as String
    }

    /** Runs *body* inside the steps among the options, the first outermost. */
    void around(Closure body) {
        wrap(calls.findAll { Symbol it -> !(it.name in SWITCHES) }, body)
    }

    /** As Jenkins: what stands inside `retry` is used up by the first try, so that a second one has no `timeout`. */
    private Object wrap(List<Symbol> left, Closure body) {
        if (left.isEmpty()) {
            return body.call()
        }
        Symbol next = left.remove(0)
        List arguments = (List) next.arguments.arguments + [{ wrap(left, body) }]
        return build.steps.call(next.name, arguments as Object[])
    }
}
