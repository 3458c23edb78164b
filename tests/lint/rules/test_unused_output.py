"""Outputs that are never read."""

from __future__ import annotations

import pytest
from lint.findings import diagnostics_of, findings, stages

from pipegen.lint.rules.unused_output import check


def test_an_unused_output_is_reported() -> None:
    """The diagnostic is at its name."""
    text = stages(
        "{name: a, script: [ls], outputs: {x: {command: ls}, y: {command: ls}}}", "{name: b, script: ['./b ${a.x}']}"
    )

    assert findings(check, text) == [(4, "y")]


@pytest.mark.parametrize(
    "reader",
    [
        "{name: b, script: ['./b ${a.x}']}",
        "{name: b, script: ['./b ${a.x|none}']}",
        "{name: b, script: [ls], env: {X: '${a.x}'}}",
        "{name: b, script: [ls], environment: {name: e, url: 'https://${a.x}'}}",
        "{name: b, script: [ls], image: 'x:${a.x}'}",
        "{name: b, script: [ls], outputs: {z: {command: 'echo ${a.x}'}}, environment: {name: e, url: '${.z}'}}",
        "{name: b, script: [ls], raw: {gitlab: {variables: {X: '${a.x}'}}}}",
    ],
)
def test_a_used_output_is_not_reported(reader: str) -> None:
    """It is read in a script, a variable, an address, an image or a raw key."""
    text = stages("{name: a, script: [ls], outputs: {x: {command: ls}}}", reader)

    assert findings(check, text) == []


def test_an_output_that_its_own_stage_reads_is_not_reported() -> None:
    """Its environment reads the output."""
    text = stages("{name: a, script: [ls], outputs: [x], environment: {name: e, url: 'https://${.x}'}}")

    assert findings(check, text) == []


def test_an_unused_export_is_reported() -> None:
    """An export that is read is not reported."""
    text = stages("{name: a, exports: {x: '1', y: '2'}}", "{name: b, script: ['echo ${a.x}']}")

    assert findings(check, text) == [(4, "y")]


def test_an_output_of_a_template_is_used_if_any_stage_is_read() -> None:
    """The outputs are in the file only once."""
    template = "templates: {t: {script: [ls], outputs: {x: {command: ls}, y: {command: ls}}}}\n"
    text = stages("{name: a, extends: t}", "{name: b, extends: t}", "{name: c, script: ['echo ${b.x}']}", head=template)

    assert findings(check, text) == [(1, "y")]


def test_outputs_of_combinations_count_together() -> None:
    """Reading one combination is enough."""
    text = stages(
        "{name: a, matrix: {v: ['1', '2']}, script: [ls], outputs: {x: {command: ls}, y: {command: ls}}}",
        "{name: b, script: ['echo ${a[v=1].x}']}",
    )

    assert findings(check, text) == [(4, "y")]


@pytest.mark.parametrize(
    ("outputs", "is_fixed"),
    [
        ("{x: {command: ls}}", True),
        ("{x: {file: VERSION}}", False),
        ("[x]", False),
        ("{x: {command: 'echo ${a.q}'}}", False),
    ],
)
def test_only_outputs_without_effects_have_a_fix(outputs: str, is_fixed: bool) -> None:  # noqa: FBT001 - a table
    """A missing file would fail the stage, and a command may read another output."""
    text = stages(
        "{name: a, script: [ls], outputs: {q: {command: ls}}}", f"{{name: b, script: [ls], outputs: {outputs}}}"
    )
    diagnostics = [diagnostic for diagnostic in diagnostics_of(check, text) if '"x"' in diagnostic.message]

    assert [diagnostic.fix is not None for diagnostic in diagnostics] == [is_fixed]
