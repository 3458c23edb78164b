"""The features of the language that GitLab supports."""

from __future__ import annotations

from pipegen.targets.base import Capability

_NATIVE, _EMULATED, _REFUSED = "native", "emulated", "refused"

TABLE: tuple[Capability, ...] = (
    Capability(
        "execution",
        _NATIVE,
        "needs, exact for any graph; more than 50 needs of a stage go through helper jobs; jobs of a file that is"
        " too large for GitLab go into included files, which adds no waits",
    ),
    Capability("groups in arcs", _NATIVE),
    Capability(
        "pipelines",
        _EMULATED,
        "side by side; rules on the variable PIPEGEN_PIPELINE select among several; pipelines that publish, "
        "promote, deploy or trigger run only if it names them",
    ),
    Capability(
        "matrix",
        _NATIVE,
        "parallel: matrix, or a job for each combination, with its own values; combinations of consecutive stages are "
        "connected one to one",
    ),
    Capability("pipeline", _EMULATED, "the stages of the other pipeline replace the stage"),
    Capability("directory", _NATIVE),
    Capability(
        "fetch",
        _NATIVE,
        "GIT_STRATEGY, GIT_CLONE_PATH, GIT_DEPTH, GIT_SUBMODULE_STRATEGY, GIT_SUBMODULE_DEPTH, GIT_FETCH_EXTRA_FLAGS",
    ),
    Capability("workspace", _REFUSED, "shared: a warning; jobs stay isolated"),
    Capability(
        "script",
        _NATIVE,
        "pipefail is off, as on other engines, unless the script sets it; a stage with only a script gets no image",
    ),
    Capability("shell", _NATIVE, "bash if the image contains it, otherwise sh; the runner sets pipefail"),
    Capability(
        "secrets",
        _NATIVE,
        "CI/CD variables named after the ID, in upper case, masked if they are set as masked; id_tokens",
    ),
    Capability("before", _NATIVE, "the first lines of the script"),
    Capability(
        "after",
        _NATIVE,
        "after_script; with a timeout, RUNNER_SCRIPT_TIMEOUT lets it run after the script has timed out",
    ),
    Capability(
        "agent",
        _NATIVE,
        "tags of runners, which replace targets.gitlab.tags; PG658: || and !; kubernetes: only its image",
    ),
    Capability(
        "image",
        _NATIVE,
        "outputs in its name are variables, by a dotenv report; dockerfile: a helper job builds it, PG693 with images: "
        "local; PG679: args and credentials",
    ),
    Capability("services", _NATIVE),
    Capability(
        "resources", _NATIVE, "KUBERNETES_CPU_REQUEST, _MEMORY_REQUEST and their _LIMIT; other executors ignore them"
    ),
    Capability("runner_variables", _NATIVE, "variables of the job"),
    Capability(
        "env", _NATIVE, "constants are variables, also with paths or numbers of GitLab; scripts export all other values"
    ),
    Capability("cases", _NATIVE, "variables of rules"),
    Capability("outputs", _EMULATED, "files among the artifacts of each stage that other stages read from"),
    Capability(
        "artifacts",
        _NATIVE,
        "can be browsed; when: failure also drops outputs, so the two together are refused; a path that is "
        "computed at run time is transferred in a tar",
    ),
    Capability("cache", _NATIVE, "at most four for each stage, with keys of at most two files"),
    Capability("lock", _NATIVE, "a resource group of the project; at most one for each stage"),
    Capability(
        "approve",
        _NATIVE,
        "a manual job, which blocks unless it is optional, or a delayed job; approvers are a setting of the project; "
        "with when, rules, which test at most one set of changed files together with the when of the stage",
    ),
    Capability("environment", _NATIVE, "addresses that are computed at run time use a dotenv report"),
    Capability("tools", _REFUSED, "PG679: left out"),
    Capability("steps", _REFUSED, "PG678, or left out with elsewhere: skip, except conditions around scripts"),
    Capability("raw", _NATIVE, "keys that override the keys of the job"),
    Capability("reuse", _EMULATED, "each run computes every result again"),
    Capability("reports", _NATIVE, "all kinds; sarif is stored as an artifact"),
    Capability("files_from", _NATIVE, "needs with artifacts only for these stages"),
    Capability(
        "when",
        _NATIVE,
        "rules; of conditions that must all be true, at most one changes and one exists; after a stage that may "
        "be left out, jobs also need the stages before it",
    ),
    Capability(
        "setup",
        _NATIVE,
        "predefined variables; params.NAME is the variable NAME; of the checkout variables of Jenkins, only "
        "GIT_COMMIT, GIT_BRANCH, GIT_LOCAL_BRANCH and GIT_URL",
    ),
    Capability(
        "schedule",
        _REFUSED,
        "schedules belong to the project: a diagnostic names the schedule to create there",
    ),
    Capability(
        "concurrency",
        _NATIVE,
        "cancel: workflow:auto_cancel and interruptible jobs, among runs of one branch; else the stages are in a child "
        "pipeline, whose bridge job holds a resource group",
    ),
    Capability("interruptible", _NATIVE),
    Capability("inputs", _NATIVE, "variables in the form that starts pipelines, checked by the stages that read them"),
    Capability(
        "build",
        _NATIVE,
        "docker with a docker-in-docker service; images: local needs a shell runner with docker",
    ),
    Capability("run", _NATIVE, "credentials are CI/CD variables named after the ID, in upper case"),
    Capability(
        "copy",
        _NATIVE,
        "the copied files are artifacts, with or without archive: true; a folder stays a folder",
    ),
    Capability("publish", _NATIVE, "to the registry of the project by default"),
    Capability("promote", _NATIVE),
    Capability("deploy", _NATIVE),
    Capability("exports", _NATIVE),
    Capability(
        "trigger",
        _NATIVE,
        "of a project that targets.gitlab.projects names; with values computed at run time, the job does not wait; "
        "include: a child pipeline",
    ),
    Capability(
        "retry",
        _NATIVE,
        "at most 2 further attempts, for GitLab's reasons: script_failure, job_execution_timeout and system failures",
    ),
    Capability("timeout", _NATIVE, "the whole time of the job, including image and checkout"),
    Capability("allow_failure", _NATIVE, "for exit codes, the runner's FF_USE_NEW_BASH_EVAL_STRATEGY preserves them"),
    Capability(
        "finally",
        _EMULATED,
        "jobs of a last step, except after a cancellation, which run always, on_failure or on_success; a stage that "
        "runs always and reads the status of the pipeline is two jobs; helper jobs record the statuses of stages",
    ),
    Capability("pipeline timeout", _EMULATED, "the limit of each job, with a warning: a pipeline has none"),
    Capability("fail_fast", _REFUSED, "a warning; other stages start nevertheless"),
    Capability("notify", _EMULATED, "a job that runs on failure and calls curl; needs targets.gitlab.mail"),
    Capability(
        "images across stages",
        _EMULATED,
        "images: registry pushes and pulls the images, local stores them on the single shell runner",
    ),
    Capability(
        "containers across stages",
        _EMULATED,
        "the copied paths are transferred as artifacts; with images: local, the containers stay",
    ),
)
