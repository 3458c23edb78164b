package harness

import groovy.transform.CompileStatic
import hudson.AbortException
import hudson.model.Result
import org.jenkinsci.plugins.workflow.steps.FlowInterruptedException

/** Steps that speak to people, to other jobs and to the job itself. */
@CompileStatic
class NoticeSteps extends StepFamily {
    NoticeSteps(Build build) {
        super(build)
    }

    @Step(required = ['subject', 'body'],
            others = ['to', 'cc', 'bcc', 'from', 'replyTo', 'subject', 'body', 'charset', 'mimeType'])
    Object mail(Map<String, Object> given, Closure body) {
        if (!given.to && !given.cc && !given.bcc) {
            throw new AbortException('mail: nobody to send to')
        }
        build.mails.add(given)
        return null
    }

    @Step(first = 'job', required = ['job'],
            others = ['parameters', 'wait', 'propagate', 'quietPeriod', 'waitForStart'])
    Object 'build'(Map<String, Object> given, Closure body) {
        String job = (String) given.job
        Map<String, Object> parameters = ((List) given.parameters ?: []).collectEntries { Object it ->
            Symbol symbol = parameter(it)
            [symbol.arguments.name, symbol.arguments.value]
        }
        boolean waits = given.wait != false
        this.build.builds.add([job: job, parameters: parameters, wait: waits, propagate: given.propagate != false,
                               node: scope.agent?.node?.name])
        Result result = Result.fromString(this.build.settings.jobs[job] ?: 'SUCCESS')
        if (waits && given.propagate != false && result.isWorseThan(Result.SUCCESS)) {
            // As `BuildTriggerListener` of pipeline-build-step: no actual interruption, which `catchError` catches.
            FlowInterruptedException failure =
                    new FlowInterruptedException(result, "${job} #1 completed with status ${result}")
            failure.actualInterruption = false
            throw failure
        }
        return waits ? new Downstream(result: result.name(), projectName: job, buildVariables: parameters) : null
    }

    private static Symbol parameter(Object given) {
        if (given instanceof Symbol) {
            return (Symbol) given
        }
        Map<String, Object> map = (Map<String, Object>) given
        return new Symbol(name: (String) map['$class'], arguments: map - [$class: map['$class']])
    }

    @Step(first = 'properties', required = ['properties'])
    Object properties(Map<String, Object> given, Closure body) {
        ((List) given.get('properties')).each { Object property ->
            if (property instanceof Symbol && ((Symbol) property).name == 'parameters') {
                build.parameters.declare((List) ((Symbol) property).arguments.value)
            }
            if (property instanceof Symbol && ((Symbol) property).name == 'pipelineTriggers') {
                build.startBy((List) ((Symbol) property).arguments.value)
            }
        }
        return null
    }
}

/** What `build` returns. */
@CompileStatic
class Downstream {
    String result
    String projectName
    Map<String, Object> buildVariables
    int number = 1

    String getCurrentResult() {
        return result
    }
}
