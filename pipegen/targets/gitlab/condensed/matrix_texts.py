"""The texts of a matrix job, in which GitLab or the shell expands the values of axes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipegen.shell.quote import Literal, assigned
from pipegen.targets.gitlab.model import (
    ArtifactKeys,
    CacheEntry,
    CoverageReport,
    EnvironmentKeys,
    GitLabJob,
    ImageKeys,
    ScriptEntry,
    ServiceKeys,
    VariableEntry,
)
from pipegen.targets.templates import Merger, Rule, columns, expanded_text, script_text

# A shell variable that a command of a script sets.
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")


def is_plain(value: str) -> bool:
    """Return whether *value* needs no quotes in a name, such as that of an image, and in a script."""
    return re.fullmatch(r"(?:[A-Za-z0-9.][A-Za-z0-9._:/@+-]*)?", value) is not None


def merge_rules(all_values: Sequence[Mapping[str, str]]) -> dict[tuple[type, str], Rule]:
    """Return the rules for fields in which GitLab, or the shell of a script, expands variables.

    Values that are not plain may only be those of a whole variable.
    """
    axes = [axis for axis in all_values[0] if all(is_plain(own[axis]) for own in all_values)]
    values = [{axis: own[axis] for axis in axes} for own in all_values]

    def text(texts: Sequence[str]) -> str:
        return expanded_text(texts, values)

    def texts(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(map(text, columns(lists)))

    def reports(lists: Sequence[tuple[tuple[str, tuple[str, ...]], ...]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(map(report, columns(lists)))

    def report(kinds: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[str, tuple[str, ...]]:
        names, paths = zip(*kinds, strict=True)
        return Merger({}).merged(names), texts(paths)

    def variables(lists: Sequence[tuple[VariableEntry, ...]]) -> tuple[VariableEntry, ...]:
        return tuple(map(variable, columns(lists)))

    def variable(entries: Sequence[VariableEntry]) -> VariableEntry:
        if any(entry.is_raw for entry in entries):
            return Merger({}).merged(entries)
        return Merger({(VariableEntry, "value"): whole_or_text}).merged(entries)

    def whole_or_text(texts: Sequence[str]) -> str:
        axis = _axis_of(texts, all_values)
        return f"${axis}" if axis else text(texts)

    def line(lines: Sequence[str]) -> str:
        return _assignment(lines, all_values) or script_text(lines, values)

    return {
        **{(GitLabJob, name): texts for name in ("tags", "artifacts")},
        (ArtifactKeys, "exclude"): texts,
        (ArtifactKeys, "reports"): reports,
        **{(CacheEntry, name): texts for name in ("paths", "fallback_keys")},
        **{(kind, "name"): text for kind in (ImageKeys, ServiceKeys, ArtifactKeys, EnvironmentKeys)},
        (CacheEntry, "key"): text,
        (CoverageReport, "path"): text,
        (EnvironmentKeys, "url"): text,
        (GitLabJob, "resource_group"): text,
        (GitLabJob, "variables"): variables,
        (ScriptEntry, "text"): line,
    }


def _axis_of(texts: Sequence[str], values: Sequence[Mapping[str, str]]) -> str:
    """Return the axis whose *values* are *texts*, "" if there is none."""
    return next((axis for axis in values[0] if [own[axis] for own in values] == texts), "")


def _assignment(lines: Sequence[str], values: Sequence[Mapping[str, str]]) -> str:
    """Return the command that sets a variable to that of an axis, if *lines* set it to its *values*; else ""."""
    matches = [match for match in map(ASSIGNMENT.fullmatch, lines) if match]
    if len(matches) < len(lines) or any(match[1] != matches[0][1] for match in matches):
        return ""
    quoted = [{axis: assigned((Literal(value),)) for axis, value in own.items()} for own in values]
    axis = _axis_of([match[2] for match in matches], quoted)
    return f"{matches[0][1]}=${axis}" if axis else ""
