"""Outputs that nobody reads."""

from __future__ import annotations

import pytest
from lint.findings import asked, stages, told

from pipegen.lint.rules.unused_output import check


def test_an_output_that_nobody_reads() -> None:
    """Told where it is named."""
    text = stages(
        "{name: a, script: [ls], outputs: {x: {command: ls}, y: {command: ls}}}", "{name: b, script: ['./b ${a.x}']}"
    )

    assert told(check, text) == [(4, "y")]


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
def test_an_output_is_read(reader: str) -> None:
    """In a script, a variable, an address, an image, or a key that only an engine knows."""
    text = stages("{name: a, script: [ls], outputs: {x: {command: ls}}}", reader)

    assert told(check, text) == []


def test_an_output_that_its_own_stage_reads() -> None:
    """In its environment, or in what it exports."""
    text = stages("{name: a, script: [ls], outputs: [x], environment: {name: e, url: 'https://${.x}'}}")

    assert told(check, text) == []


def test_an_export_that_nobody_reads() -> None:
    """One that only renames is read where the renamed one is."""
    text = stages("{name: a, exports: {x: '1', y: '2'}}", "{name: b, script: ['echo ${a.x}']}")

    assert told(check, text) == [(4, "y")]


def test_a_template_counts_where_one_of_its_stages_is_read() -> None:
    """Both of its outputs stand there once."""
    template = "templates: {t: {script: [ls], outputs: {x: {command: ls}, y: {command: ls}}}}\n"
    text = stages("{name: a, extends: t}", "{name: b, extends: t}", "{name: c, script: ['echo ${b.x}']}", head=template)

    assert told(check, text) == [(1, "y")]


def test_combinations_count_together() -> None:
    """What one combination leaves is read where those of all are."""
    text = stages(
        "{name: a, matrix: {v: ['1', '2']}, script: [ls], outputs: {x: {command: ls}, y: {command: ls}}}",
        "{name: b, script: ['echo ${a[v=1].x}']}",
    )

    assert told(check, text) == [(4, "y")]


@pytest.mark.parametrize(
    ("outputs", "is_fixed"),
    [
        ("{x: {command: ls}}", True),
        ("{x: {file: VERSION}}", False),
        ("[x]", False),
        ("{x: {command: 'echo ${a.q}'}}", False),
    ],
)
def test_only_what_does_nothing_is_fixed(outputs: str, is_fixed: bool) -> None:  # noqa: FBT001 - a table
    """A file must be there in any case, and what reads another output brings its files."""
    text = stages(
        "{name: a, script: [ls], outputs: {q: {command: ls}}}", f"{{name: b, script: [ls], outputs: {outputs}}}"
    )
    diagnostics = [one for one in asked(check, text) if '"x"' in one.message]

    assert [one.fix is not None for one in diagnostics] == [is_fixed]
