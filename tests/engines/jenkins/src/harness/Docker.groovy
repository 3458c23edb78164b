package harness

import groovy.transform.CompileStatic

/** The global `docker` of the plugin Docker Pipeline: what is asked for is noted, and steps run on the agent itself. */
@CompileStatic
class Docker {
    private final Build build

    Docker(Build build) {
        this.build = build
    }

    Object withRegistry(String url, String credentials = null, Closure body) {
        if (credentials != null && !build.settings.credentials.containsKey(credentials)) {
            throw new hudson.AbortException("Could not find credentials matching ${credentials}")
        }
        return Threads.within(new Scope(Threads.scope, [DOCKER_REGISTRY_URL: url]), body)
    }

    DockerImage image(String id) {
        if (id == null || id.isEmpty()) {
            throw new IllegalArgumentException('docker.image: an image needs a name')
        }
        return new DockerImage(build, id)
    }
}

/** An image, in which steps run or beside which they do. */
@CompileStatic
class DockerImage {
    final String id
    private final Build build

    DockerImage(Build build, String id) {
        this.build = build
        this.id = id
    }

    void pull() {
        note('pull', '', '', qualified())
    }

    Object inside(String args = '', Closure body) {
        note('inside', args, '', qualified())
        return Threads.within(new Scope(Threads.scope), body)
    }

    Object withRun(String args = '', String command = '', Closure body) {
        note('service', args, command)
        try {
            return Threads.within(new Scope(Threads.scope), { -> body.call(new DockerContainer()) })
        } finally {
            note('stop', args, command)
        }
    }

    /** Within `withRegistry`, the host of the registry precedes names (`DockerRegistryEndpoint.imageName`). */
    private String qualified() {
        String url = build.environment()['DOCKER_REGISTRY_URL']
        return url ? "${new URL(url).authority}/${id}" : id
    }

    private void note(String kind, String args, String command, String id = this.id) {
        if (Threads.scope.agent == null) {
            throw new org.jenkinsci.plugins.workflow.steps.MissingContextVariableException('docker')
        }
        String stage = Threads.scope.stage?.name ?: ''
        synchronized (build.containers) {
            build.containers.add([kind: kind, stage: stage, image: id, args: args, command: command])
        }
        build.console.line("[docker] ${kind} ${id} ${args} ${command}")
    }
}

/** A container that runs. */
@CompileStatic
class DockerContainer {
    final String id = UUID.randomUUID().toString()
}
