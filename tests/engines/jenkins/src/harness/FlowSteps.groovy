package harness

import groovy.transform.CompileStatic
import hudson.AbortException
import hudson.model.Result
import java.util.concurrent.ScheduledFuture
import java.util.concurrent.TimeUnit
import org.jenkinsci.plugins.workflow.steps.FlowInterruptedException

/** Steps that decide what runs, how often, for how long, and what a failure means. */
@CompileStatic
class FlowSteps extends StepFamily {
    /** After this many milliseconds a timeout stops what its block has gone on to do. */
    private static final long GRACE = 60_000

    FlowSteps(Build build) {
        super(build)
    }

    @Step(first = 'name', required = ['name'], takesBody = true)
    Object stage(Map<String, Object> given, Closure body) {
        String name = (String) given.name
        Scope inner = new Scope(scope, [STAGE_NAME: name])
        StageRecord record = build.stages.begin(name, scope)
        record.node = scope.agent?.node?.name
        inner.stage = record
        build.console.line("[Pipeline] { (${name})")
        Throwable failure = null
        try {
            return Threads.within(inner, body)
        } catch (Throwable error) {
            failure = error
            throw error
        } finally {
            build.stages.end(record, failure)
            build.console.line("[Pipeline] } // ${name}")
        }
    }

    @Step(first = 'branches', takesMap = true)
    Object parallel(Map<String, Object> given, Closure body) {
        Map<String, Object> branches = new LinkedHashMap<>((Map<String, Object>) given.branches)
        boolean failFast = branches.remove('failFast') == true
        branches.each { String name, Object branch ->
            if (!(branch instanceof Closure)) {
                throw new IllegalArgumentException("parallel: branch ${name} is not a closure")
            }
        }
        return new Parallel(build.threads, failFast).run((Map<String, Closure>) (Map) branches)
    }

    @Step(first = 'count', others = ['conditions'], required = ['count'], takesBody = true)
    Object retry(Map<String, Object> given, Closure body) {
        int left = ((Number) given.count).intValue()
        while (true) {
            try {
                return body.call()
            } catch (FlowInterruptedException interruption) {
                left--
                if (interruption.actualInterruption || left <= 0) {
                    throw interruption
                }
                build.console.line('Retrying')
            } catch (Throwable error) {
                left--
                // The conditions there are look for lost agents, and there are none here.
                if (left <= 0 || given.conditions) {
                    throw error
                }
                build.console.line("ERROR: ${error.message}")
                build.console.line('Retrying')
            }
        }
    }

    @Step(first = 'time', others = ['unit', 'activity'], required = ['time'], takesBody = true)
    Object timeout(Map<String, Object> given, Closure body) {
        long milliseconds = milliseconds(given.time, (String) given.unit ?: 'MINUTES')
        Scope inner = new Scope(scope)
        FlowInterruptedException cause = new FlowInterruptedException(Result.ABORTED, 'Timeout has been exceeded')
        build.console.line("Timeout set to expire in ${milliseconds} ms")
        List<String> secrets = scope.secrets
        ScheduledFuture bell = build.threads.every(milliseconds, GRACE) {
            build.console.line('Cancelling nested steps due to timeout', secrets)
            build.threads.cancel(inner, cause)
        }
        try {
            return Threads.within(inner, body)
        } catch (FlowInterruptedException interruption) {
            if (interruption.is(cause)) {
                cause.actualInterruption = false
            }
            throw interruption
        } finally {
            bell.cancel(false)
        }
    }

    private static long milliseconds(Object time, String unit) {
        return TimeUnit.valueOf(unit).toMillis(((Number) time).longValue())
    }

    @Step(others = ['message', 'buildResult', 'stageResult', 'catchInterruptions'], takesBody = true)
    Object catchError(Map<String, Object> given, Closure body) {
        Result whole = Result.fromString((String) given.buildResult ?: 'FAILURE')
        Result stage = Result.fromString((String) given.stageResult ?: 'SUCCESS')
        try {
            body.call()
        } catch (FlowInterruptedException interruption) {
            if (given.catchInterruptions == false && interruption.actualInterruption) {
                throw interruption
            }
            caught(interruption, (String) given.message, interruption.result, interruption.result)
        } catch (Throwable error) {
            caught(error, (String) given.message, whole, stage)
        }
        return null
    }

    @Step(first = 'message', others = ['catchInterruptions'], required = ['message'], takesBody = true)
    Object warnError(Map<String, Object> given, Closure body) {
        return catchError([message: given.message, buildResult: 'UNSTABLE', stageResult: 'UNSTABLE',
                           catchInterruptions: given.catchInterruptions], body)
    }

    private void caught(Throwable error, String message, Result whole, Result stage) {
        if (message != null) {
            build.console.line("ERROR: ${message}")
        }
        build.console.line("ERROR: ${error.message}")
        build.worsen(whole)
        Stages.mark(scope.stage, stage, message ?: error.message)
    }

    @Step(first = 'message', required = ['message'])
    Object error(Map<String, Object> given, Closure body) {
        throw new AbortException((String) given.message)
    }

    @Step(first = 'message', required = ['message'])
    Object unstable(Map<String, Object> given, Closure body) {
        build.console.line("WARNING: ${given.message}")
        build.worsen(Result.UNSTABLE)
        Stages.mark(scope.stage, Result.UNSTABLE, (String) given.message)
        return null
    }

    @Step(first = 'message', required = ['message'])
    Object echo(Map<String, Object> given, Closure body) {
        build.console.line(given.message as String)
        return null
    }

    @Step(first = 'time', others = ['unit'], required = ['time'])
    Object sleep(Map<String, Object> given, Closure body) {
        long milliseconds = milliseconds(given.time, (String) given.unit ?: 'SECONDS')
        build.threads.await { Threads.Waiting waiting -> waiting.pause(milliseconds) }
        return null
    }

    @Step(takesBody = true)
    Object script(Map<String, Object> given, Closure body) {
        return body.call()
    }

    @Step(takesBody = true)
    Object timestamps(Map<String, Object> given, Closure body) {
        return body.call()
    }

    @Step(first = 'resource', takesBody = true,
            others = ['label', 'quantity', 'variable', 'inversePrecedence', 'skipIfLocked', 'extra', 'priority'])
    Object lock(Map<String, Object> given, Closure body) {
        String resource = (String) (given.resource ?: given.label)
        if (resource == null) {
            throw new IllegalArgumentException('lock: neither resource nor label is given')
        }
        Map<String, String> variables = given.variable == null ? [:] : [((String) given.variable): resource]
        List<Map<String, Object>> extra = (List<Map<String, Object>>) (given.extra ?: [])
        List<String> others = extra.collect { Map<String, Object> it -> (String) (it.resource ?: it.label) }
        List<String> names = [resource] + others
        build.locks.take(names, build.threads)
        build.console.line("Lock acquired on ${names}")
        try {
            return Threads.within(new Scope(scope, variables), body)
        } finally {
            build.locks.free(names)
        }
    }

    /** The caches of the plugin jobcacher: nothing is kept, what is asked for stands in the log. */
    @Step(first = 'caches', required = ['caches'], takesBody = true,
            others = ['maxCacheSize', 'defaultBranch', 'skipSave', 'skipRestore'])
    Object cache(Map<String, Object> given, Closure body) {
        ((List<Object>) given.caches).each { Object it ->
            Map<String, Object> asked = ((Symbol) it).arguments
            List<String> unknown = (asked.keySet() - ['path', 'includes', 'excludes', 'useDefaultExcludes', 'cacheName',
                                                     'cacheValidityDecidingFile', 'compressionMethod']).toList()
            if (unknown || asked.path == null) {
                throw new IllegalArgumentException("arbitraryFileCache: ${unknown ?: 'no path'}")
            }
            build.console.line("Cache ${asked.path} ${asked.includes ?: ''} ${asked.cacheName ?: ''}")
        }
        return body.call()
    }

    @Step(first = 'ordinal', others = ['label'])
    Object milestone(Map<String, Object> given, Closure body) {
        build.console.line("Trying to pass milestone ${given.ordinal ?: ''}")
        return null
    }

    @Step(first = 'message', required = ['message'],
            others = ['id', 'ok', 'parameters', 'submitter', 'submitterParameter'])
    Object input(Map<String, Object> given, Closure body) {
        build.inputs.add(given)
        build.console.line((String) given.message)
        if (!build.settings.approve) {
            throw new FlowInterruptedException(Result.ABORTED, 'Rejected by somebody')
        }
        Map<String, Object> answers = Parameters.defaults((List) given.parameters ?: [])
        if (given.submitterParameter != null) {
            answers[(String) given.submitterParameter] = 'somebody'
        }
        return answers.size() > 1 ? answers : answers.isEmpty() ? null : answers.values().first()
    }
}

/** The branches of one `parallel`. */
@CompileStatic
class Parallel {
    private final Threads threads
    private final boolean failFast
    private final Map<String, Object> results = new LinkedHashMap<>()
    /** In the order in which they happened. */
    private final List<Throwable> failures = []

    Parallel(Threads threads, boolean failFast) {
        this.threads = threads
        this.failFast = failFast
    }

    Map<String, Object> run(Map<String, Closure> branches) {
        Map<String, Scope> scopes = [:]
        branches.keySet().each { String name ->
            scopes[name] = new Scope(Threads.scope)
            scopes[name].branches = scopes[name].branches + [name]
        }
        threads.join(branches.collect { String name, Closure body ->
            threads.start(scopes[name]) { branch(name, body, scopes) }
        })
        if (failures) {
            throw worst()
        }
        return results
    }

    private void branch(String name, Closure body, Map<String, Scope> scopes) {
        try {
            results[name] = body.call()
        } catch (Throwable error) {
            failures.add(error)
            if (failFast && failures.size() == 1) {
                String reason = "Failed in branch ${name}"
                FlowInterruptedException cause = new FlowInterruptedException(Result.ABORTED, reason)
                (scopes.keySet() - name).each { String other -> threads.cancel(scopes[other], cause) }
            }
        }
    }

    /**
     * As `ParallelStep.ResultHandler` of the plugin workflow-cps: with failFast the first failure counts. Otherwise an
     * interruption counts less than the error of a step, this less than any other exception, and of two interruptions
     * the worse result counts; then who came first.
     */
    private Throwable worst() {
        return failFast ? failures[0] : failures.min { Throwable error -> leniency(error) }
    }

    private static int leniency(Throwable error) {
        if (error instanceof FlowInterruptedException) {
            return 100 - Post.resultOf(error).ordinal()
        }
        return error instanceof AbortException ? 1 : 0
    }
}

/** Named locks of one build. */
@CompileStatic
class Locks {
    private final Set<String> taken = new HashSet<>()

    void take(List<String> names, Threads threads) {
        threads.await { Threads.Waiting waiting ->
            while (!tryTake(names)) {
                waiting.pause(5)
            }
        }
    }

    synchronized void free(List<String> names) {
        taken.removeAll(names)
    }

    /** Takes all of *names*, or none. */
    private synchronized boolean tryTake(List<String> names) {
        return !names.any { String it -> it in taken } && taken.addAll(names)
    }
}
