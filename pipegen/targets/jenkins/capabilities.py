"""What Jenkins can say of the language."""

from __future__ import annotations

from pipegen.targets.base import Capability

_NATIVE, _EMULATED, _REFUSED = "native", "emulated", "refused"

CAPABILITIES: tuple[Capability, ...] = (
    Capability(
        "execution",
        _NATIVE,
        "declarative where a sequence of parallel chains says the graph exactly, else scripted, exact for any graph; "
        "forced declarative adds waits and names them",
    ),
    Capability("groups in arcs", _NATIVE),
    Capability(
        "pipelines",
        _EMULATED,
        "side by side; the parameter PIPEGEN_PIPELINE chooses among several, those that publish, promote, deploy or "
        "trigger only when it names them",
    ),
    Capability(
        "matrix", _EMULATED, "a stage for each leg: legs have values of their own, and come after each other one to one"
    ),
    Capability("pipeline", _EMULATED, "the stages of the other pipeline take the place of the stage"),
    Capability("directory", _NATIVE),
    Capability("fetch", _NATIVE, "the job's own repository, with the git plugin's clone and submodule options"),
    Capability("workspace", _NATIVE, "shared: one node; declarative only where the pipeline is alone in the file"),
    Capability(
        "script",
        _NATIVE,
        "one sh step, sh -e",
    ),
    Capability("shell", _NATIVE, "bash: a #! line and set -o pipefail"),
    Capability("secrets", _NATIVE, "withCredentials, which masks them; changes from forks get none; id_token: PG616"),
    Capability("after", _EMULATED, "try and finally around the script, before files are stashed and archived"),
    Capability("agent", _NATIVE, "labels with && between; stages on one agent or workspace get one that has them all"),
    Capability(
        "image",
        _NATIVE,
        "needs the plugin docker-workflow, and docker on agents; runs as the agent's user; a docker agent with "
        "reuseNode where the workspace is shared, else inside",
    ),
    Capability("services", _EMULATED, "containers in a network of the stage; they need its image"),
    Capability("resources", _EMULATED, "a share and a soft limit of the image's container; else a label: PG615"),
    Capability("env", _NATIVE, "exported by the script, so that any text arrives"),
    Capability("outputs", _EMULATED, "files in a stash for each stage that is read"),
    Capability("artifacts", _NATIVE, "in the same stash, and archived for people; expire and name have no effect"),
    Capability(
        "cache",
        _EMULATED,
        "needs the plugin jobcacher; for each job and branch; no fallback",
    ),
    Capability("lock", _NATIVE, "needs the plugin lockable-resources; for the whole server"),
    Capability("approve", _NATIVE, "input or sleep, before an agent is taken"),
    Capability("environment", _REFUSED, "PG617: shown nowhere; PG619: the stage of on_stop is left out"),
    Capability("raw", _NATIVE, "wrap: steps around those of the stage"),
    Capability("reuse", _EMULATED, "each build works all out anew"),
    Capability("reports", _NATIVE, "need the plugins junit, coverage and warnings-ng; coverage.percent has no effect"),
    Capability("files_from", _NATIVE, "only these stashes are fetched"),
    Capability(
        "when",
        _NATIVE,
        "asked before an agent is taken; files are looked at once, at the start, in a checkout with the whole history",
    ),
    Capability("setup", _NATIVE, "from the job's repository, the build and the git plugin; params.NAME are parameters"),
    Capability("schedule", _NATIVE, "cron triggers, one time zone for a job; of a multibranch job, the primary branch"),
    Capability(
        "concurrency",
        _NATIVE,
        "disableConcurrentBuilds for the whole job; a group is a lock around all stages, with the plugin "
        "lockable-resources, and cannot cancel",
    ),
    Capability(
        "interruptible", _REFUSED, "false: a warning where the concurrency cancels, as runs are cancelled whole"
    ),
    Capability("inputs", _NATIVE, "parameters of the build; checked by the stages that read them"),
    Capability("build", _NATIVE, "needs docker or podman on the agents"),
    Capability("run", _NATIVE, "credentials are bound by credentials-binding"),
    Capability("copy", _NATIVE, "archive: true archives; a folder as .tar.gz"),
    Capability("publish", _NATIVE),
    Capability("promote", _NATIVE, "needs git, curl and python3 on the agents"),
    Capability("deploy", _NATIVE, "needs helm on the agents"),
    Capability("exports", _NATIVE),
    Capability("trigger", _NATIVE, "the step build; a stage that waits for the other job holds no agent"),
    Capability(
        "retry",
        _NATIVE,
        "the step retry around all that a try does, its agent too; for script or timeout alone a function that tells "
        "these apart; system beside one of them is refused",
    ),
    Capability("timeout", _NATIVE, "the step timeout; a stage that runs out of time fails, checkout included"),
    Capability("allow_failure", _NATIVE, "catchError, which shows the stage as unstable; exit codes by returnStatus"),
    Capability("finally", _EMULATED, "in the scripted style; a forced declarative style is refused"),
    Capability("fail_fast", _EMULATED, "in the scripted style: a flag that is read before a stage starts"),
    Capability("notify", _NATIVE, "needs the plugin mailer"),
    Capability(
        "images across stages",
        _EMULATED,
        "images: local keeps such stages on one agent, registry pushes and pulls",
    ),
    Capability(
        "containers across stages",
        _EMULATED,
        "on one agent; with images: registry the copied paths travel in a stash",
    ),
)
