"""The features of the language that Jenkins supports."""

from __future__ import annotations

from pipegen.targets.base import Capability

_NATIVE, _EMULATED, _REFUSED = "native", "emulated", "refused"

CAPABILITIES: tuple[Capability, ...] = (
    Capability(
        "execution",
        _NATIVE,
        "declarative if a sequence of parallel chains represents the graph exactly, otherwise scripted, which is "
        "exact for any graph; with --style declarative, added waits are reported by name",
    ),
    Capability("groups in arcs", _NATIVE),
    Capability(
        "pipelines",
        _EMULATED,
        "side by side; the parameter PIPEGEN_PIPELINE selects among several; pipelines that publish, promote, "
        "deploy or trigger run only if it names them",
    ),
    Capability(
        "matrix",
        _EMULATED,
        "a stage for each combination, with its own values; combinations of consecutive stages are connected one "
        "to one; combinations with the same steps call one function",
    ),
    Capability("pipeline", _EMULATED, "the stages of the other pipeline replace the stage"),
    Capability("directory", _NATIVE),
    Capability(
        "fetch",
        _NATIVE,
        "the job's own repository, with the options of the git plugin; false: an empty workspace; PG617: path",
    ),
    Capability("workspace", _NATIVE, "shared: one node; declarative only if the file holds a single pipeline"),
    Capability("script", _NATIVE, "one sh step, sh -e"),
    Capability("shell", _NATIVE, "bash: a #! line and set -o pipefail"),
    Capability("secrets", _NATIVE, "withCredentials, which masks them; changes from forks get none; id_token: PG616"),
    Capability("before", _NATIVE, "the first lines of the script"),
    Capability("after", _EMULATED, "try and finally around the script, before files are stashed and archived"),
    Capability(
        "agent",
        _NATIVE,
        "labels joined with &&, and expressions; stages on one agent or in one workspace get an agent that has all"
        " their labels; kubernetes needs the plugin kubernetes",
    ),
    Capability(
        "image",
        _NATIVE,
        "needs the plugin docker-workflow, and docker on agents; runs as the agent's user; a docker agent with "
        "reuseNode in a shared workspace, otherwise inside; dockerfile: docker build in the stage",
    ),
    Capability("services", _EMULATED, "containers in a network of the stage, which needs an image"),
    Capability(
        "resources",
        _EMULATED,
        "shares and limits of the image's container; without an image, a label is required: PG615",
    ),
    Capability("runner_variables", _EMULATED, "no effect: they configure the runner of GitLab"),
    Capability("env", _NATIVE, "constants in environment or withEnv; the script exports other values"),
    Capability("cases", _NATIVE, "a choice in withEnv"),
    Capability("outputs", _EMULATED, "files in a stash for each stage that other stages read from"),
    Capability("artifacts", _NATIVE, "in the same stash, and archived; expire and name have no effect"),
    Capability("cache", _EMULATED, "needs the plugin jobcacher; for each job and branch; no fallback"),
    Capability("lock", _NATIVE, "needs the plugin lockable-resources; for the whole server"),
    Capability(
        "approve", _NATIVE, "input or sleep, before the stage takes an agent; optional: an input with a timeout"
    ),
    Capability("environment", _REFUSED, "PG617: only in names of stages; PG619: the stage of on_stop is left out"),
    Capability("tools", _NATIVE, "tools of the stage or the pipeline, or on the PATH of its script; not in an image"),
    Capability("steps", _NATIVE, "in Groovy; parameters of known steps are checked"),
    Capability("raw", _NATIVE, "wrap: steps around the steps of the stage"),
    Capability("reuse", _EMULATED, "each build computes every result again"),
    Capability(
        "reports",
        _NATIVE,
        "need the plugins junit, coverage and warnings-ng; coverage.percent has no effect; kinds that only GitLab"
        " displays are archived with the build",
    ),
    Capability("files_from", _NATIVE, "only the stashes of these stages are fetched"),
    Capability(
        "when",
        _NATIVE,
        "evaluated before the stage takes an agent; files are examined once, at the start, in a checkout with the"
        " full history",
    ),
    Capability("setup", _NATIVE, "from the job's repository, the build and the git plugin; params.NAME are parameters"),
    Capability(
        "schedule",
        _NATIVE,
        "cron triggers with one time zone for each job; in a multibranch job, only the primary branch",
    ),
    Capability(
        "concurrency",
        _NATIVE,
        "disableConcurrentBuilds for the whole job; a group is a lock around all stages, needs the plugin "
        "lockable-resources, and cannot cancel",
    ),
    Capability(
        "interruptible",
        _REFUSED,
        "false: a warning if concurrency cancels, because Jenkins cancels whole builds",
    ),
    Capability("inputs", _NATIVE, "parameters of the build, checked by the stages that read them"),
    Capability("build", _NATIVE, "needs docker or podman on the agents"),
    Capability("run", _NATIVE, "credentials are bound by the plugin credentials-binding"),
    Capability("copy", _NATIVE, "archive: true archives a file, or a folder as .tar.gz"),
    Capability("publish", _NATIVE),
    Capability("promote", _NATIVE, "needs git, curl and python3 on the agents"),
    Capability("deploy", _NATIVE, "needs helm on the agents"),
    Capability("exports", _NATIVE),
    Capability(
        "trigger", _NATIVE, "the step build; a stage that waits for the other job holds no agent; PG694: include"
    ),
    Capability(
        "retry",
        _NATIVE,
        "the step retry around the whole attempt, including its agent; for script or timeout alone, a function "
        "that distinguishes the two; system with only one of them is refused",
    ),
    Capability(
        "timeout",
        _NATIVE,
        "the step timeout; the time includes the checkout",
    ),
    Capability("allow_failure", _NATIVE, "catchError, which shows the stage as unstable; exit codes by returnStatus"),
    Capability("finally", _EMULATED, "stages in post, which test the result, or scripted for the status of a stage"),
    Capability("pipeline timeout", _NATIVE, "the option timeout of the whole job, without the wait in the queue"),
    Capability("fail_fast", _EMULATED, "unless stages start in layers: in the scripted style, a flag that stages read"),
    Capability("notify", _NATIVE, "needs the plugin mailer"),
    Capability(
        "images across stages",
        _EMULATED,
        "images: local runs these stages on one agent, registry pushes and pulls the images",
    ),
    Capability(
        "containers across stages",
        _EMULATED,
        "on one agent; with images: registry, the copied paths are transferred in a stash",
    ),
)
