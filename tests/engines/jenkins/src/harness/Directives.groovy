package harness

import groovy.transform.CompileStatic

/** What stands around the steps of a stage: agent, variables, options, input. */
@CompileStatic
class Directives {
    private final JenkinsScript script
    private final Build build

    Directives(JenkinsScript script, Build build) {
        this.script = script
        this.build = build
    }

    /** Runs *body* as part of the script. */
    Object call(Closure body) {
        return body.rehydrate(script, script, script).call()
    }

    /** Returns the calls within a section, as symbols. */
    List<Symbol> calls(Closure section) {
        CallList list = new CallList(script)
        if (section != null) {
            Block.collect(section, list, script)
        }
        return list.calls
    }

    Options options(Closure section) {
        return new Options(build, calls(section))
    }

    /** Runs *body* on the agent that *block* asks for, in a checkout unless that is switched off. */
    void onAgent(Block block, Options options, boolean isRoot, Closure body) {
        if (block.agentName == 'none' || (block.agentName == null && block.agent == null)) {
            body.call()
            return
        }
        AgentChoice choice = new AgentChoice()
        if (block.agent != null) {
            Block.collect(block.agent, choice, script)
        }
        if (choice.reuseNode && Threads.scope.agent != null) {
            inContainer(choice, body)
            return
        }
        if (choice.yaml != null) {
            build.steps.call('podTemplate', [[yaml: choice.yaml], {
                build.steps.call('node', ['pod', body] as Object[])
            }] as Object[])
            return
        }
        build.steps.call('node', [choice.label, {
            inWorkspace(choice.customWorkspace) {
                Closure inside = { inContainer(choice, body) }
                options.has('skipDefaultCheckout') ? inside.call() : inCheckout(options, isRoot, inside)
            }
        }] as Object[])
    }

    /** As Jenkins: the checkout is outside of the container, the steps and `post` are in it. */
    private void inContainer(AgentChoice choice, Closure body) {
        if (choice.image == null) {
            body.call()
            return
        }
        Docker docker = new Docker(build)
        if (choice.registryUrl != null) {
            docker.withRegistry(choice.registryUrl, choice.registryCredentialsId) {
                inImage(docker.image(choice.image), choice, body)
            }
            return
        }
        inImage(docker.image(choice.image), choice, body)
    }

    private static void inImage(DockerImage image, AgentChoice choice, Closure body) {
        if (choice.alwaysPull) {
            image.pull()
        }
        image.inside(choice.args) { body.call() }
    }

    private void inWorkspace(String folder, Closure body) {
        if (folder == null) {
            body.call()
        } else {
            build.steps.call('ws', [folder, body] as Object[])
        }
    }

    /** As Jenkins: the checkout's variables are seen by what follows. */
    private void inCheckout(Options options, boolean isRoot, Closure body) {
        Map<String, String> found = [:]
        Closure fetch = {
            found = (Map<String, String>) build.steps.call('checkout', [build.scm] as Object[])
        }
        Closure fetchThere = {
            String folder = options.value('checkoutToSubdirectory')
            folder == null ? fetch.call() : build.steps.call('dir', [folder, fetch] as Object[])
        }
        isRoot ? build.steps.call('stage', ['Declarative: Checkout SCM', fetchThere] as Object[]) : fetchThere.call()
        Threads.within(new Scope(Threads.scope, found)) { body.call() }
    }

    /** Runs *body* with the variables of an `environment` section, credentials among them. */
    void withEnvironment(Closure section, Closure body) {
        if (section == null) {
            body.call()
            return
        }
        Scope inner = new Scope(Threads.scope)
        Bindings bound = new Bindings(build, inner)
        try {
            Threads.within(inner) { Block.collect(section, new EnvironmentSection(inner, bound, script), script) }
            inner.secrets = inner.secrets + bound.secrets
            Threads.within(inner) { body.call() }
        } finally {
            bound.remove()
        }
    }

    /** Runs *body* with the tools of *stage* and *root* on its PATH; without an agent, Jenkins installs none. */
    void withTools(Block stage, Block root, Closure body) {
        if (!(hasAgent(stage) || (stage.agentName != 'none' && hasAgent(root)))) {
            body.call()
            return
        }
        Map<String, Object> named = [:]
        (calls(root.tools) + calls(stage.tools)).each { Symbol it ->
            named[it.name] = ((List) it.arguments.arguments)[0]
        }
        Collection<String> variables = named.collectMany { String type, Object name ->
            Object home = build.steps.call('tool', [[type: type, name: name]] as Object[])
            String variable = [jdk: 'JAVA_HOME', go: 'GOROOT'][type] ?: "${type.toUpperCase()}_HOME"
            ["${variable}=${home}".toString(), "PATH+${type.toUpperCase()}=${home}/bin".toString()]
        }
        build.steps.call('withEnv', [variables as List, body] as Object[])
    }

    private static boolean hasAgent(Block block) {
        return block.agent != null || !(block.agentName in [null, 'none'])
    }

    void withInput(Block stage, Closure body) {
        if (stage.input == null) {
            body.call()
            return
        }
        InputSection section = new InputSection(this)
        Block.collect(stage.input, section, script)
        build.steps.call('input', [section.given] as Object[])
        Map<String, String> answers = [:]
        Parameters.defaults(section.parameters).each { String name, Object value -> answers[name] = value as String }
        Threads.within(new Scope(Threads.scope, answers)) { body.call() }
    }
}

/** Keeps the calls made in a section. */
@CompileStatic
class CallList {
    final List<Symbol> calls = []
    private final JenkinsScript script

    CallList(JenkinsScript script) {
        this.script = script
    }

    @Override
    Object invokeMethod(String name, Object given) {
        Object[] arguments = (Object[]) given
        // What stands among the arguments of a call, such as logRotator(), is no entry of its own.
        calls.removeAll { Symbol call -> arguments.any { Object it -> holds(it, call) } }
        if (Build.current.steps.isSymbol(name)) {
            Symbol symbol = (Symbol) Build.current.steps.call(name, arguments)
            calls.add(symbol)
            return symbol
        }
        Symbol symbol = new Symbol(name: name, arguments: [arguments: (Object) arguments.toList()])
        calls.add(symbol)
        return symbol
    }

    private static boolean holds(Object argument, Symbol call) {
        Collection<Object> parts = argument instanceof Map ? ((Map) argument).values()
                : argument instanceof Collection ? (Collection) argument : []
        return argument.is(call) || parts.any { Object part -> holds(part, call) }
    }
}

/** `agent { label … }`, `agent { node { … } }` or `agent { docker { … } }`. */
@CompileStatic
class AgentChoice {
    String label = ''
    String customWorkspace
    String image
    String args = ''
    boolean alwaysPull
    boolean reuseNode
    String yaml
    String registryUrl
    String registryCredentialsId

    void label(Object text) {
        label = text as String
    }

    void customWorkspace(Object path) {
        customWorkspace = path as String
    }

    void image(Object text) {
        image = text as String
    }

    void args(Object text) {
        args = text as String
    }

    void alwaysPull(boolean value) {
        alwaysPull = value
    }

    void reuseNode(boolean value) {
        reuseNode = value
    }

    void registryUrl(Object text) {
        registryUrl = text as String
    }

    void registryCredentialsId(Object text) {
        registryCredentialsId = text as String
    }

    void yaml(Object text) {
        yaml = text as String
    }

    void cloud(Object text) {
    }

    void namespace(Object text) {
    }

    void kubernetes(Closure definition) {
        node(definition)
    }

    void docker(Closure definition) {
        node(definition)
    }

    void node(Closure definition) {
        definition.resolveStrategy = Closure.DELEGATE_FIRST
        definition.delegate = this
        definition.call()
    }
}

/** `environment { NAME = value }`: each line sees those before it. */
@CompileStatic
class EnvironmentSection {
    private final Scope scope
    private final Bindings bound
    private final JenkinsScript script

    EnvironmentSection(Scope scope, Bindings bound, JenkinsScript script) {
        this.scope = scope
        this.bound = bound
        this.script = script
    }

    @Override
    Object getProperty(String name) {
        return script.getProperty(name)
    }

    @Override
    void setProperty(String name, Object value) {
        if (value instanceof Credential) {
            bound.addWhole(name, value.id)
            scope.variables.putAll(bound.variables)
        } else {
            scope.variables[name] = value as String
        }
    }

    Credential credentials(Object id) {
        return new Credential(id: id as String)
    }

    @CompileStatic
    static class Credential {
        String id
    }
}

/** `input { message …; ok …; parameters { … } }`. */
@CompileStatic
class InputSection {
    final Map<String, Object> given = [:]
    List<Symbol> parameters = []
    private final Directives directives

    InputSection(Directives directives) {
        this.directives = directives
    }

    void message(Object text) {
        given.message = text as String
    }

    void ok(Object text) {
        given.ok = text as String
    }

    void id(Object text) {
        given.id = text as String
    }

    void submitter(Object text) {
        given.submitter = text as String
    }

    void submitterParameter(Object text) {
        given.submitterParameter = text as String
    }

    void parameters(Closure definition) {
        parameters = directives.calls(definition)
        given.parameters = parameters
    }
}
