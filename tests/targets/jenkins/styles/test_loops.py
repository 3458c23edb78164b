"""Loops that declare all combinations of a matrix in a scripted file."""

from __future__ import annotations

import pytest
from engines.sized import built

from pipegen.readback.jenkins import order

_LINES = "./prepare, ./compile, ./link, ./strip, './test ${matrix.v}'"


def _text(*stages: str) -> str:
    """Return the scripted file of the matrix stage `unit` with more *stages*."""
    listed = ", ".join(f"{{ {stage} }}" for stage in stages)
    return built(f"pipelines: {{ p: {{ stages: [{listed}] }} }}\n", "scripted").text


def test_a_loop_for_each_axis_declares_a_product() -> None:
    """An axis with one value needs none."""
    text = _text(
        "name: first, script: x",
        f"name: unit, matrix: {{ v: ['1', '2'], os: [a, b], one: [x] }}, script: [{_LINES}, './os ${{matrix.os}}']",
    )
    names = "addStage(\"unit: ${matrix_v}, ${matrix_os}, x\", after: ['first']) {"
    lines = [line.strip() for line in text.splitlines()]

    assert lines[lines.index(names) - 2 : lines.index(names) + 2] == [
        "['1', '2'].each { matrix_v ->",
        "['a', 'b'].each { matrix_os ->",
        names,
        'withEnv(["matrix_v=${matrix_v}", "matrix_os=${matrix_os}"]) {',
    ]
    assert [*order(text).predecessors("unit: 2, b, x")] == ["first"]
    assert [*order(text).nodes] == ["first", "unit: 1, a, x", "unit: 1, b, x", "unit: 2, a, x", "unit: 2, b, x"]


@pytest.mark.parametrize(
    "matrix",
    [
        "v: ['1', '2'], os: [a, b], exclude: [{ v: '2', os: b }]",
        "from: first",
    ],
)
def test_combinations_that_differ_have_their_own_calls(matrix: str) -> None:
    """They are no product, or come after different stages."""
    text = _text(
        "name: first, matrix: { v: ['1', '2', '3'] }, script: x",
        f"name: unit, matrix: {{ {matrix} }}, script: [{_LINES}]",
    )

    assert "addStage('unit: 1" in text


def test_a_loop_has_the_steps_of_two_short_combinations() -> None:
    """No function has them, as nothing else would call it."""
    text = _text("name: unit, matrix: { v: ['1', '2'] }, script: ['./prepare', './test ${matrix.v}']")

    assert (
        "['1', '2'].each { matrix_v ->\n"
        '    addStage("unit: ${matrix_v}") {\n'
        '        withEnv(["matrix_v=${matrix_v}"]) {\n'
        "            checkoutCommit()\n"
        "            sh '''\n"
        "                ./prepare\n"
        '                ./test "$matrix_v"\n'
        "            '''\n"
        "        }\n"
        "    }\n"
        "}\n"
    ) in text
    assert "unitSteps" not in text


def test_short_combinations_with_mails_are_in_a_loop() -> None:
    """The mail is that of each stage, in a function."""
    notify = "notify: { email: { to: [t@example.org] } }"
    stages = (
        f"name: first, script: x, {notify}",
        f"name: second, script: x, {notify}",
        f"name: unit, matrix: {{ v: ['1', '2'] }}, script: ['./prepare', './test ${{matrix.v}}'], {notify}",
    )
    text = _text(*stages)

    assert "addStage(\"unit: ${matrix_v}\", after: ['second'], onFailure: { mailFailure() }) {" in text
    assert "'unit: 1'" not in text
