"""Charts, libraries and included configuration that are other ones tomorrow."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules import unpinned_chart, unpinned_include, unpinned_library


@pytest.mark.parametrize(
    ("version", "is_told"),
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
def test_charts(version: str | None, is_told: bool) -> None:  # noqa: FBT001 - a table
    """One without a version, and a range."""
    chart = "{name: c}" if version is None else f"{{name: c, version: {version}}}"
    stage = f"{{name: a, build: v, publish: {{image: true}}, deploy: {{chart: {chart}}}}}"
    text = stages(stage, head="inputs: {chart: {}}\n")

    assert bool(told(unpinned_chart.check, text)) is is_told


def test_libraries() -> None:
    """Those that name no version, and those that name a branch."""
    libraries = "[none, branch@main, tag@v1, commit@5f3c2a1, other@maintenance]"
    text = stages("{name: a, script: [ls]}", head=f"targets: {{jenkins: {{libraries: {libraries}}}}}\n")

    assert [word for _, word in told(unpinned_library.check, text)] == ["none", "branch@main"]


@pytest.mark.parametrize(
    ("include", "is_told"),
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
def test_includes(include: str, is_told: bool) -> None:  # noqa: FBT001 - a table
    """What other projects, anybody's server and the catalogue give."""
    text = stages(f"{{name: a, script: [ls], raw: {{gitlab: {{trigger: {{include: [{include}]}}}}}}}}")
    setting = stages("{name: a, script: [ls]}", head=f"targets: {{gitlab: {{include: [{include}]}}}}\n")

    assert bool(told(unpinned_include.check, text)) is is_told
    assert bool(told(unpinned_include.check, setting)) is is_told
