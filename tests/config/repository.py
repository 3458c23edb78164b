"""Repositories of several config files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from textwrap import dedent

from pipegen.compiler import expand
from pipegen.config.files.load import load
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import plain


def repository(root: Path, **files: str) -> Path:
    """Return *root* as a repository with *files*; names have `__` for a slash and no `.yaml`."""
    (root / ".git").mkdir(exist_ok=True)
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return root


def config_of(root: Path) -> object:
    """Return the expanded config of the repository *root* as plain data."""
    report = Report()
    tree = expand(load(root / "pipegen.yaml", report, shown="pipegen.yaml"), report)

    assert report.diagnostics() == ()
    return plain(tree)


def wrong_in(root: Path) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the config of the repository *root*."""
    report = Report()
    with suppress(Stopped):
        expand(load(root / "pipegen.yaml", report, shown="pipegen.yaml"), report)
    return report.diagnostics()


def expanded(text: str) -> object:
    """Return the expanded config *text* as plain data."""
    report = Report()
    tree = expand(SourceFile("pipegen.yaml", dedent(text)), report)

    assert report.diagnostics() == ()
    return plain(tree)


def wrong(text: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the config *text*."""
    report = Report()
    with suppress(Stopped):
        expand(SourceFile("pipegen.yaml", dedent(text)), report)
    return report.diagnostics()


def shown(diagnostic: Diagnostic) -> tuple[str, str, str]:
    """Return the code, the file with the line, and the message of a diagnostic."""
    assert diagnostic.primary is not None
    span = diagnostic.primary.span
    return diagnostic.code.number, f"{span.file.path}:{span.first.line}", diagnostic.message
