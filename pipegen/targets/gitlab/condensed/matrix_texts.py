"""The texts of a matrix job, in which GitLab or the shell expands the values of axes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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
