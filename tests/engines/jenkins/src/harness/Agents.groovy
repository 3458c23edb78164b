package harness

import groovy.transform.CompileStatic
import hudson.AbortException

/** An executor in use, and the workspace that came with it. */
@CompileStatic
class Allocation {
    Node node
    int executor
    File workspace
    /** Marks the processes that are started here, so that none outlives the allocation. */
    String cookie

    File getTemporary() {
        return new File(workspace.parentFile, workspace.name + '@tmp')
    }

    Map<String, String> variables() {
        return [NODE_NAME: node.name, NODE_LABELS: node.labels.join(' '), EXECUTOR_NUMBER: executor as String,
                WORKSPACE: workspace.path, WORKSPACE_TMP: temporary.path, JENKINS_NODE_COOKIE: cookie]
    }
}

/** An agent with its executors and the workspaces of the job on it. */
@CompileStatic
class Node {
    String name
    List<String> labels
    int executors
    File root
    final Set<Integer> busy = new TreeSet<>()
    final Set<String> used = new HashSet<>()

    int getFree() {
        return executors - busy.size()
    }

    boolean matches(String expression) {
        return expression.isEmpty() || new LabelExpression(expression).matches(labels + [name])
    }

    /** As Jenkins: the first of JOB, JOB@2, JOB@3 … that nobody uses, with what an earlier use left in it. */
    File workspace(String job) {
        int number = 1
        while (!used.add(number == 1 ? job : "${job}@${number}".toString())) {
            number++
        }
        return new File(root, number == 1 ? job : "${job}@${number}".toString())
    }
}

/** Hands out executors, first come first served. */
@CompileStatic
class Agents {
    private final List<Node> nodes
    private final String job
    private final List<Object> queue = []
    private int serial

    Agents(Settings settings) {
        job = settings.job.replace('/', '_')
        nodes = settings.nodes.collect { Map<String, Object> it ->
            new Node(name: (String) it.name, labels: (List<String>) it.labels, executors: ((Number) it.executors).intValue(),
                    root: new File(settings.root, "agents/${it.name}/workspace"))
        }
    }

    /** Waits for a free executor of an agent that *label* fits. */
    Allocation allocate(String label, Threads.Waiting waiting) {
        if (!nodes.any { Node node -> node.matches(label) }) {
            throw new AbortException("no agent has the label \"${label}\", the build would wait forever")
        }
        Object ticket = new Object()
        synchronized (this) {
            queue.add([ticket, label])
        }
        try {
            Allocation allocation = tryTake(ticket, label)
            while (allocation == null) {
                waiting.pause(5)
                allocation = tryTake(ticket, label)
            }
            return allocation
        } finally {
            synchronized (this) {
                queue.removeAll { Object entry -> ((List) entry)[0].is(ticket) }
            }
        }
    }

    synchronized void release(Allocation allocation) {
        allocation.node.busy.remove(allocation.executor)
        allocation.node.used.remove(allocation.workspace.name)
    }

    /** Takes an executor unless somebody who came earlier could use it; the agent with the most free ones comes first. */
    private synchronized Allocation tryTake(Object ticket, String label) {
        Node node = nodes.findAll { Node it -> it.free > 0 && it.matches(label) && !isWantedEarlier(it, ticket) }
                .max { Node it -> it.free }
        if (node == null) {
            return null
        }
        int executor = (0..<node.executors).find { int it -> !node.busy.contains(it) }
        node.busy.add(executor)
        return new Allocation(node: node, executor: executor, workspace: node.workspace(job), cookie: "${job}-${UUID.randomUUID()}-${serial++}")
    }

    private boolean isWantedEarlier(Node node, Object ticket) {
        return queue.takeWhile { Object entry -> !((List) entry)[0].is(ticket) }
                .count { Object entry -> node.matches((String) ((List) entry)[1]) } >= node.free
    }
}

/** Label expressions of Jenkins: names, `!`, `&&`, `||` and parentheses. */
@CompileStatic
class LabelExpression {
    private final List<String> tokens
    private int next

    LabelExpression(String text) {
        tokens = text.findAll(/&&|\|\||[!()]|"[^"]*"|[^\s!()&|"]+/)
    }

    boolean matches(List<String> labels) {
        next = 0
        boolean value = either(labels)
        if (next < tokens.size()) {
            throw new AbortException("cannot read the label expression \"${tokens.join(' ')}\"")
        }
        return value
    }

    private boolean either(List<String> labels) {
        boolean value = both(labels)
        while (isNext('||')) {
            value = both(labels) | value
        }
        return value
    }

    private boolean both(List<String> labels) {
        boolean value = one(labels)
        while (isNext('&&')) {
            value = one(labels) & value
        }
        return value
    }

    private boolean one(List<String> labels) {
        if (isNext('!')) {
            return !one(labels)
        }
        if (isNext('(')) {
            boolean value = either(labels)
            if (!isNext(')')) {
                throw new AbortException('a label expression lacks ")"')
            }
            return value
        }
        if (next >= tokens.size()) {
            throw new AbortException('a label expression ends early')
        }
        return labels.contains(tokens[next++].replaceAll('^"|"$', ''))
    }

    private boolean isNext(String token) {
        boolean found = next < tokens.size() && tokens[next] == token
        next += found ? 1 : 0
        return found
    }
}
