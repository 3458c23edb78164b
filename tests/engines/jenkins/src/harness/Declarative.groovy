package harness

import groovy.transform.CompileStatic
import hudson.AbortException
import hudson.model.Result
import org.jenkinsci.plugins.workflow.steps.MissingContextVariableException

/** Runs a `pipeline` block in the order in which Jenkins does. */
@CompileStatic
class Declarative {
    private final JenkinsScript script
    private final Build build
    private final Directives directives
    private final Post post
    private Block root
    private Options rootOptions

    Declarative(JenkinsScript script, Build build) {
        this.script = script
        this.build = build
        directives = new Directives(script, build)
        post = new Post(build, directives)
    }

    /** The agent comes first, then variables, then options; `post` runs inside all three. */
    Object run(Closure definition) {
        root = Block.read(script, null, definition)
        rootOptions = directives.options(root.options)
        if (root.parameters != null) {
            build.parameters.declare(directives.calls(root.parameters))
        }
        build.startBy(directives.calls(root.triggers))
        Throwable error = null
        boolean isPostDone = false
        try {
            directives.onAgent(root, rootOptions, true) {
                directives.withEnvironment(root.environment) {
                    rootOptions.around {
                        error = sequence(root.stages, null)
                        isPostDone = true
                        error = post.runForBuild(root, error)
                        rethrow(error)
                    }
                }
            }
        } catch (Throwable outer) {
            error = error ?: outer
        }
        rethrow(isPostDone ? error : post.runForBuild(root, error))
        return null
    }

    private static void rethrow(Throwable error) {
        if (error != null) {
            throw error
        }
    }

    /** Runs stages one after the other; once one has failed, the rest is skipped. Returns the first failure. */
    private Throwable sequence(List<Block> stages, String skipReason) {
        Throwable first = null
        stages.each { Block stage ->
            try {
                runStage(stage, skipReason ?: (first == null ? unstableReason() : 'an earlier stage failed'))
            } catch (Throwable error) {
                first = first ?: error
            }
        }
        return first
    }

    private String unstableReason() {
        boolean skips = rootOptions.has('skipStagesAfterUnstable') && build.result == Result.UNSTABLE
        return skips ? 'the build is unstable' : null
    }

    private void runStage(Block stage, String skipReason) {
        build.steps.call('stage', [stage.name, {
            if (skipReason != null) {
                skip(stage, skipReason)
            } else {
                enter(stage)
            }
        }] as Object[])
    }

    private void skip(Block stage, String reason) {
        build.console.line("Stage \"${stage.name}\" skipped: ${reason}")
        Threads.scope.stage.status = 'skipped'
        Threads.scope.stage.message = reason
        if (stage.parallel != null) {
            inParallel(stage.parallel, false) { Block branch -> runStage(branch, reason) }
        } else if (stage.stages != null) {
            sequence(stage.stages, reason)
        }
    }

    /** `when` is asked at the last of four places, or at an earlier one that it names. */
    private void enter(Block stage) {
        When when = new When(script, build, directives, stage.when)
        if (!when.passes('beforeOptions')) {
            skip(stage, 'its when is false')
            return
        }
        Options options = directives.options(stage.options)
        options.around {
            if (!when.passes('beforeInput')) {
                skip(stage, 'its when is false')
                return
            }
            directives.withInput(stage) {
                if (!when.passes('beforeAgent')) {
                    skip(stage, 'its when is false')
                    return
                }
                directives.onAgent(stage, rootOptions.with(options), false) { work(stage, when) }
            }
        }
    }

    private void work(Block stage, When when) {
        if (!when.passes('last')) {
            skip(stage, 'its when is false')
            return
        }
        Throwable error = null
        directives.withEnvironment(stage.environment) {
            directives.withTools(stage, root) {
                try {
                    body(stage)
                } catch (Throwable failure) {
                    error = failure
                }
                error = post.run(stage.post, error)
                rethrow(error)
            }
        }
    }

    private void body(Block stage) {
        if (stage.matrix != null) {
            runMatrix(stage)
        } else if (stage.parallel != null) {
            inParallel(stage.parallel, isFailFast(stage)) { Block branch -> runStage(branch, null) }
        } else if (stage.stages != null) {
            rethrow(sequence(stage.stages, null))
        } else {
            runSteps(stage)
        }
    }

    private boolean isFailFast(Block stage) {
        return stage.failFast || rootOptions.has('parallelsAlwaysFailFast')
    }

    private void runSteps(Block stage) {
        try {
            directives.call(stage.steps)
        } catch (MissingContextVariableException error) {
            if (Threads.scope.agent == null) {
                throw new AbortException("stage ${stage.name} runs a step that needs an agent: ${error.message}")
            }
            throw error
        }
    }

    private void inParallel(List<Block> branches, boolean failFast, Closure each) {
        Map<String, Object> bodies = [:]
        branches.each { Block branch -> bodies[branch.name] = { each.call(branch) } }
        bodies.failFast = failFast
        build.steps.call('parallel', [bodies] as Object[])
    }

    private void runMatrix(Block stage) {
        Matrix matrix = stage.matrix
        Map<String, Object> bodies = [failFast: (Object) (isFailFast(stage) || matrix.failFast)]
        matrix.cells().each { Map<String, String> cell ->
            String name = 'Matrix - ' + cell.collect { String axis, String value -> "${axis} = '${value}'" }.join(', ')
            Block inner = cellStage(name, matrix)
            bodies[name] = { Threads.within(new Scope(Threads.scope, cell)) { runStage(inner, null) } }
        }
        build.steps.call('parallel', [bodies] as Object[])
    }

    private static Block cellStage(String name, Matrix matrix) {
        return new Block(name: name, script: matrix.script, agent: matrix.agent, agentName: matrix.agentName,
                environment: matrix.environment, options: matrix.options, when: matrix.when, input: matrix.input,
                stages: matrix.stages, post: matrix.post)
    }
}
