package harness

import groovy.transform.CompileStatic
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import java.util.concurrent.ScheduledExecutorService
import java.util.concurrent.ScheduledFuture
import java.util.concurrent.ThreadFactory
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock
import org.jenkinsci.plugins.workflow.steps.FlowInterruptedException

/**
 * The threads of a build. As in Jenkins only one runs Groovy code at a time: others wait in a step, or for their turn.
 */
@CompileStatic
class Threads {
    /** One line of execution: the main one, or a branch of a parallel block. */
    static class Head {
        Scope scope
        Waiting waiting
        /** Whether it waits for its branches, which an interruption stops in its place (`ParallelStepExecution.stop`). */
        boolean isJoining
        /** An interruption that arrived between two steps; the next step that waits throws it. */
        FlowInterruptedException pending
        Scope pendingScope
    }

    private static final ThreadLocal<Head> CURRENT = new ThreadLocal<>()
    private final ReentrantLock turn = new ReentrantLock(true)
    private final List<Head> heads = []
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, { Runnable task ->
        Thread thread = new Thread(task)
        thread.daemon = true
        return thread
    } as ThreadFactory)

    static Scope getScope() {
        return CURRENT.get().scope
    }

    /** Runs *body* with *scope* around it. */
    static <T> T within(Scope scope, Callable<T> body) {
        Head head = CURRENT.get()
        Scope before = head.scope
        head.scope = scope
        try {
            return body.call()
        } finally {
            head.scope = before
        }
    }

    /** Runs *body* as a line of execution of its own, taking turns with the others. */
    void run(Scope scope, Runnable body) {
        Head head = new Head(scope: scope)
        CURRENT.set(head)
        synchronized (heads) {
            heads.add(head)
        }
        turn.lock()
        try {
            body.run()
        } finally {
            synchronized (heads) {
                heads.remove(head)
            }
            turn.unlock()
        }
    }

    /** Starts a branch; it is in the queue for its turn, behind those started before, when this returns. */
    Thread start(Scope scope, Runnable body) {
        Thread thread = new Thread({ run(scope, body) })
        thread.daemon = true
        thread.start()
        while (thread.alive && !turn.hasQueuedThread(thread)) {
            Thread.yield()
        }
        return thread
    }

    /** Lets the others run until *threads* are done. */
    void join(List<Thread> threads) {
        Head head = CURRENT.get()
        synchronized (heads) {
            head.isJoining = true
        }
        turn.unlock()
        try {
            threads.each { Thread thread -> thread.join() }
        } finally {
            synchronized (heads) {
                head.isJoining = false
            }
            turn.lock()
        }
    }

    /** Lets the others run while *work* waits for something; an interruption reaches it through its `Waiting`. */
    public <T> T await(Closure<T> work, Runnable onCancel = null) {
        Head head = CURRENT.get()
        Waiting waiting = new Waiting(onCancel: onCancel)
        synchronized (heads) {
            FlowInterruptedException cause = takePending(head)
            if (cause != null) {
                throw cause
            }
            head.waiting = waiting
        }
        turn.unlock()
        try {
            return work.call(waiting)
        } finally {
            synchronized (heads) {
                head.waiting = null
            }
            turn.lock()
        }
    }

    /** Stops what runs within *scope*: steps that wait at once, others before they next wait. */
    void cancel(Scope scope, FlowInterruptedException cause) {
        List<Waiting> reached = []
        synchronized (heads) {
            heads.findAll { Head head -> head.scope.isWithin(scope) }.each { Head head ->
                if (head.waiting != null) {
                    reached.add(head.waiting)
                } else if (!head.isJoining) {
                    head.pending = cause
                    head.pendingScope = scope
                }
            }
        }
        reached.each { Waiting waiting -> waiting.cancel(cause) }
    }

    ScheduledFuture after(long milliseconds, Runnable task) {
        return timer.schedule(task, milliseconds, TimeUnit.MILLISECONDS)
    }

    ScheduledFuture every(long first, long milliseconds, Runnable task) {
        return timer.scheduleAtFixedRate(task, first, milliseconds, TimeUnit.MILLISECONDS)
    }

    private static FlowInterruptedException takePending(Head head) {
        FlowInterruptedException cause = head.pending
        head.pending = null
        return cause != null && head.scope.isWithin(head.pendingScope) ? cause : null
    }

    /** A step that waits, and what to do when it is told to stop. */
    static class Waiting {
        Runnable onCancel
        private volatile FlowInterruptedException cause

        FlowInterruptedException getCause() {
            return cause
        }

        synchronized void cancel(FlowInterruptedException reason) {
            if (cause == null) {
                cause = reason
                notifyAll()
                onCancel?.run()
            }
        }

        /** Waits for that long, or throws as soon as it is told to stop. */
        synchronized void pause(long milliseconds) {
            long end = System.nanoTime() + milliseconds * 1_000_000L
            while (cause == null && System.nanoTime() < end) {
                wait(Math.max(1L, (end - System.nanoTime()).intdiv(1_000_000L).longValue()))
            }
            if (cause != null) {
                throw cause
            }
        }
    }
}
