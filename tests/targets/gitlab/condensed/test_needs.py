"""Needs in short form."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import compiled


@pytest.mark.parametrize(
    ("first", "needs"),
    [
        ("", "needs: [a]"),
        ("reports: { junit: x.xml }", "needs: [a]"),
        ("artifacts: [dist]", "- { job: a, artifacts: false }"),
        ("raw: { gitlab: { artifacts: { paths: [dist] } } }", "- { job: a, artifacts: false }"),
        ("artifacts: { paths: [dist], when: failure }", "needs: [a]"),
        ("artifacts: { paths: [dist], when: failure }, allow_failure: true", "- { job: a, artifacts: false }"),
    ],
)
def test_needs_disable_artifacts_only_if_the_job_has_some(first: str, needs: str) -> None:
    """Reports, and artifacts of failures, never reach a job that needs success."""
    output = compiled(f"""
        pipelines:
          p:
            stages:
              - {{ name: a, script: x{", " * bool(first)}{first} }}
              - {{ name: b, script: x, files_from: [] }}
            execution: [[a, b]]
    """)

    assert needs in output.text
