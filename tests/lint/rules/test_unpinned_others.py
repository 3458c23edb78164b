"""Charts, libraries and includes without a pinned version."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules import unpinned_chart, unpinned_include, unpinned_library


@pytest.mark.parametrize(
    ("version", "is_tested"),
    [
        (None, True),
        ("''", True),
        ("^1.2.0", True),
        ("'>=1.0 <2'", True),
        ("1.x", True),
        ("'1'", True),
        ("1.2", True),
        ("1.2.3", False),
        ("v1.2.3-rc.1", False),
        ("'${inputs.chart}'", False),
    ],
)
def test_unpinned_charts_are_reported(version: str | None, is_tested: bool) -> None:  # noqa: FBT001 - a table
    """They have no version, or a range."""
    chart = "{name: c}" if version is None else f"{{name: c, version: {version}}}"
    stage = f"{{name: a, build: v, publish: {{image: true}}, deploy: {{chart: {chart}}}}}"
    text = stages(stage, head="inputs: {chart: {}}\n")

    assert bool(findings(unpinned_chart.check, text)) is is_tested


def test_unpinned_libraries_are_reported() -> None:
    """They have no version, or a branch."""
    libraries = "[none, branch@main, tag@v1, commit@5f3c2a1, other@maintenance]"
    text = stages("{name: a, script: [ls]}", head=f"targets: {{jenkins: {{libraries: {libraries}}}}}\n")

    assert [word for _, word in findings(unpinned_library.check, text)] == ["none", "branch@main"]


@pytest.mark.parametrize(
    ("include", "is_tested"),
    [
        ("{project: g/p, file: /a.yml}", True),
        ("{project: g/p, file: /a.yml, ref: main}", True),
        ("{project: g/p, file: /a.yml, ref: v1}", False),
        ("{remote: 'https://e.org/a.yml'}", True),
        ("{remote: 'https://e.org/a.yml', integrity: sha256-abc}", False),
        ("{component: g.org/p/c@1}", True),
        ("{component: g.org/p/c@~latest}", True),
        ("{component: g.org/p/c@1.2.0}", False),
        ("{component: g.org/p/c@$CI_COMMIT_SHA}", False),
        ("{local: /a.yml}", False),
    ],
)
def test_unpinned_includes_are_reported(include: str, is_tested: bool) -> None:  # noqa: FBT001 - a table
    """They are from other projects, remote servers and the component catalogue."""
    text = stages(f"{{name: a, script: [ls], raw: {{gitlab: {{trigger: {{include: [{include}]}}}}}}}}")
    setting = stages("{name: a, script: [ls]}", head=f"targets: {{gitlab: {{include: [{include}]}}}}\n")

    assert bool(findings(unpinned_include.check, text)) is is_tested
    assert bool(findings(unpinned_include.check, setting)) is is_tested
