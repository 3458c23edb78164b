"""Waits that nothing needs."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules.lost_parallelism import check


def line(name: str, more: str = "", script: str = "make") -> str:
    """Return a stage."""
    return f"{{name: {name}, script: ['{script}'], {more}}}"


def names(text: str) -> list[str]:
    """Return the stages that could start earlier."""
    return [name for _, name in told(check, text)]


def test_a_stage_that_needs_nothing_could_start_at_once() -> None:
    """It leaves files, so that it may do so before the check has ended."""
    assert names(stages(line("lint"), line("build", "artifacts: [dist/]"), execution="[[lint, build]]")) == ["build"]


def test_several_waits_count_together() -> None:
    """To drop one of them alone would make nothing shorter."""
    text = stages(line("lint"), line("unit"), line("build"), line("end"), execution="[[[lint, unit], build, end]]")

    assert names(text) == ["build"]


@pytest.mark.parametrize(
    "later",
    [
        "{name: b, script: ['./b ${a.x}']}",
        "{name: b, script: ['ls'], files_from: [a]}",
        "{name: b, script: ['ls'], secrets: {TOKEN: t}}",
        "{name: b, script: ['ls'], environment: e}",
        "{name: b, script: ['ls'], when: {branch: main}}",
        "{name: b, script: ['ls'], approve: Go on?}",
        "{name: b, script: ['ls'], lock: one}",
        "{name: b, script: ['kubectl apply -f x']}",
        "{name: deploy b, script: ['ls']}",
        "{name: b, build: b, publish: {image: true}}",
    ],
)
def test_what_is_needed_or_may_be_is_left_alone(later: str) -> None:
    """A value, a file, an effect, a condition."""
    first = "{name: a, script: [make], outputs: {x: {command: ls}}, artifacts: [dist/]}"
    name = "deploy b" if "deploy b" in later else "b"

    assert names(stages(first, later, line("c"), execution=f"[[a, {name}, c]]")) == []


@pytest.mark.parametrize("first", ["secrets: {T: t}", "environment: e", "allow_failure: true", "when: {branch: main}"])
def test_what_comes_before_may_have_effects(first: str) -> None:
    """What it does to the world, the later stage may look at."""
    assert names(stages(line("a", first), line("b"), line("c"), execution="[[a, b, c]]")) == []


def test_a_cache_that_is_only_taken_is_filled_before() -> None:
    """By a stage that it waits for; where both fill it, either may come first."""
    cache = "cache: {key: k, paths: [x]"
    text = stages(line("a", f"{cache}}}"), line("b", f"{cache}, policy: pull}}"), line("c"), execution="[[a, b, c]]")

    assert names(text) == []
    assert names(text.replace(", policy: pull", "")) == ["b"]


def test_in_one_workspace_nothing_is_known() -> None:
    """Each stage may find what others leave."""
    text = stages(line("a"), line("b"), line("c"), execution="[[a, b, c]]", pipeline="workspace: shared")

    assert names(text) == []


def test_the_last_stage_is_there_for_an_effect() -> None:
    """It leaves nothing, and nothing comes after it: to announce what has failed helps nobody."""
    assert names(stages(line("a"), line("b"), execution="[[a, b]]")) == []


def test_beside_a_path_as_long_nothing_is_won() -> None:
    """The longest path stays what it is."""
    text = stages(*map(line, ("a", "b", "x", "y", "end")), execution="[[[a, x], end], [a, b, end], [x, y, end]]")

    assert names(text) == []


def test_a_stage_that_reads_one_further_up_waits_for_that() -> None:
    """It could start once that one has ended; and what stands between, with that one."""
    text = stages(
        "{name: a, script: [make], artifacts: [dist/]}",
        line("check", "files_from: []"),
        line("pack", "files_from: [a], artifacts: [x]"),
        execution="[[a, check, pack]]",
    )

    assert names(text) == ["check", "pack"]


def test_without_arcs_nothing_is_told() -> None:
    """The order in which stages are written is what the user asks for by asking nothing."""
    assert names(stages(line("a"), line("b", "artifacts: [x]"))) == []
