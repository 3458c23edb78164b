"""Artifact retention, reports and caches of a job."""

from __future__ import annotations

from enum import Enum

from pipegen.bindings.expression import Text
from pipegen.source.text import Located, Span
from pipegen.structs import SpannedStruct, Struct


class ArtifactsWhen(Enum):
    """The result of a job for which its artifacts or a cache are retained; other jobs get no files of a failed job."""

    SUCCESS = "success"
    FAILURE = "failure"
    ALWAYS = "always"


class Retention(SpannedStruct, kw_only=True):
    """How a job's artifacts are retained.

    *exclude* are patterns of files relative to the root of the repository; *expire* is in seconds, 0 for
    never, None for the engine's default. Only users with the role *access* can download them, "" for everyone.
    *expose_as* is the text of a link in the change request, None without one.
    """

    exclude: tuple[str, ...] = ()
    name: Text | None = None
    expire: int | None = None
    when: ArtifactsWhen = ArtifactsWhen.SUCCESS
    access: str = ""
    expose_as: Located[str] | None = None
    span: Span | None = None


class CoverageFormat(Enum):
    """The format of a coverage report."""

    COBERTURA = "cobertura"
    JACOCO = "jacoco"


class Coverage(SpannedStruct, kw_only=True):
    """Test coverage: a report, a regular expression that extracts the percentage from the log, or both."""

    path: str | None
    format: CoverageFormat
    percent: str | None
    span: Span


class ReportPath(SpannedStruct):
    """A pattern of report files, relative to the root of the repository."""

    path: str
    span: Span


class Reports(Struct, kw_only=True):
    """Reports that the engine displays; they never decide whether the job succeeds."""

    junit: tuple[ReportPath, ...] = ()
    coverage: Coverage | None = None
    codequality: tuple[ReportPath, ...] = ()
    sarif: tuple[ReportPath, ...] = ()


# Defaults.
DEFAULT_RETENTION, NO_REPORTS = Retention(), Reports()


class Reuse(SpannedStruct):
    """Dependencies of a stored result outside of the stage: *files* from the repository root, variables *env*."""

    files: tuple[str, ...]
    env: tuple[str, ...]
    span: Span


class CachePolicy(Enum):
    """Whether a job restores its cache, saves it, or both."""

    PULL_PUSH = "pull-push"
    PULL = "pull"
    PUSH = "push"


class Cache(SpannedStruct, kw_only=True):
    """Files that later runs restore.

    *paths* and *files* are relative to the root of the repository. The cache key consists of *key* and the contents of
    *files*, if there are any. It is saved after the result *when*.
    """

    paths: tuple[str, ...]
    key: Text
    files: tuple[str, ...] = ()
    policy: CachePolicy = CachePolicy.PULL_PUSH
    when: ArtifactsWhen = ArtifactsWhen.SUCCESS
    fallback: tuple[Text, ...] = ()
    span: Span
