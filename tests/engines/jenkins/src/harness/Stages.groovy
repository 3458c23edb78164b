package harness

import groovy.transform.CompileStatic
import hudson.model.Result
import org.jenkinsci.plugins.workflow.steps.FlowInterruptedException

/** What happened to one stage. */
@CompileStatic
class StageRecord {
    String name
    /** The names of the stages around it, outermost first. */
    List<String> parents
    /** The names of the parallel branches around it, outermost first. */
    List<String> branches
    String node
    long start
    long end
    /** Places in the order of all starts and ends. */
    int began
    int ended
    String status
    String message

    Map<String, Object> toMap() {
        return [name: name, parents: parents, branches: branches, node: node, start: start, end: end, began: began,
                ended: ended, status: status, message: message] as Map<String, Object>
    }
}

/** The stages of a build in the order of their start. */
@CompileStatic
class Stages {
    private final List<StageRecord> records = []
    private int counter

    synchronized StageRecord begin(String name, Scope scope) {
        StageRecord parent = scope.stage
        StageRecord record = new StageRecord(name: name, branches: scope.branches, start: Clock.now(), began: counter++,
                parents: parent == null ? new ArrayList<String>() : parent.parents + [parent.name])
        records.add(record)
        return record
    }

    synchronized void end(StageRecord record, Throwable error) {
        record.end = Clock.now()
        record.ended = counter++
        if (error != null) {
            record.message = error.message ?: error.class.simpleName
        }
        record.status = worst(record.status, error == null ? 'success' : statusOf(error))
    }

    /** Marks the latest stage of that name, as Jenkins does for a stage whose condition is false. */
    synchronized void markSkipped(String name) {
        StageRecord record = records.reverse().find { StageRecord it -> it.name == name }
        if (record != null) {
            record.status = 'skipped'
        }
    }

    synchronized List<Map<String, Object>> toList() {
        return records.collect { StageRecord record -> record.toMap() }
    }

    /** Says that a stage which goes on is not a success. */
    static void mark(StageRecord record, Result result, String message) {
        if (record != null && result.isWorseThan(Result.SUCCESS)) {
            String status = result == Result.FAILURE ? 'failed' : result.name().toLowerCase(Locale.ROOT)
            record.status = worst(record.status, status)
            record.message = record.message ?: message
        }
    }

    private static String statusOf(Throwable error) {
        return error instanceof FlowInterruptedException && error.result == Result.ABORTED ? 'aborted' : 'failed'
    }

    private static String worst(String first, String second) {
        List<String> order = ['success', 'skipped', 'unstable', 'not_built', 'failed', 'aborted']
        return order.indexOf(first) > order.indexOf(second) ? first : second
    }
}

/** Wall-clock time that never runs backwards. */
@CompileStatic
class Clock {
    private static final long STARTED = System.currentTimeMillis()
    private static final long ORIGIN = System.nanoTime()

    static long now() {
        return STARTED + (System.nanoTime() - ORIGIN).intdiv(1_000_000L).longValue()
    }
}
