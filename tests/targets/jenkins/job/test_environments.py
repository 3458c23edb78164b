"""Environments, which Jenkins lacks."""

from __future__ import annotations

import pytest

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets.jenkins.job.environments import without_stops


@pytest.mark.parametrize(
    ("environment", "is_reported"),
    [
        ("production", False),
        ("Production", False),
        ("{name: production}", False),
        ("review", True),
        ("'${setup.branch}'", True),
        ("{name: production, url: https://example.org}", True),
        ("{name: production, auto_stop_in: 1 day}", True),
    ],
)
def test_an_environment_is_shown_by_the_name_of_the_stage(environment: str, *, is_reported: bool) -> None:
    """A URL and the time until it stops are in no name."""
    stage = f"{{name: deploy-production, script: ./deploy, environment: {environment}}}"
    file = SourceFile("pipegen.yaml", f"pipelines: {{a: {{stages: [{stage}]}}}}")
    report = Report()
    without_stops(analyse(file, (), Report()).plans[0], report)

    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG617"] * is_reported
