"""Diagnostics as GitLab's code quality report: a list of objects, each with a fingerprint.

The keys are those that https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format asks for. Paths are
relative to the root of the repository, wherever pipegen is called. Of two equal fingerprints GitLab shows one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.render.identity import fingerprints, path_of

# GitLab knows info, minor, major, critical and blocker.
_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:  # noqa: ARG001 - JSON has no colours
    """Return *diagnostics* in their order; one about no file is about the repository."""
    marked = zip(diagnostics, fingerprints(diagnostics), strict=True)
    return json.dumps([_finding(found, fingerprint) for found, fingerprint in marked], indent=2) + "\n"


def _finding(found: Diagnostic, fingerprint: str) -> dict[str, object]:
    return {
        # The merge request shows nothing else of a finding but its place.
        "description": f"{found.code.number}: {found.message}",
        "check_name": found.code.number,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[found.severity],
        "location": {
            "path": path_of(found) or ".",
            "lines": {"begin": found.primary.span.first.line if found.primary else 1},
        },
    }
