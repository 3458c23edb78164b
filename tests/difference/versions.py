"""Versions of configs, compared in tests."""

from __future__ import annotations

from textwrap import dedent

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.difference.compare import compare
from pipegen.difference.model import ConfigDifference, KeyChange, PipelineDifference
from pipegen.difference.version import Version
from pipegen.source.text import SourceFile


def version(config: SourceFile | str, name: str = "new") -> Version:
    """Return what *config* says."""
    file = SourceFile("pipegen.yaml", dedent(config)) if isinstance(config, str) else config
    found = analyse(file, (), Report())
    return Version(name=name, plans=found.plans, settings=found.settings)


def between(old: str, new: str) -> ConfigDifference:
    """Return what is different between two configs."""
    return compare(version(old, "old"), version(new))


def rows(stages: str, execution: str = "") -> str:
    """Return the config of a pipeline p of the flow list of *stages*."""
    return f"pipelines:\n  p:\n    stages: [{stages}]\n" + (f"    execution: {execution}\n" if execution else "")


def pipeline(old: str, new: str) -> PipelineDifference:
    """Return what is different about the only pipeline of two configs."""
    (found,) = between(old, new).pipelines
    return found


def keys(old: str, new: str) -> list[tuple[str, str | None, str | None]]:
    """Return the keys that differ between the only stages of two configs, with what they say."""
    (changed,) = pipeline(rows(f"{{name: s, {old}}}"), rows(f"{{name: s, {new}}}")).changed
    return [told(change) for change in changed.changes]


def told(change: KeyChange) -> tuple[str, str | None, str | None]:
    """Return *change* as a tuple."""
    return change.key, change.old, change.new
