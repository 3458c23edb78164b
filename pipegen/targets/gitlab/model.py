"""The nouns of GitLab that the target writes."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from pipegen.emit.yaml import Data
from pipegen.structs import Struct, field
from pipegen.targets.gitlab.settings import Pages, Release, Workflow

HELPER = "PIPEGEN_HELPER"
# The name of a stage, for the script that several helpers share. A variable of the project could replace another name.
STAGE = "PIPEGEN_STAGE"
_NAME = attrgetter("name")


class ImageKeys(Struct):
    """The image of a job; with *has_entrypoint*, the image's entrypoint is replaced by *entrypoint*.

    *pull* is the pull policy, "" for the runner's default, and *user* the user in the container, "" for the image's.
    """

    name: str
    has_entrypoint: bool = False
    entrypoint: tuple[str, ...] = ("",)
    pull: str = ""
    user: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it is only a name, not a map."""
        return not (self.has_entrypoint or self.pull or self.user)


class ServiceKeys(Struct):
    """A service container of a job, the hostname by which the job reaches it, its command and its variables."""

    name: str
    alias: str
    command: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


class NeedEntry(Struct):
    """A job that must have succeeded, and whether its artifacts are fetched; an optional one may be missing.

    With *pipeline*, the job is in that pipeline, which has finished: the need does not wait. With *combinations*, only
    these of a matrix job are needed.
    """

    job: str
    artifacts: bool
    is_optional: bool = False
    pipeline: str = ""
    combinations: tuple[tuple[tuple[str, str], ...], ...] = ()


class RuleEntry(Struct):
    """A condition, "" for one that always holds, and when the job or pipeline then runs, "" for the default.

    With *changes* or *exists*, one of these files must have changed, or exist in the repository;
    *compare_to* is the base of the comparison, "" for the default. A job that runs by the rule has its *variables*, and
    may fail if *allow_failure* says so; None means the value of the job.
    """

    condition: str
    when: str = ""
    changes: tuple[str, ...] = ()
    compare_to: str = ""
    exists: tuple[str, ...] = ()
    start_in: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    allow_failure: bool | None = None


class ScriptEntry(Struct):
    """An entry of a script; the file shows *comment* above it, which is not part of the script."""

    text: str
    comment: str = ""


class IncludedFile(Struct):
    """A file of a child pipeline: the *path* in the repository, or of an artifact of *job*."""

    path: str
    job: str


class TriggerKeys(Struct):
    """A pipeline of another *project*, or a child pipeline of the files *include*; no *branch* is its default branch.

    Without *passes_variables*, it does not get the variables of the job; with *forwards*, it gets those of the run.
    """

    project: str
    branch: str | None
    is_awaited: bool
    include: tuple[IncludedFile, ...] = ()
    passes_variables: bool = True
    forwards: bool = False


class ChildPipeline(Struct):
    """A pipeline of the same project, defined by *file*; the job waits until it ends."""

    file: str


class VariableEntry(Struct):
    """A variable; one with a *description* appears in the form for new pipelines, a raw one is not expanded.

    With *options*, the form offers a choice among these.
    """

    name: str
    value: str
    description: str = ""
    is_raw: bool = False
    options: tuple[str, ...] = ()


# Marks a job that runs no stage of the user; and keeps the runner from a checkout that a job has no use for.
IS_HELPER = VariableEntry(HELPER, "1")
NO_CHECKOUT = VariableEntry("GIT_STRATEGY", "none")


class IdTokenEntry(Struct):
    """An ID token of the job in a variable, for these audiences."""

    variable: str
    audiences: tuple[str, ...]


class RetryKeys(Struct):
    """The number of further attempts, and the failures after which they start; () is any."""

    count: int
    when: tuple[str, ...] = ()


class Combinations(Struct):
    """The combinations of a matrix job: for each, the variables and their values; parts only have a number."""

    values: tuple[tuple[tuple[str, str], ...], ...]
    are_parts: bool = False


class LimitKeys(Struct, kw_only=True):
    """The limits of a job; empty ones are not written. Only *exit_codes*, if any, are allowed failures."""

    retry: RetryKeys | None = None
    timeout: str = ""
    allow_failure: bool = False
    exit_codes: tuple[int, ...] = ()


UNLIMITED = LimitKeys()


class CoverageReport(Struct, kw_only=True):
    """A report on test coverage."""

    path: str
    format: str


class ArtifactKeys(Struct, kw_only=True):
    """How GitLab stores the artifacts of a job and displays reports; empty values are not written."""

    name: str = ""
    exclude: tuple[str, ...] = ()
    expire_in: str = ""
    when: str = ""
    access: str = ""
    expose_as: str = ""
    # The paths of each kind of reports except coverage and dotenv.
    reports: tuple[tuple[str, tuple[str, ...]], ...] = ()
    coverage_report: CoverageReport | None = None
    dotenv: tuple[str, ...] = ()
    # A regular expression between slashes, matched against the log.
    coverage: str = ""


class CacheEntry(Struct, kw_only=True):
    """Files that later jobs restore; the contents of *files*, if any, are part of the key."""

    key: str
    files: tuple[str, ...]
    paths: tuple[str, ...]
    policy: str
    when: str
    fallback_keys: tuple[str, ...]


class EnvironmentKeys(Struct, kw_only=True):
    """The environment that a job deploys to; *on_stop* names the job that stops it, *action* what else the job does."""

    name: str
    url: str = ""
    on_stop: str
    auto_stop_in: str
    tier: str
    action: str
    kubernetes_agent: str
    kubernetes_namespace: str

    @property
    def stops(self) -> bool:
        """Whether the job stops it."""
        return self.action == "stop"


# Without settings from the user.
DEFAULT_ARTIFACT_KEYS = ArtifactKeys()


class Hidden(Struct, kw_only=True):
    """The keys that several jobs share; *name* begins with a dot."""

    name: str
    rules: tuple[RuleEntry, ...] = ()
    image: ImageKeys | None = None
    services: tuple[ServiceKeys, ...] = ()
    variables: tuple[VariableEntry, ...] = ()
    before_script: tuple[ScriptEntry, ...] = ()
    after_script: tuple[ScriptEntry, ...] = ()
    retry: RetryKeys | None = None
    timeout: str = ""
    interruptible: bool = False
    caches: tuple[CacheEntry, ...] = ()


class GitLabJob(Struct, kw_only=True):
    """A job, with a *script* or a *trigger*; empty values are not written. *artifacts* are the paths that it stores."""

    name: str
    stage: str
    needs: tuple[NeedEntry, ...] = ()
    # For a job without needs: the jobs of earlier stages whose artifacts it fetches; None means all.
    dependencies: tuple[str, ...] | None = None
    # Needs on jobs of other pipelines.
    other_files: tuple[Mapping[str, Data], ...] = ()
    extends: str = ""
    # Whether the job that it extends has the same stage.
    has_stage_of_extended: bool = False
    # The hidden jobs with keys of its pipeline, with its scripts and with its rules.
    keys_from: str = ""
    scripts_from: str = ""
    rules_from: str = ""
    # The hidden jobs with keys that it shares with others.
    shared_from: tuple[str, ...] = ()
    combinations: Combinations | None = None
    image: ImageKeys | None = None
    services: tuple[ServiceKeys, ...] = ()
    tags: tuple[str, ...] = ()
    id_tokens: tuple[IdTokenEntry, ...] = ()
    rules: tuple[RuleEntry, ...] = ()
    when: str = ""
    limits: LimitKeys = UNLIMITED
    interruptible: bool = False
    inherits_variables: bool = True
    # The keys of `default` that the job inherits; None is all.
    inherited: tuple[str, ...] | None = None
    # The keys of `default` in place of which the job has an empty value.
    emptied: tuple[str, ...] = ()
    variables: tuple[VariableEntry, ...] = ()
    before_script: tuple[ScriptEntry, ...] = ()
    script: tuple[ScriptEntry, ...] = ()
    after_script: tuple[ScriptEntry, ...] = ()
    artifacts: tuple[str, ...] = ()
    artifact_keys: ArtifactKeys = DEFAULT_ARTIFACT_KEYS
    caches: tuple[CacheEntry, ...] = ()
    resource_group: str = ""
    environment: EnvironmentKeys | None = None
    # The stage whose failure its mail reports.
    mail_of: str = ""
    # Whether later jobs wait until a person has started this one, which has no rules.
    is_blocking: bool = False
    start_in: str = ""
    manual_confirmation: str = ""
    raw: Mapping[str, Data] = field(default_factory=dict)
    pages: Pages | None = None
    release: Release | None = None
    trigger: TriggerKeys | ChildPipeline | None = None

    @property
    def is_helper(self) -> bool:
        """Whether the job is of no stage of the user."""
        return bool(self.mail_of) or HELPER in map(_NAME, self.variables)

    @property
    def is_hidden(self) -> bool:
        """Whether other jobs only extend it."""
        return self.name.startswith(".")

    @property
    def extended(self) -> tuple[str, ...]:
        """The jobs that it extends, each after those whose keys it replaces."""
        bases = (self.keys_from, self.extends, self.scripts_from, self.rules_from, *self.shared_from)
        return tuple(dict.fromkeys(filter(None, bases)))

    @property
    def runs_stage(self) -> bool:
        """Whether the job runs a stage of the user in a script: neither a helper nor a bridge."""
        return self.trigger is None and not self.is_helper


# Its fields are those of a job that has their keys from another one.
EMPTY_JOB = GitLabJob(name="", stage="")


class DefaultKeys(Struct, kw_only=True):
    """The keys that most jobs of a file share; a job without them writes its own."""

    image: ImageKeys | None = None
    services: tuple[ServiceKeys, ...] = ()
    tags: tuple[str, ...] = ()
    retry: RetryKeys | None = None
    interruptible: bool = False
    cache: tuple[CacheEntry, ...] = ()
    before_script: tuple[ScriptEntry, ...] = ()
    after_script: tuple[ScriptEntry, ...] = ()

    def as_map(self) -> dict[str, object]:
        """Return the values by key; a key that is not shared has an empty value."""
        return {
            "image": self.image,
            "services": self.services,
            "tags": self.tags,
            "retry": self.retry,
            "interruptible": self.interruptible,
            "cache": self.cache,
            "before_script": self.before_script,
            "after_script": self.after_script,
        }


NO_DEFAULTS = DefaultKeys()


class Document(Struct, kw_only=True):
    """A whole `.gitlab-ci.yml`.

    *tags* choose the runners of all jobs, *id_tokens* are variables of all jobs with their audiences. *refusals* are
    the first rules of the workflow, followed by the user's rules in *settings*, then the generated ones in *workflow*.
    *on_new_commit* is what a newer pipeline of a branch does to older ones, "" for GitLab's default. *includes* are
    paths from the root of the repository, *external* the user's own entries of `include`. *external_stages* are the
    GitLab stages of their jobs, each with the one before it, "" for the start.
    """

    stages: tuple[str, ...]
    settings: Workflow
    workflow: tuple[RuleEntry, ...]
    tags: tuple[str, ...]
    id_tokens: tuple[tuple[str, tuple[str, ...]], ...]
    variables: tuple[VariableEntry, ...]
    hidden: tuple[Hidden, ...]
    jobs: tuple[GitLabJob, ...]
    defaults: DefaultKeys = NO_DEFAULTS
    on_new_commit: str = ""
    includes: tuple[str, ...] = ()
    external: tuple[Mapping[str, Data], ...] = ()
    external_stages: tuple[tuple[str, str], ...] = ()
    refusals: tuple[RuleEntry, ...] = ()

    def names(self) -> set[str]:
        """Return the names of the jobs and of the hidden jobs."""
        return {job.name for job in self.jobs} | {hidden.name for hidden in self.hidden}

    def hidden_by_name(self) -> dict[str, Hidden]:
        """Return the hidden jobs by their names."""
        return {hidden.name: hidden for hidden in self.hidden}

    def base_jobs(self) -> list[GitLabJob]:
        """Return the jobs that extend no other of *jobs*; they may extend one of *hidden*."""
        names = {job.name for job in self.jobs}
        return [job for job in self.jobs if job.extends not in names]
