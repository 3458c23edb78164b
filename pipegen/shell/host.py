"""The environment of a job's script: the few differences between engines."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from pipegen.plan.model import Credential, Job, Output, Plan
from pipegen.shell.quote import between_quotes
from pipegen.structs import Struct

Labels: TypeAlias = tuple[tuple[str, str], ...]


class Images(Enum):
    """How an image gets from the job that builds it to the jobs that use it."""

    # All jobs that share an image use one container engine.
    LOCAL = "local"
    # The producer pushes it, the readers pull it.
    REGISTRY = "registry"


class Login(Struct):
    """A registry to log in to before pushing or pulling, all as shell text for double quotes; *setup* comes first."""

    registry: str
    username: str
    password: str
    setup: tuple[str, ...] = ()


class ShellEnvironment(Struct, kw_only=True):
    """The differences between engines, as shell text.

    "Shell text" is text that is valid between double quotes: literal characters
    and expansions such as `$CI_JOB_ID` or `$(command)`.

    Attributes:
        job_id: shell text, unique to this attempt of this job; letters, digits, `.`, `_`, `-`.
        run_id: shell text, the same in all jobs of a run and unique to the run.
        setup: a setup name to shell text, None when the engine has no such value.
        input: a parameter of the run to shell text, which expands to "" without a value and a default.
        labels: image labels in addition to ci.pipeline: name, and shell text of the value.
        values: shell text of a folder with values for other jobs, or None where
            jobs are isolated and pass values as artifacts in `.pipegen`.
        images: how jobs pass images.
        shares_daemon: whether jobs that share containers use one container engine.
        image_repository: shell text of the repository that shared images are pushed to.
        image_folder: shell text of the registry and repository of published images, "" for these two joined.
        names_images: whether jobs know a shared image by a tag with the name of the job that builds it; else, by its
            ID, which holds beyond the run too.
        login: the registry login, None when the runner is logged in already.
        registry, repository: shell text of the registry and repository of published images.
        namespace, charts, frontend: shell text of the helm namespace, the chart repository,
            and the BuildKit frontend for blubberfiles that name none.
        promote_repository, promote_branch, promote_credential: the git repository of deployment
            charts (shell text), its branch, and the credential that may push there.
        archives_folders: whether `archive: true` packs a folder into `.pipegen/archive`
            (else the copied files themselves can be downloaded).
        file_url, folder_url: shell text before the path of an archived file or folder.
        credential: the commands that bind a credential's variables, run before the steps.
        status: the slug of a stage, or "" for the pipeline, to shell text that expands to its result.
        marked: the stages that record their success in a file, which is passed like outputs; with has_status_files,
            there may be one for the pipeline too.
        engine_reads: the outputs that the engine itself reads, exactly as their files hold them.
        is_disposable: whether the container engine, the logins and the temporary files of a job are removed with it.
        keeps_order: whether jobs get the files of other jobs in an order that the arcs allow, so that later ones
            replace those of earlier jobs.
        keeps_lines: whether the lines of a script are not indented, so that here-documents end.
        checks_inputs: whether scripts check the values of inputs.
        checks_choices: whether they also check those of inputs with choices, which some engines check themselves.
        has_pipefail: whether the engine's shell makes a pipeline fail with any of its commands.
        after_values: shell text of a folder, one per attempt of a job, in which the script saves values for `after`.
        expanded_variable: the variable from which the engine inserts an output of a job into an image name;
            None where the engine needs no dotenv file.
        marks_commands: whether a script records in $PIPEGEN_COMMAND the line of the user's that runs, as `ENTRY.LINE`.
        bash: the first lines of a script for bash, with pipefail.
    """

    job_id: str
    run_id: str
    setup: Callable[[str], str | None]
    input: Callable[[str], str]
    labels: Labels
    values: str | None
    images: Images
    shares_daemon: bool
    image_repository: str
    login: Login | None
    registry: str
    repository: str
    namespace: str
    charts: str
    frontend: str
    promote_repository: str
    promote_branch: str
    promote_credential: Credential | None
    archives_folders: bool
    file_url: str
    folder_url: str
    credential: Callable[[Credential], tuple[str, ...]]
    status: Callable[[str], str] = lambda _: "unknown"
    marked: frozenset[str] = frozenset()
    has_status_files: bool = False
    engine_reads: frozenset[Output] = frozenset()
    image_folder: str = ""
    names_images: bool = False
    is_disposable: bool = False
    keeps_order: bool = False
    keeps_lines: bool = False
    checks_inputs: bool = True
    checks_choices: bool = True
    has_pipefail: bool = False
    marks_commands: bool = False
    bash: tuple[str, ...] = ()
    after_values: str = ""
    expanded_variable: Callable[[Job, str], str] | None = None

    @property
    def docker(self) -> str:
        """The container program, as the first word of a command."""
        return "docker" if self.is_disposable else "$DOCKER"


def plan_value(name: str, plan: Plan, labels: Labels) -> str | None:
    """Return the shell text of the setup name *name* if it depends on *plan*: its name, and *labels* of its images."""
    match name:
        case "pipeline":
            return between_quotes(plan.name)
        case "imageLabels":
            all_labels = (*labels, ("ci.pipeline", between_quotes(plan.name)))
            return ",".join(f"{label}={value}" for label, value in all_labels)
    return None
