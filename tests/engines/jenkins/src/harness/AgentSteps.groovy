package harness

import groovy.transform.CompileStatic

/** Steps that take an agent and work in its folders. */
@CompileStatic
class AgentSteps extends StepFamily {
    AgentSteps(Build build) {
        super(build)
    }

    @Step(first = 'label', takesBody = true)
    Object node(Map<String, Object> given, Closure body) {
        boolean isPod = scope.pod != null && given.label == 'pod'
        String label = given.label == null || isPod ? '' : ((String) given.label).trim()
        Allocation allocation = allocate(label)
        build.console.line("Running on ${allocation.node.name} in ${allocation.workspace}")
        try {
            allocation.workspace.mkdirs()
            allocation.temporary.mkdirs()
            Scope inner = new Scope(scope, allocation.variables())
            inner.agent = allocation
            inner.folder = allocation.workspace
            if (inner.stage != null && inner.stage.node == null) {
                inner.stage.node = allocation.node.name
            }
            return Threads.within(inner, body)
        } finally {
            build.processes.stopAll(allocation.cookie)
            build.agents.release(allocation)
        }
    }

    /** As the plugin Kubernetes: the pod is an agent whose label is in a variable; here any agent stands for it. */
    @Step(others = ['cloud', 'namespace', 'yaml'], required = ['yaml'], takesBody = true)
    Object podTemplate(Map<String, Object> given, Closure body) {
        Scope inner = new Scope(scope, [POD_LABEL: 'pod'])
        inner.pod = (String) given.yaml
        return Threads.within(inner, body)
    }

    @Step(first = 'name', required = ['name'], needsNode = true, takesBody = true)
    Object container(Map<String, Object> given, Closure body) {
        String name = given.name
        if (scope.pod == null || !scope.pod.readLines()*.trim().contains("- name: ${name}".toString())) {
            throw new hudson.AbortException("container ${name} was not found in the pod")
        }
        synchronized (build.containers) {
            build.containers.add([kind: 'pod', stage: scope.stage?.name ?: '', image: name, args: scope.pod, command: ''])
        }
        return Threads.within(new Scope(scope), body)
    }

    private Allocation allocate(String label) {
        Request request = build.agents.request(label)
        Allocation allocation = build.agents.tryTake(request)
        try {
            return allocation ?: (Allocation) build.threads.await { Threads.Waiting waiting ->
                while (allocation == null) {
                    waiting.pause(5)
                    allocation = build.agents.tryTake(request)
                }
                allocation
            }
        } finally {
            build.agents.withdraw(request)
        }
    }

    @Step(first = 'dir', required = ['dir'], needsNode = true, takesBody = true)
    Object ws(Map<String, Object> given, Closure body) {
        File folder = new File(scope.agent.node.root, (String) given.dir)
        folder.mkdirs()
        Scope inner = new Scope(scope, [WORKSPACE: folder.path, WORKSPACE_TMP: folder.path + '@tmp'])
        inner.folder = folder
        return Threads.within(inner, body)
    }

    @Step(first = 'path', required = ['path'], needsNode = true, takesBody = true)
    Object dir(Map<String, Object> given, Closure body) {
        Scope inner = new Scope(scope)
        inner.folder = resolve((String) given.path).toPath().normalize().toFile()
        return Threads.within(inner, body)
    }

    @Step(needsNode = true)
    Object deleteDir(Map<String, Object> given, Closure body) {
        Trees.delete(scope.folder.toPath())
        return null
    }

    @Step(others = ['tmp'], needsNode = true)
    Object pwd(Map<String, Object> given, Closure body) {
        return given.tmp == true ? scope.agent.temporary.path : scope.folder.path
    }

    @Step(first = 'file', required = ['file'], needsNode = true)
    Object fileExists(Map<String, Object> given, Closure body) {
        return resolve((String) given.file).exists()
    }

    @Step(first = 'file', others = ['encoding'], required = ['file'], needsNode = true)
    Object readFile(Map<String, Object> given, Closure body) {
        byte[] bytes = resolve((String) given.file).bytes
        String encoding = given.encoding ?: 'UTF-8'
        return encoding == 'Base64' ? bytes.encodeBase64().toString() : new String(bytes, encoding)
    }

    @Step(others = ['file', 'text', 'encoding'], required = ['file', 'text'], needsNode = true)
    Object writeFile(Map<String, Object> given, Closure body) {
        File file = resolve((String) given.file)
        file.parentFile.mkdirs()
        String text = (String) given.text
        String encoding = given.encoding ?: 'UTF-8'
        file.bytes = encoding == 'Base64' ? text.decodeBase64() : text.getBytes(encoding)
        return null
    }

    @Step
    Object isUnix(Map<String, Object> given, Closure body) {
        return true
    }

    @Step(first = 'name', others = ['type'], required = ['name'])
    Object tool(Map<String, Object> given, Closure body) {
        return "/opt/tools/${given.name}".toString()
    }

    @Step(first = 'path', required = ['path'], needsNode = true)
    Object load(Map<String, Object> given, Closure body) {
        return build.evaluate(resolve((String) given.path))
    }
}
