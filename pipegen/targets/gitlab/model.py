"""GitLab's nouns, as far as they are written."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.emit.yaml import Data
from pipegen.structs import Struct, field
from pipegen.targets.gitlab.settings import Pages, Release, Workflow

HELPER = "PIPEGEN_HELPER"


class ImageKeys(Struct):
    """The image a job runs in; one with an entrypoint of its own needs it cleared, or another *entrypoint*.

    *pull* is when it is pulled, "" for the runner's way.
    """

    name: str
    has_entrypoint: bool = False
    entrypoint: tuple[str, ...] = ("",)
    pull: str = ""


class ServiceKeys(Struct):
    """A container beside that of a job, the name by which the job reaches it, its command and its variables."""

    name: str
    alias: str
    command: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


class NeedEntry(Struct):
    """A job that must have succeeded, and whether its artifacts are fetched; an optional one may be missing.

    Where *pipeline* is given, the job is one of that pipeline, which has ended: it is not waited for.
    """

    job: str
    artifacts: bool
    is_optional: bool = False
    pipeline: str = ""


class RuleEntry(Struct):
    """A condition, "" for one that always holds, and when the job or pipeline then runs, "" for the default.

    Where *changes* or *exists* are given, one of these files must have changed, or stand in the repository;
    *compare_to* is what changes are compared with, "" for the usual.
    """

    condition: str
    when: str = ""
    changes: tuple[str, ...] = ()
    compare_to: str = ""
    exists: tuple[str, ...] = ()
    start_in: str = ""


class ScriptEntry(Struct):
    """An entry of a script; *comment* stands above it in the file and is no part of it."""

    text: str
    comment: str = ""


class TriggerKeys(Struct):
    """A pipeline of another project; no *branch* is its default one.

    Unless it *passes_variables*, it does not get those of the job.
    """

    project: str
    branch: str | None
    is_awaited: bool
    passes_variables: bool = True


class ChildPipeline(Struct):
    """A pipeline of the same project, made of the *file*, whose end is waited for."""

    file: str


class VariableEntry(Struct):
    """A variable; one with a *description* stands in the form that starts pipelines, a raw one is not expanded.

    With *options*, people choose among these.
    """

    name: str
    value: str
    description: str = ""
    is_raw: bool = False
    options: tuple[str, ...] = ()


class IdTokenEntry(Struct):
    """A token of the job in a variable, for these audiences."""

    variable: str
    audiences: tuple[str, ...]


class RetryKeys(Struct):
    """How many extra tries a job has, and after which failures; () is any."""

    count: int
    when: tuple[str, ...] = ()


class LimitKeys(Struct, kw_only=True):
    """What bounds a job; what is empty is not written. *exit_codes* are those with which alone it may fail."""

    retry: RetryKeys | None = None
    timeout: str = ""
    allow_failure: bool = False
    exit_codes: tuple[int, ...] = ()


UNLIMITED = LimitKeys()


class CoverageReport(Struct, kw_only=True):
    """A report of what tests cover."""

    path: str
    format: str


class ArtifactKeys(Struct, kw_only=True):
    """How the artifacts of a job are kept, and what GitLab shows of it; what is empty is not written."""

    name: str = ""
    exclude: tuple[str, ...] = ()
    expire_in: str = ""
    when: str = ""
    access: str = ""
    junit: tuple[str, ...] = ()
    codequality: tuple[str, ...] = ()
    coverage_report: CoverageReport | None = None
    dotenv: tuple[str, ...] = ()
    # A regular expression between slashes, held against the log.
    coverage: str = ""


class CacheEntry(Struct, kw_only=True):
    """Files that later jobs find again; the contents of *files*, if there are some, are part of the key."""

    key: str
    files: tuple[str, ...]
    paths: tuple[str, ...]
    policy: str
    fallback_keys: tuple[str, ...]


class EnvironmentKeys(Struct, kw_only=True):
    """What a job deploys to, or takes down; *on_stop* names the job that does."""

    name: str
    url: str = ""
    on_stop: str = ""
    stops: bool = False


# How it is where the user says nothing.
PLAINLY_KEPT = ArtifactKeys()


class Hidden(Struct, kw_only=True):
    """What several jobs share; *name* begins with a dot."""

    name: str
    image: ImageKeys | None
    services: tuple[ServiceKeys, ...]
    variables: tuple[VariableEntry, ...]
    before_script: tuple[ScriptEntry, ...]


class GitLabJob(Struct, kw_only=True):
    """A job, with a *script* or a *trigger*; what is empty is not written. *artifacts* are the paths that it leaves."""

    name: str
    stage: str
    needs: tuple[NeedEntry, ...] = ()
    # Jobs of earlier steps whose artifacts are fetched, for a job without needs; None are all.
    dependencies: tuple[str, ...] | None = None
    extends: str = ""
    image: ImageKeys | None = None
    services: tuple[ServiceKeys, ...] = ()
    tags: tuple[str, ...] = ()
    id_tokens: tuple[IdTokenEntry, ...] = ()
    rules: tuple[RuleEntry, ...] = ()
    when: str = ""
    limits: LimitKeys = UNLIMITED
    interruptible: bool = False
    inherits_variables: bool = True
    inherits_tokens: bool = True
    variables: tuple[VariableEntry, ...] = ()
    before_script: tuple[ScriptEntry, ...] = ()
    script: tuple[ScriptEntry, ...] = ()
    after_script: tuple[ScriptEntry, ...] = ()
    artifacts: tuple[str, ...] = ()
    kept: ArtifactKeys = PLAINLY_KEPT
    caches: tuple[CacheEntry, ...] = ()
    resource_group: str = ""
    environment: EnvironmentKeys | None = None
    # Whether what comes after waits until a person has started the job.
    is_blocking: bool = False
    start_in: str = ""
    manual_confirmation: str = ""
    raw: Mapping[str, Data] = field(default_factory=dict)
    pages: Pages | None = None
    release: Release | None = None
    trigger: TriggerKeys | ChildPipeline | None = None


class Document(Struct, kw_only=True):
    """A whole `.gitlab-ci.yml`.

    *tags* choose the runners of all jobs, *id_tokens* are variables of all jobs with their audiences. *refusals* are
    the first rules of the workflow; those of its *settings* follow, then ours, which are *workflow*. With *cancels*, a
    newer pipeline of a branch cancels the interruptible jobs of older ones. What it *includes* are paths from the root
    of the repository.
    """

    stages: tuple[str, ...]
    settings: Workflow
    workflow: tuple[RuleEntry, ...]
    tags: tuple[str, ...]
    id_tokens: tuple[tuple[str, tuple[str, ...]], ...]
    variables: tuple[VariableEntry, ...]
    hidden: tuple[Hidden, ...]
    jobs: tuple[GitLabJob, ...]
    cancels: bool = False
    includes: tuple[str, ...] = ()
    refusals: tuple[RuleEntry, ...] = ()
