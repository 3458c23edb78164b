"""The variables of a matrix job, and its texts, in which GitLab or the shell expands their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

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
from pipegen.targets.templates import (
    Merger,
    Rule,
    assignment_text,
    axis_of,
    columns,
    expanded_text,
    script_text,
    with_plain_axes,
)

# The variables of a combination, one for each axis, with their values.
Values: TypeAlias = tuple[tuple[str, str], ...]

# Other names could be variables that the runner or programs read.
_AXIS = r"(?!.*_proxy$)[a-z][a-z0-9_]*|matrix_\w+"


def axis_variables(jobs: Sequence[GitLabJob], values: Mapping[str, Values]) -> dict[str, Values]:
    """Return *values* of axes of *jobs*, by their names, with a variable for each axis.

    It has the name of the axis. An axis that programs could read as a variable is `matrix_NAME`, as on Jenkins, if it
    is not a variable of all jobs already.
    """
    axes = dict.fromkeys(axis for own in values.values() for axis, _ in own)
    names = {
        axis: axis if can_be_variable(axis) or _is_set(axis, jobs, values) else f"matrix_{axis.replace('-', '_')}"
        for axis in axes
    }
    if len(set(names.values())) < len(names):
        return {**values}
    return {job: tuple((names[axis], value) for axis, value in own) for job, own in values.items()}


def can_be_variable(axis: str) -> bool:
    """Return whether programs do not read a variable with the name of *axis*."""
    return re.fullmatch(_AXIS, axis, re.ASCII) is not None


def _is_set(axis: str, jobs: Sequence[GitLabJob], values: Mapping[str, Values]) -> bool:
    """Return whether all *jobs* with a value for *axis* have it as their variable."""
    own = {job.name: dict(values[job.name]) for job in jobs}
    return all(VariableEntry(axis, own[job.name][axis]) in job.variables for job in jobs if axis in own[job.name])


def is_plain(value: str) -> bool:
    """Return whether *value* needs no quotes in a name, such as that of an image, and in a script."""
    return re.fullmatch(r"(?:[A-Za-z0-9.][A-Za-z0-9._:/@+-]*)?", value) is not None


def merge_rules(all_values: Sequence[Mapping[str, str]]) -> dict[tuple[type, str], Rule]:
    """Return the rules for fields in which GitLab, or the shell of a script, expands variables.

    Values that are not plain may only be those of a whole variable.
    """
    values = with_plain_axes(all_values, is_plain)

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
        axis = axis_of(texts, all_values)
        return f"${axis}" if axis else text(texts)

    def line(lines: Sequence[str]) -> str:
        return assignment_text(lines, all_values) or script_text(lines, values)

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
