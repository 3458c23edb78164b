"""Versions of configs, for comparison in tests."""

from __future__ import annotations

from textwrap import dedent

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.difference.compare import compare
from pipegen.difference.model import ConfigDifference, KeyChange, PipelineDifference
from pipegen.difference.version import Version
from pipegen.source.text import SourceFile


def version(config: SourceFile | str, name: str = "new") -> Version:
    """Return the version of *config*."""
    file = SourceFile("pipegen.yaml", dedent(config)) if isinstance(config, str) else config
    analysed = analyse(file, (), Report())
    return Version(name=name, plans=analysed.plans, settings=analysed.settings)


def between(old: str, new: str) -> ConfigDifference:
    """Return the difference between two configs."""
    return compare(version(old, "old"), version(new))


def rows(stages: str, execution: str = "") -> str:
    """Return the config of a pipeline `p` with the flow list *stages*."""
    return f"pipelines:\n  p:\n    stages: [{stages}]\n" + (f"    execution: {execution}\n" if execution else "")


def pipeline(old: str, new: str) -> PipelineDifference:
    """Return the difference of the only pipeline of two configs."""
    (difference,) = between(old, new).pipelines
    return difference


def keys(old: str, new: str) -> list[tuple[str, str | None, str | None]]:
    """Return the changed keys of the only stages of two configs, with their values."""
    (changed,) = pipeline(rows(f"{{name: s, {old}}}"), rows(f"{{name: s, {new}}}")).changed
    return [summary(change) for change in changed.changes]


def summary(change: KeyChange) -> tuple[str, str | None, str | None]:
    """Return the key and the values of *change*."""
    return change.key, change.old, change.new
