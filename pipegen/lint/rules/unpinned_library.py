"""Shared libraries of Jenkins without a pinned version."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.version_pins import is_moving
from pipegen.source.tree import Scalar, items_of


def check(config: CheckedConfig, report: Report) -> None:
    """Report libraries without a version, or with a branch."""
    settings = config.settings.get("jenkins")
    libraries = settings.get("libraries") if settings is not None else None
    for node in items_of(libraries):
        if isinstance(node, Scalar):
            name, _, version = node.text.partition("@")
            if not version or is_moving(version):
                problem = (
                    f'follows "{version}", which moves'
                    if version
                    else "has no version: the controller's default is used"
                )
                report.add(
                    codes.UNPINNED_LIBRARY,
                    f'library "{name}" {problem}',
                    at=node.span,
                    hint=f"use a tag or a commit: {name}@v1.2.3",
                )
