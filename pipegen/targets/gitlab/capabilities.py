"""What GitLab can say of the language."""

from __future__ import annotations

from pipegen.targets.base import Capability

_NATIVE, _EMULATED, _REFUSED = "native", "emulated", "refused"

TABLE: tuple[Capability, ...] = (
    Capability(
        "execution",
        _NATIVE,
        "needs, exact for any graph; more than 50 for one stage go through helper jobs; what GitLab refuses as too big "
        "goes into files that it includes, which adds no wait",
    ),
    Capability("groups in arcs", _NATIVE),
    Capability(
        "pipelines",
        _EMULATED,
        "side by side; rules on the variable PIPEGEN_PIPELINE choose among several, those that publish, promote, "
        "deploy or trigger only when it names them",
    ),
    Capability(
        "matrix", _EMULATED, "a job for each leg: legs have values of their own, and come after each other one to one"
    ),
    Capability("pipeline", _EMULATED, "the stages of the other pipeline take the place of the stage"),
    Capability("directory", _NATIVE),
    Capability("fetch", _NATIVE, "GIT_DEPTH, GIT_SUBMODULE_STRATEGY and GIT_FETCH_EXTRA_FLAGS"),
    Capability("workspace", _REFUSED, "shared: a warning; jobs stay isolated"),
    Capability(
        "script",
        _NATIVE,
        "pipefail is turned off, as on other engines; no image is set where only a script runs",
    ),
    Capability("shell", _NATIVE, "bash where the image has it, else the job fails; set -o pipefail"),
    Capability(
        "secrets", _NATIVE, "CI/CD variables named as the ID, in upper case, masked where they say so; id_tokens"
    ),
    Capability("after", _NATIVE, "after_script; with a timeout, RUNNER_SCRIPT_TIMEOUT lets it run when the time is up"),
    Capability("agent", _NATIVE, "tags of runners, in place of targets.gitlab.tags"),
    Capability("image", _NATIVE, "outputs in its name are variables, by a dotenv report"),
    Capability("services", _NATIVE),
    Capability("resources", _NATIVE, "KUBERNETES_CPU_REQUEST and _MEMORY_REQUEST; other executors ignore them"),
    Capability("env", _NATIVE, "exported by the script, so that any text arrives"),
    Capability("outputs", _EMULATED, "files among the artifacts of each stage that is read"),
    Capability(
        "artifacts",
        _NATIVE,
        "people can browse them; when: failure drops values too, and is refused beside them; a path that only the run "
        "knows travels in a tar",
    ),
    Capability("cache", _NATIVE, "four for a stage, keys of two files"),
    Capability("lock", _NATIVE, "a resource group; one for a stage, in the project"),
    Capability("approve", _NATIVE, "a blocking manual job, or a delayed one; approvers are a setting of the project"),
    Capability("environment", _NATIVE, "addresses that only the run knows go by a dotenv report"),
    Capability("raw", _NATIVE, "keys laid over those of the job"),
    Capability("reuse", _EMULATED, "each run works all out anew"),
    Capability("reports", _NATIVE, "junit, coverage, codequality; sarif is kept as an artifact"),
    Capability("files_from", _NATIVE, "needs with artifacts only for these"),
    Capability(
        "when",
        _NATIVE,
        "rules; where several must hold, one changes and one exists; past a stage that may be dropped, needs go on to "
        "those before it",
    ),
    Capability(
        "setup",
        _NATIVE,
        "predefined variables, params.NAME is the variable NAME; of Jenkins' checkout variables GIT_COMMIT, "
        "GIT_BRANCH, GIT_LOCAL_BRANCH and GIT_URL",
    ),
    Capability("schedule", _REFUSED, "schedules live in the project: a note says which one to create there"),
    Capability(
        "concurrency",
        _NATIVE,
        "cancel: workflow:auto_cancel and interruptible jobs, among runs of one branch; an error where runs shall wait "
        "for each other",
    ),
    Capability("interruptible", _NATIVE),
    Capability("inputs", _NATIVE, "variables in the form that starts pipelines; checked by the stages that read them"),
    Capability(
        "build", _NATIVE, "docker with a docker-in-docker service; images: local needs a shell runner with docker"
    ),
    Capability("run", _NATIVE, "credentials are CI/CD variables named as the ID, in upper case"),
    Capability("copy", _NATIVE, "archive: true or not, the copied files are artifacts; a folder stays a folder"),
    Capability("publish", _NATIVE, "to the project's own registry unless set"),
    Capability("promote", _NATIVE),
    Capability("deploy", _NATIVE),
    Capability("exports", _NATIVE),
    Capability(
        "trigger",
        _NATIVE,
        "of a project that targets.gitlab.projects names; with values computed at run time it is not waited for",
    ),
    Capability(
        "retry",
        _NATIVE,
        "at most 2 extra tries; by GitLab's own reasons: script_failure, job_execution_timeout, those of the system",
    ),
    Capability("timeout", _NATIVE, "the time in which the job runs, image and checkout included"),
    Capability("allow_failure", _NATIVE, "with exit codes, the runner's FF_USE_NEW_BASH_EVAL_STRATEGY keeps them"),
    Capability(
        "finally",
        _EMULATED,
        "jobs of a last step that always run; helpers note the statuses they read; not when cancelled",
    ),
    Capability("fail_fast", _REFUSED, "a warning; other stages start all the same"),
    Capability("notify", _EMULATED, "a job that runs on failure and calls curl; needs targets.gitlab.mail"),
    Capability(
        "images across stages",
        _EMULATED,
        "images: registry pushes and pulls, local keeps them on the one shell runner",
    ),
    Capability(
        "containers across stages",
        _EMULATED,
        "the copied paths travel as artifacts; with images: local the containers stay",
    ),
)
