package harness

import groovy.transform.CompileStatic
import java.lang.reflect.Field
import java.lang.reflect.Modifier

/**
 * What Jenkins saves at each step, to go on after a restart of the controller: all that the fields of the script and
 * the variables of the functions and closures that run hold. What Java cannot serialize fails the build, as there.
 */
@CompileStatic
class Saved {
    /** The variables that each function and closure on the stack of this thread has so far. */
    private static final ThreadLocal<List<Map<String, Object>>> FRAMES = new ThreadLocal<>()
    private static final Map<Class, List<Field>> FIELDS = [:]
    /** Ends the build, whatever catches it. */
    static Throwable failure

    /** A function or closure begins. */
    static void enter() {
        if (FRAMES.get() == null) {
            FRAMES.set(new ArrayList<Map<String, Object>>())
        }
        FRAMES.get().add([:])
    }

    static void leave() {
        List<Map<String, Object>> frames = FRAMES.get()
        frames.remove(frames.size() - 1)
    }

    /** Tells which variables there are from here on. */
    static void see(Map<String, Object> variables) {
        List<Map<String, Object>> frames = FRAMES.get()
        frames[frames.size() - 1] = variables
    }

    /** Fails when a *step* begins while something is held that cannot be saved. */
    static void check(String step, Script script, Object[] given) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<Object, Boolean>())
        if (script != null) {
            fields(script.class).each { Field it -> walk(it.get(script), "the field ${it.name}", step, seen) }
            walk(script.binding.variables, 'the binding', step, seen)
        }
        FRAMES.get()?.each { Map<String, Object> frame ->
            frame.each { String name, Object value -> walk(value, "the variable ${name}", step, seen) }
        }
        given.each { Object it -> walk(it, 'an argument', step, seen) }
    }

    /** Returns the variable *name* with `@Field` of a script, null if there is none. */
    static Field field(Class script, String name) {
        return fields(script).find { Field it -> it.name == name }
    }

    private static void walk(Object value, String holder, String step, Set<Object> seen) {
        if (value == null || isSimple(value) || !seen.add(value)) {
            return
        }
        if (!(value instanceof Serializable)) {
            failure = new NotSerializableException("${value.class.name}, which ${holder} holds at the step ${step}")
            throw failure
        }
        if (value instanceof Map) {
            ((Map) value).each { Object key, Object one ->
                walk(key, holder, step, seen)
                walk(one, holder, step, seen)
            }
        } else if (value instanceof Collection || value instanceof Object[]) {
            (value as List).each { Object it -> walk(it, holder, step, seen) }
        } else if (value instanceof Closure) {
            walkClosure((Closure) value, holder, step, seen)
        }
    }

    /** A closure holds the variables that it reads, and the closure around it. */
    private static void walkClosure(Closure closure, String holder, String step, Set<Object> seen) {
        [closure.owner, closure.delegate].each { Object it -> walk(it, holder, step, seen) }
        fields(closure.class).each { Field field ->
            Object held = field.get(closure)
            walk(held instanceof Reference ? held.get() : held, "${holder}, by ${field.name},", step, seen)
        }
    }

    /** Scripts are looked into first of all; what the harness puts in place of Jenkins' own objects can be saved there. */
    private static boolean isSimple(Object value) {
        return value instanceof Script || value instanceof Class || value instanceof Throwable ||
                value instanceof CharSequence || value instanceof Number || value instanceof Boolean ||
                value.class.name.startsWith('harness.')
    }

    private static synchronized List<Field> fields(Class type) {
        if (!FIELDS.containsKey(type)) {
            FIELDS[type] = type.declaredFields.toList().findAll { Field it ->
                !Modifier.isStatic(it.modifiers) && !it.synthetic || it.type == Reference
            }
            FIELDS[type].each { Field it -> it.accessible = true }
        }
        return FIELDS[type]
    }
}
