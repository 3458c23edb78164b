package harness

import groovy.transform.CompileStatic

/** The parameters of a build: those it was started with, and the defaults that the script declares. */
@CompileStatic
class Parameters {
    /** Declared parameters: name, type, default. */
    final List<Map<String, Object>> declared = []
    private final Map<String, Object> given
    private final Map<String, Object> values = new TreeMap<>()
    private final Build build

    Parameters(Build build, Map<String, Object> given) {
        this.build = build
        this.given = given
        values.putAll(given ?: [:])
        given?.each { String name, Object value -> build.variables[name] = value as String }
    }

    Object get(String name) {
        return values[name]
    }

    Map<String, Object> toMap() {
        return Collections.unmodifiableMap(values)
    }

    /** As Jenkins: `params` has defaults at once; they are variables only when the job knew them at its start. */
    void declare(List symbols) {
        symbols.each { Object it ->
            Symbol symbol = (Symbol) it
            String name = symbol.arguments.name
            Object fallback = fallback(symbol)
            declared.add([name: (Object) name, type: (Object) symbol.name, default: fallback])
            if (!values.containsKey(name)) {
                values[name] = fallback
                if (given != null && fallback != null) {
                    build.variables[name] = fallback as String
                }
            }
        }
    }

    static Map<String, Object> defaults(List symbols) {
        return symbols.collectEntries { Object it -> [((Symbol) it).arguments.name, fallback((Symbol) it)] }
    }

    private static Object fallback(Symbol symbol) {
        Map<String, Object> arguments = symbol.arguments
        switch (symbol.name) {
            case 'booleanParam':
                return arguments.defaultValue == true
            case 'choice':
            case 'choiceParam':
                Object choices = arguments.choices
                return (choices instanceof List ? (List) choices : ((String) choices).readLines()).find()
            default:
                return arguments.defaultValue ?: ''
        }
    }
}
