package harness

import groovy.transform.CompileStatic

/** The directives of `pipeline`, a stage, `matrix` or `parallel`, collected without running what they hold. */
@CompileStatic
class Block {
    String name
    Closure agent
    String agentName
    Closure environment
    Closure tools
    Closure options
    Closure when
    Closure input
    Closure steps
    Closure post
    Closure parameters
    Closure triggers
    List<Block> stages
    List<Block> parallel
    boolean failFast
    Matrix matrix
    protected JenkinsScript script

    static Block read(JenkinsScript script, String name, Closure definition) {
        Block block = new Block(name: name, script: script)
        collect(definition, block, script)
        return block
    }

    /** Runs *definition* so that what it calls and sets reaches *target* first, then the script. */
    static Object collect(Closure definition, Object target, JenkinsScript script) {
        Closure bound = definition.rehydrate(target, script, script)
        bound.resolveStrategy = Closure.DELEGATE_FIRST
        return bound.call()
    }

    void agent(String name) {
        agentName = name
    }

    void agent(Closure definition) {
        agent = definition
    }

    Object getAny() {
        return 'any'
    }

    Object getNone() {
        return 'none'
    }

    void environment(Closure definition) {
        environment = definition
    }

    void options(Closure definition) {
        options = definition
    }

    void when(Closure definition) {
        when = definition
    }

    void input(Closure definition) {
        input = definition
    }

    void steps(Closure definition) {
        steps = definition
    }

    void post(Closure definition) {
        post = definition
    }

    void parameters(Closure definition) {
        parameters = definition
    }

    void tools(Closure definition) {
        tools = definition
    }

    void triggers(Closure definition) {
        triggers = definition
    }

    void failFast(boolean value) {
        failFast = value
    }

    void stages(Closure definition) {
        stages = list(definition)
    }

    void parallel(Closure definition) {
        parallel = list(definition)
    }

    void matrix(Closure definition) {
        matrix = new Matrix(script)
        collect(definition, matrix, script)
    }

    private List<Block> list(Closure definition) {
        StageList list = new StageList(script)
        collect(definition, list, script)
        return list.blocks
    }
}

/** The stages within `stages` or `parallel`. */
@CompileStatic
class StageList {
    final List<Block> blocks = []
    private final JenkinsScript script

    StageList(JenkinsScript script) {
        this.script = script
    }

    void stage(String name, Closure definition) {
        blocks.add(Block.read(script, name, definition))
    }
}

/** `matrix`: axes, excludes, and what each cell holds. */
@CompileStatic
class Matrix extends Block {
    private final Map<String, List<String>> axes = new LinkedHashMap<>()
    private final List<Map<String, Closure>> excludes = []

    Matrix(JenkinsScript script) {
        this.script = script
    }

    void axes(Closure definition) {
        collect(definition, this, script)
    }

    void axis(Closure definition) {
        Axis axis = new Axis()
        collect(definition, axis, script)
        axes[axis.name] = axis.values
    }

    void excludes(Closure definition) {
        collect(definition, this, script)
    }

    void exclude(Closure definition) {
        Exclude exclude = new Exclude(script)
        collect(definition, exclude, script)
        excludes.add(exclude.tests)
    }

    /** Returns the axis values of each cell, the last axis changing fastest. */
    List<Map<String, String>> cells() {
        List<Map<String, String>> cells = [[:] as Map<String, String>]
        axes.each { String name, List<String> values ->
            cells = cells.collectMany { Map<String, String> cell ->
                values.collect { String value -> cell + [(name): value] }
            }
        }
        return cells.findAll { Map<String, String> cell ->
            !excludes.any { Map<String, Closure> tests ->
                tests.every { String name, Closure test -> test.call(cell[name]) }
            }
        }
    }
}

/** One axis: its name and its values. */
@CompileStatic
class Axis {
    String name
    List<String> values = []

    void name(String text) {
        name = text
    }

    void values(String... texts) {
        values = texts.toList()
    }

    void notValues(String... texts) {
        throw new IllegalStateException('notValues stands in an axis of exclude only')
    }
}

/** One `exclude`: a test for each axis that it names. */
@CompileStatic
class Exclude {
    final Map<String, Closure> tests = [:]
    private final JenkinsScript script

    Exclude(JenkinsScript script) {
        this.script = script
    }

    void axis(Closure definition) {
        Excluded axis = new Excluded()
        Block.collect(definition, axis, script)
        tests[axis.name] = { String value -> (value in axis.values) != axis.negated }
    }
}

/** An axis within `exclude`. */
@CompileStatic
class Excluded extends Axis {
    boolean negated

    @Override
    void notValues(String... texts) {
        values = texts.toList()
        negated = true
    }
}
