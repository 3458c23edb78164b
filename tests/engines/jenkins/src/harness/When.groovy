package harness

import groovy.transform.CompileStatic
import org.apache.tools.ant.types.selectors.SelectorUtils

/** A `when` section: asked once, at the place that it names. */
@CompileStatic
class When {
    private final Conditions conditions
    private final JenkinsScript script
    private final Closure section

    When(JenkinsScript script, Build build, Directives directives, Closure section) {
        this.script = script
        this.section = section
        conditions = new Conditions(script, build, directives, false)
        if (section != null) {
            Block.collect(section, conditions, script)
        }
    }

    /** Returns false when *place* is the one to ask at and a condition does not hold. */
    boolean passes(String place) {
        if (section == null || place != conditions.place) {
            return true
        }
        Conditions asked = new Conditions(conditions)
        Block.collect(section, asked, script)
        return asked.results.every { Boolean each -> each }
    }
}

/** The conditions of a `when`, `allOf`, `anyOf` or `not`, in order; without *asking* only the place is found out. */
@CompileStatic
class Conditions {
    final List<Boolean> results = []
    String place = 'last'
    private final JenkinsScript script
    private final Build build
    private final Directives directives
    private final boolean asking

    Conditions(JenkinsScript script, Build build, Directives directives, boolean asking) {
        this.script = script
        this.build = build
        this.directives = directives
        this.asking = asking
    }

    Conditions(Conditions other) {
        this(other.script, other.build, other.directives, true)
    }

    void beforeAgent(boolean on) {
        choose('beforeAgent', on)
    }

    void beforeInput(boolean on) {
        choose('beforeInput', on)
    }

    void beforeOptions(boolean on) {
        choose('beforeOptions', on)
    }

    private void choose(String name, boolean on) {
        List<String> order = ['beforeOptions', 'beforeInput', 'beforeAgent', 'last']
        if (on && order.indexOf(name) < order.indexOf(place)) {
            place = name
        }
    }

    void expression(Closure body) {
        ask { directives.call(body) }
    }

    void branch(Object pattern) {
        branch([pattern: pattern])
    }

    void branch(Map<String, Object> given) {
        ask { matches(given, build.environment().BRANCH_NAME) }
    }

    void tag(Object pattern) {
        tag([pattern: pattern])
    }

    void tag(Map<String, Object> given) {
        ask { matches(given, build.environment().TAG_NAME) }
    }

    void buildingTag() {
        ask { build.environment().TAG_NAME }
    }

    void changeRequest() {
        ask { build.environment().CHANGE_ID }
    }

    void environment(Map<String, Object> given) {
        ask {
            String value = build.environment()[given.name as String]
            given.ignoreCase == true ? value?.equalsIgnoreCase(given.value as String) : value == (given.value as String)
        }
    }

    void equals(Map<String, Object> given) {
        ask { Steps.plain(given.expected) == Steps.plain(given.actual) }
    }

    void triggeredBy(Object cause) {
        List<String> names = [cause as String, "${cause}Cause".toString()]
        ask { build.settings.causes.any { String each -> each.tokenize('.$').last() in names } }
    }

    void allOf(Closure section) {
        ask { nested(section).every { Boolean each -> each } }
    }

    void anyOf(Closure section) {
        ask { nested(section).any { Boolean each -> each } }
    }

    void not(Closure section) {
        ask { !nested(section)[0] }
    }

    private List<Boolean> nested(Closure section) {
        Conditions inner = new Conditions(this)
        Block.collect(section, inner, script)
        return inner.results
    }

    private void ask(Closure question) {
        if (asking) {
            results.add(question.call() as boolean)
        }
    }

    private static boolean matches(Map<String, Object> given, String value) {
        String pattern = given.pattern as String
        switch (given.comparator ?: 'GLOB') {
            case 'EQUALS':
                return value == pattern
            case 'REGEXP':
                return value != null && value.matches(pattern)
            default:
                return value != null && SelectorUtils.matchPath(pattern, value, false)
        }
    }
}
