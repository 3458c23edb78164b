"""What the engine keeps of a job: how its artifacts, which reports, and files for later runs."""

from __future__ import annotations

from enum import Enum

from pipegen.bindings.expression import Text
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct


class ArtifactsWhen(Enum):
    """When artifacts are kept; those of a failed job only people get."""

    SUCCESS = "success"
    FAILURE = "failure"
    ALWAYS = "always"


class Retention(SpannedStruct, kw_only=True):
    """How a job's artifacts are kept.

    *exclude* are patterns of files relative to the root of the repository; *expire* is in seconds, 0 for
    never, None for the engine's own time.
    """

    exclude: tuple[str, ...] = ()
    name: Text | None = None
    expire: int | None = None
    when: ArtifactsWhen = ArtifactsWhen.SUCCESS
    span: Span | None = None


class CoverageFormat(Enum):
    """The format of a coverage report."""

    COBERTURA = "cobertura"
    JACOCO = "jacoco"


class Coverage(SpannedStruct, kw_only=True):
    """How much tests cover: a report, a regular expression that finds the percentage in the log, or both."""

    path: str | None
    format: CoverageFormat
    percent: str | None
    span: Span


class ReportPath(SpannedStruct):
    """A pattern of report files, relative to the root of the repository."""

    path: str
    span: Span


class Reports(Struct, kw_only=True):
    """What the engine shows of a job; it never decides whether the job succeeds."""

    junit: tuple[ReportPath, ...] = ()
    coverage: Coverage | None = None
    codequality: tuple[ReportPath, ...] = ()
    sarif: tuple[ReportPath, ...] = ()


# What holds where the user says nothing.
DEFAULT_RETENTION, NO_REPORTS = Retention(), Reports()


class Reuse(SpannedStruct):
    """What a result depends on beside the stage: *files* relative to the root of the repository, variables *env*."""

    files: tuple[str, ...]
    env: tuple[str, ...]
    span: Span


class CachePolicy(Enum):
    """Which way files go between a job and its cache."""

    PULL_PUSH = "pull-push"
    PULL = "pull"
    PUSH = "push"


class Cache(SpannedStruct, kw_only=True):
    """Files that later runs find again.

    *paths* and *files* are relative to the root of the repository. The key is *key*, and the contents of *files* where
    there are some.
    """

    paths: tuple[str, ...]
    key: Text
    files: tuple[str, ...] = ()
    policy: CachePolicy = CachePolicy.PULL_PUSH
    fallback: tuple[Text, ...] = ()
    span: Span
