package validator

import groovy.transform.CompileStatic

/** The parameters of a step, an option and so on, with their types; *what* names it in messages. */
@CompileStatic
class Model {
    final String what
    final Map<String, Object> entry

    Model(String what, Map<String, Object> entry) {
        this.what = what
        this.entry = entry
    }

    Map<String, String> getRequired() {
        return (Map<String, String>) (entry.required ?: [:])
    }

    /** Returns the types of all parameters by their names. */
    Map<String, String> getTypes() {
        return required + (Map<String, String>) (entry.optional ?: [:])
    }

    /** Returns the only required parameter, which may be given without its name; null where there is none. */
    String getSole() {
        return required.size() == 1 ? required.keySet().first() : null
    }
}

/** What a running Jenkins says of its steps, options and so on: `facts.json`. */
@CompileStatic
class Facts {
    private final Map<String, Object> facts

    Facts(Map<String, Object> facts) {
        this.facts = facts
    }

    /** Returns the names that a section knows, such as the conditions of `post`. */
    Collection<String> names(String section) {
        Object found = facts[section]
        Collection<String> known = found instanceof Map ? ((Map<String, Object>) found).keySet() : (Collection<String>) found
        return known + additions(section).keySet()
    }

    /** Returns what *section* says of *name*, null where it does not know it. */
    Model model(String section, String name, String what) {
        Map<String, Object> entries = (Map<String, Object>) facts[section]
        Map<String, Object> entry = (Map<String, Object>) (additions(section)[name] ?: entries[name])
        return entry == null ? null : new Model(what, entry)
    }

    /** Returns what a step is, or else what an object of that symbol is, as Jenkins looks for both. */
    Model step(String name) {
        return model('steps', name, "the step \"${name}\"") ?: model('symbols', name, "\"${name}\"")
    }

    /** Returns what a value of that symbol is, or else a step, as Jenkins looks for arguments. */
    Model value(String name) {
        return model('symbols', name, "\"${name}\"") ?: model('steps', name, "the step \"${name}\"")
    }

    /** Returns what goes before the list of that Jenkins: what other plugins have, what the validator knows better. */
    private Map<String, Object> additions(String section) {
        Map<String, Object> others = (Map<String, Object>) (facts.additions ?: [:])
        return (Map<String, Object>) (others[section] ?: [:])
    }
}
