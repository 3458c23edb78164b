"""What a job's script finds where it runs: the few things that differ between engines."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from pipegen.plan.model import Credential, Job
from pipegen.structs import Struct


class Images(Enum):
    """How an image gets from the job that builds it to the jobs that use it."""

    # All jobs that share an image talk to one container engine.
    LOCAL = "local"
    # The producer pushes it, the readers pull it.
    REGISTRY = "registry"


class Login(Struct):
    """A registry to log in to before pushing or pulling, all as shell text for double quotes."""

    registry: str
    username: str
    password: str


class ShellEnvironment(Struct, kw_only=True):
    """The differences between engines, as shell text.

    "Shell text" is text that may stand between double quotes: literal characters
    and expansions such as `$CI_JOB_ID` or `$(command)`.

    Attributes:
        job_id: shell text that names this try of this job and no other; letters, digits, `.`, `_`, `-`.
        run_id: shell text that is the same in all jobs of a run, and in no other run.
        setup: a setup name to shell text, None when the engine has no such value.
        input: a parameter of the run to shell text; it comes out empty when it has neither a value nor a default.
        labels: image labels, name and shell text of the value, beside ci.pipeline.
        values: shell text of a folder where values wait for other jobs, or None where
            jobs are isolated and values travel as artifacts in `.pipegen`.
        images: how images travel.
        shares_daemon: whether jobs that share containers talk to one container engine.
        image_repository: shell text of the repository that shared images are pushed to.
        login: the registry login, None when the machine is logged in already.
        registry, repository: shell text of where published images go.
        namespace, charts, frontend: shell text of the helm namespace, the chart repository,
            and the BuildKit frontend for blubberfiles that name none.
        promote_repository, promote_branch, promote_credential: the git repository of deployment
            charts (shell text), its branch, and the credential that may push there.
        archives_folders: whether `archive: true` packs a folder and hands it over in `.pipegen/archive`
            (else the copied files themselves can be downloaded).
        file_url, folder_url: shell text before the path of an archived file or folder.
        credential: the commands that bind a credential's variables, run before the steps.
        status: the slug of a stage, or "" for the pipeline, to shell text that comes to what came of it.
        marked: the stages whose success a file tells, which travels as outputs do; with has_status_files, one may
            travel that tells of the pipeline, too.
        has_pipefail: whether the engine's shell makes a pipeline fail with any of its commands.
        kept: shell text of a folder, of one try of one job, in which its script leaves values for what comes after it.
        expanded_variable: the variable by which the engine puts an output of a job into a name that it expands itself;
            None where no file is needed for that.
        bash: the lines with which a script begins that bash must run, pipefail among them.
    """

    job_id: str
    run_id: str
    setup: Callable[[str], str | None]
    input: Callable[[str], str]
    labels: tuple[tuple[str, str], ...]
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
    has_pipefail: bool = False
    bash: tuple[str, ...] = ()
    kept: str = ""
    expanded_variable: Callable[[Job, str], str] | None = None
