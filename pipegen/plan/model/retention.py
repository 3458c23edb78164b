"""Artifact retention, reports and caches of a job."""

from __future__ import annotations

import re
from enum import Enum
from posixpath import normpath

from pipegen.bindings.expression import Part, Reference, Scope, Text
from pipegen.bindings.expression import text as joined
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
    """A pattern of report files of a *kind*, relative to the root of the repository, perhaps with setup values."""

    kind: str
    path: str
    span: Span


class Reports(Struct, kw_only=True):
    """Reports that the engine displays; they never decide whether the job succeeds.

    *paths* are those of all kinds except coverage, in the order of the kinds; the schema names the kinds.
    """

    coverage: Coverage | None = None
    paths: tuple[ReportPath, ...] = ()

    def by_kind(self) -> dict[str, list[ReportPath]]:
        """Return the paths of each kind."""
        kinds: dict[str, list[ReportPath]] = {}
        for path in self.paths:
            kinds.setdefault(path.kind, []).append(path)
        return kinds


# Setup values that engines insert into paths: they contain neither blanks nor wildcards, nor folders such as "..", and
# begin with neither a dot nor a slash. A branch may contain most other characters, and is a slug on GitLab.
IN_PATHS = frozenset({"commit", "shortCommit", "GIT_COMMIT", "tag", "changeRequest", "project", "projectShortName"})
_VALUE = re.compile(r"\$\{setup\.(\w+)\}")
_MAY_BE_EMPTY = re.compile(r"\$\{setup\.(?:tag|changeRequest)\}")
_PART_OF_NAME = re.compile(rf"(?:\*|{_VALUE.pattern})*{_VALUE.pattern}(?:\*|{_VALUE.pattern})*")


def path_with_values(text: Text) -> str | None:
    """Return the path *text* with references to setup values as they are; None if engines cannot insert its values.

    `$` has no other meaning in the paths of a plan.
    """
    if any("$" in part if isinstance(part, str) else not _is_in_paths(part) for part in text.parts):
        return None
    return "".join(map(str, text.parts))


def may_be_checkout(path: str) -> bool:
    """Return whether *path* is not below the checkout, or all of it, if it has no tag or change request."""
    without = _MAY_BE_EMPTY.sub("", path)
    first = normpath(without).split("/")[0]
    return without != path and (first in ("", "..", ".git", ".pipegen") or set(normpath(without)) <= set("./*"))


def _is_in_paths(part: Part) -> bool:
    if not isinstance(part, Reference) or part.default is not None:
        return False
    return part.scope is Scope.SETUP and part.name in IN_PATHS


def path_text(path: str, span: Span) -> Text:
    """Return the text of *path*, in which setup values are references."""
    parts: list[Part] = [
        Reference("setup", part, None, span, Scope.SETUP) if index % 2 else part
        for index, part in enumerate(_VALUE.split(path))
    ]
    return joined(*parts, span=span)


def has_values(path: str) -> bool:
    """Return whether *path* contains setup values."""
    return "${" in path


def path_pattern(path: str) -> str:
    """Return *path* with `*` in place of setup values."""
    return _PART_OF_NAME.sub("*", path) if has_values(path) else path


# Defaults.
DEFAULT_RETENTION, NO_REPORTS = Retention(), Reports()


class Reuse(SpannedStruct):
    """Dependencies of a stored result outside the stage: *files* from the repository root, variables *env*."""

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
    files: tuple[str, ...]
    policy: CachePolicy
    when: ArtifactsWhen
    fallback: tuple[Text, ...]
    span: Span
