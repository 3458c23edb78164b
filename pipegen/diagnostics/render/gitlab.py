"""Diagnostics as GitLab's code quality report: a list of objects, each with a fingerprint.

The keys are those of https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format. Paths are relative to
the root of the repository, independent of the working directory. GitLab shows only one of two equal fingerprints.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.render.identity import fingerprints, path_of

# GitLab's severities are info, minor, major, critical and blocker.
_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:  # noqa: ARG001 - JSON has no colours
    """Return *diagnostics* in order; one without a file gets the root of the repository as its path."""
    fingerprinted = zip(diagnostics, fingerprints(diagnostics), strict=True)
    return json.dumps([_finding(diagnostic, fingerprint) for diagnostic, fingerprint in fingerprinted], indent=2) + "\n"


def _finding(diagnostic: Diagnostic, fingerprint: str) -> dict[str, object]:
    return {
        # The merge request shows only the description and the location.
        "description": f"{diagnostic.code.number}: {diagnostic.message}",
        "check_name": diagnostic.code.number,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[diagnostic.severity],
        "location": {
            "path": path_of(diagnostic) or ".",
            "lines": {"begin": diagnostic.primary.span.first.line if diagnostic.primary else 1},
        },
    }
