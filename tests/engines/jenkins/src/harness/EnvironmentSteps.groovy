package harness

import groovy.transform.CompileStatic
import hudson.AbortException
import org.jenkinsci.plugins.workflow.steps.MissingContextVariableException

/** Steps that set variables for a block. */
@CompileStatic
class EnvironmentSteps extends StepFamily {
    EnvironmentSteps(Build build) {
        super(build)
    }

    @Step(first = 'overrides', required = ['overrides'], takesBody = true)
    Object withEnv(Map<String, Object> given, Closure body) {
        Map<String, String> variables = new LinkedHashMap<>()
        ((List) given.overrides).each { Object pair ->
            String text = pair as String
            if (!text.contains('=')) {
                throw new IllegalArgumentException("withEnv: \"${text}\" has no \"=\"")
            }
            variables[text.substring(0, text.indexOf('='))] = text.substring(text.indexOf('=') + 1)
        }
        return Threads.within(new Scope(scope, variables), body)
    }

    @Step(first = 'bindings', required = ['bindings'], takesBody = true)
    Object withCredentials(Map<String, Object> given, Closure body) {
        Bindings bound = new Bindings(build, scope)
        try {
            ((List) given.bindings).each { Object binding -> bound.add(binding) }
            Scope inner = new Scope(scope, bound.variables)
            inner.secrets = inner.secrets + bound.secrets
            if (bound.secrets) {
                build.console.line('Masking supported pattern matches of ' + bound.variables.keySet().join(' or '))
            }
            return Threads.within(inner, body)
        } finally {
            bound.remove()
        }
    }
}

/** What a `withCredentials` puts into variables and files. */
@CompileStatic
class Bindings {
    final Map<String, String> variables = new LinkedHashMap<>()
    final List<String> secrets = []
    private final Build build
    private final Scope scope
    private final List<File> files = []

    Bindings(Build build, Scope scope) {
        this.build = build
        this.scope = scope
    }

    void add(Object binding) {
        Symbol symbol = binding instanceof Symbol ? (Symbol) binding : legacy((Map<String, Object>) binding)
        Map<String, String> wanted = (Map<String, String>) (Map) symbol.arguments
        if (wanted.credentialsId == null) {
            throw new IllegalArgumentException("${symbol.name}: no credentialsId")
        }
        switch (symbol.name) {
            case 'string':
                bind(wanted, 'variable', field(wanted, 'text', 'secret'), true)
                break
            case 'file':
                bind(wanted, 'variable', write(field(wanted, 'file', 'content'), field(wanted, 'file', 'name')), true)
                break
            case 'usernamePassword':
                bind(wanted, 'usernameVariable', field(wanted, 'pair', 'username'), false)
                bind(wanted, 'passwordVariable', field(wanted, 'pair', 'password'), true)
                break
            case 'usernameColonPassword':
                String pair = field(wanted, 'pair', 'username') + ':' + field(wanted, 'pair', 'password')
                bind(wanted, 'variable', pair, true)
                break
            case 'sshUserPrivateKey':
                bind(wanted, 'keyFileVariable', write(keyFile(field(wanted, 'ssh', 'key')), 'ssh-key'), true)
                optional(wanted, 'usernameVariable', 'username', false)
                optional(wanted, 'passphraseVariable', 'passphrase', true)
                break
            default:
                throw new IllegalArgumentException("withCredentials: unknown binding ${symbol.name}")
        }
    }

    /** Binds *credentialsId* as Declarative's `environment { NAME = credentials('id') }` does. */
    void addWhole(String name, String credentialsId) {
        switch (credential(credentialsId).kind) {
            case 'text':
                bindNamed('string', credentialsId, [variable: name])
                break
            case 'file':
                bindNamed('file', credentialsId, [variable: name])
                break
            case 'pair':
                bindNamed('usernameColonPassword', credentialsId, [variable: name])
                bindNamed('usernamePassword', credentialsId, [
                        usernameVariable: name + '_USR', passwordVariable: name + '_PSW',
                ])
                break
            default:
                bindNamed('sshUserPrivateKey', credentialsId, [
                        keyFileVariable: name, usernameVariable: name + '_USR', passphraseVariable: name + '_PSW',
                ])
        }
    }

    private void bindNamed(String kind, String credentialsId, Map<String, String> names) {
        add(new Symbol(name: kind, arguments: (names + [credentialsId: credentialsId]) as Map<String, Object>))
    }

    void remove() {
        files.each { File file -> Trees.delete(file.parentFile.toPath()) }
    }

    private void bind(Map<String, String> wanted, String key, String value, boolean secret) {
        if (wanted[key] == null) {
            throw new IllegalArgumentException("withCredentials: ${key} is missing for ${wanted.credentialsId}")
        }
        variables[wanted[key]] = value
        if (secret) {
            secrets.addAll(Console.patterns(value))
        }
    }

    private void optional(Map<String, String> wanted, String key, String name, boolean secret) {
        if (wanted[key] != null) {
            bind(wanted, key, field(wanted, 'ssh', name), secret)
        }
    }

    private String field(Map<String, String> wanted, String kind, String name) {
        Map<String, String> found = credential(wanted.credentialsId)
        if (found.kind != kind) {
            throw new AbortException("Credentials '${wanted.credentialsId}' are of the kind ${found.kind}, not ${kind}")
        }
        return found[name]
    }

    private Map<String, String> credential(String id) {
        Map<String, String> found = build.settings.credentials[id]
        if (found == null) {
            throw new AbortException("Could not find credentials entry with ID '${id}'")
        }
        return found
    }

    /** As in Jenkins 2.479.3 with credentials-binding 687: a line break follows each key, also one that ends in one. */
    private static String keyFile(String base64) {
        return "${new String(base64.decodeBase64(), 'ISO-8859-1')}\n".getBytes('ISO-8859-1').encodeBase64().toString()
    }

    private String write(String base64, String name) {
        if (scope.agent == null) {
            throw new MissingContextVariableException('withCredentials')
        }
        File file = new File(scope.agent.temporary, "secretFiles/${UUID.randomUUID()}/${name}")
        file.parentFile.mkdirs()
        file.bytes = base64.decodeBase64()
        file.setReadable(false, false)
        file.setReadable(true, true)
        file.setWritable(false, false)
        files.add(file)
        return file.path
    }

    private static Symbol legacy(Map<String, Object> binding) {
        Map<String, String> kinds = [
                StringBinding: 'string', FileBinding: 'file', UsernamePasswordBinding: 'usernameColonPassword',
                UsernamePasswordMultiBinding: 'usernamePassword', SSHUserPrivateKeyBinding: 'sshUserPrivateKey',
        ]
        String name = ((String) binding['$class']).tokenize('.').last()
        return new Symbol(name: kinds[name] ?: name, arguments: binding - [$class: binding['$class']])
    }
}
