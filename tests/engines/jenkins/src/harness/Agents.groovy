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

/** A place in the queue for an executor. */
@CompileStatic
class Request {
    String label
}

/** Hands out executors, first come first served. */
@CompileStatic
class Agents {
    private final List<Node> nodes
    private final String job
    private final List<Request> queue = []

    Agents(Settings settings) {
        job = settings.job.replace('/', '_')
        nodes = settings.nodes.collect { Map<String, Object> it ->
            File root = new File(settings.root, "agents/${it.name}/workspace")
            int executors = ((Number) it.executors).intValue()
            new Node(name: (String) it.name, labels: (List<String>) it.labels, executors: executors, root: root)
        }
    }

    /** Asks for an executor; requests are served in the order in which they are made. */
    synchronized Request request(String label) {
        if (!nodes.any { Node node -> node.matches(label) }) {
            throw new AbortException("no agent has the label \"${label}\", the build would wait forever")
        }
        Request request = new Request(label: label)
        queue.add(request)
        return request
    }

    synchronized void withdraw(Request request) {
        queue.remove(request)
    }

    /** Returns an executor that nobody who came earlier could use; the agent with the most free ones comes first. */
    synchronized Allocation tryTake(Request request) {
        List<Node> fitting = nodes.findAll { Node it -> it.matches(request.label) && hasFree(it, request) }
        Node node = fitting.max { Node it -> it.free }
        if (node == null) {
            return null
        }
        queue.remove(request)
        int executor = (0..<node.executors).find { int it -> !node.busy.contains(it) }
        node.busy.add(executor)
        String cookie = UUID.randomUUID().toString()
        return new Allocation(node: node, executor: executor, workspace: node.workspace(job), cookie: cookie)
    }

    synchronized void release(Allocation allocation) {
        allocation.node.busy.remove(allocation.executor)
        allocation.node.used.remove(allocation.workspace.name)
    }

    /** Returns whether *node* has more free executors than requests that came earlier want of it. */
    private boolean hasFree(Node node, Request request) {
        List<Request> earlier = queue.takeWhile { Request it -> !it.is(request) }
        return node.free > earlier.count { Request it -> node.matches(it.label) }
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
