"""Bugs found by random edits and the fuzzer, which are fixed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import Pipegen
from robust.arbitrary_input import STYLES, answer
from robust.fuzz import FOUND


@pytest.mark.parametrize("target", ["gitlab", "jenkins"])
def test_a_default_of_an_axis_may_be_any_text(target: str, empty: Path, pipegen: Pipegen) -> None:
    """Each combination's default is constant in the script, so no shell expansion must contain it."""
    (empty / "pipegen.yaml").write_text(
        "pipelines: {p: {stages: [{name: a, matrix: {os: [x, y], include: [{os: z, mode: m}]}, "
        "script: ['make ''${matrix.mode|p;in}''']}]}}\n".replace("''", '\\"').replace("'", '"'),
        encoding="utf-8",
    )
    result = pipegen("compile", "-t", target, "-o", "-")

    assert (result.status, result.err) == (0, "")
    assert "matrix_mode='p;in'" in result.out
    assert result.out.count("matrix_mode=m") == 1


def test_a_null_config_is_reported(empty: Path, pipegen: Pipegen) -> None:
    """The message names no key."""
    (empty / "pipegen.yaml").write_text("null\n", encoding="utf-8")
    result = pipegen("check", "--format", "concise")

    assert (result.status, result.out.splitlines()[0]) == (1, "pipegen.yaml:1:1: error[PG202] the config has no value")


@pytest.mark.parametrize("text", ["a: [x", "a: {x: y,", "[a"])
def test_spans_do_not_extend_past_the_end_of_file(text: str, empty: Path, pipegen: Pipegen) -> None:
    """An error at the end of the file points to its end."""
    (empty / "pipegen.yaml").write_text(text, encoding="utf-8")
    result = pipegen("check", "--format", "json")

    (data,) = json.loads(result.out)["diagnostics"]

    assert (result.status, data["code"]) == (1, "PG102")
    assert data["span"]["end"]["offset"] == len(text)


def test_a_stage_in_no_arc_has_no_status(empty: Path, pipegen: Pipegen) -> None:
    """The stage itself is a warning; reading its status is an error on every target."""
    (empty / "pipegen.yaml").write_text(
        "pipelines: {p: {stages: [{name: a, script: [make]}, {name: lint, script: [make]}, "
        "{name: report, script: ['./report ${lint.status}']}], execution: [[a]], finally: [report]}}\n",
        encoding="utf-8",
    )
    result = pipegen("check", "--format", "concise")

    assert result.status == 1
    assert 'error[PG357] "${lint.status}" is not known: stage "lint" is in no arc, so it never runs' in result.out


@pytest.mark.parametrize("written", ["71", "0x47", "0o107", "71 s"])
def test_a_duration_may_be_any_yaml_number(written: str, empty: Path, pipegen: Pipegen) -> None:
    """In any base."""
    (empty / "pipegen.yaml").write_text(
        f"pipelines: {{p: {{stages: [{{name: a, script: [make], timeout: {written}}}]}}}}\n", encoding="utf-8"
    )
    result = pipegen("compile", "-t", "gitlab", "-o", "-")

    assert (result.status, result.err) == (0, "")
    assert "timeout: 1 minute 11 seconds" in result.out


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.yaml")), ids=lambda path: path.stem)
def test_configs_found_by_the_fuzzer_are_answered_in_time(path: Path) -> None:
    """Each config failed or took too long before; all styles."""
    answers = [answer(path.read_bytes(), path, style) for style in STYLES]

    assert [result.faults for result in answers] == [()] * len(STYLES)
