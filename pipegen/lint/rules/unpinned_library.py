"""Shared libraries of Jenkins that are another one tomorrow."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.lint.version_pins import moves
from pipegen.source.tree import Scalar, Sequence


def check(checked: Checked, report: Report) -> None:
    """Report libraries that name no version, or a branch."""
    settings = checked.settings.get("jenkins")
    libraries = settings.get("libraries") if settings is not None else None
    for node in libraries.items if isinstance(libraries, Sequence) else ():
        if isinstance(node, Scalar):
            name, _, version = node.text.partition("@")
            if not version or moves(version):
                why = f'follows "{version}", which moves' if version else "names no version: the controller's is taken"
                report.add(
                    codes.UNPINNED_LIBRARY,
                    f'library "{name}" {why}',
                    at=node.span,
                    hint=f"name a tag or a commit: {name}@v1.2.3",
                )
