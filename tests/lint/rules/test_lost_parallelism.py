"""Waits that no stage needs."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.lost_parallelism import check


def line(name: str, more: str = "", script: str = "make") -> str:
    """Return a stage as a map on one line."""
    return f"{{name: {name}, script: ['{script}'], {more}}}"


def names(text: str) -> list[str]:
    """Return the stages that could start earlier."""
    return [name for _, name in findings(check, text)]


def test_a_stage_without_needs_could_start_at_once() -> None:
    """It produces files, so it is safe to run before the check has ended."""
    assert names(stages(line("lint"), line("build", "artifacts: [dist/]"), execution="[[lint, build]]")) == ["build"]


def test_several_waits_are_removed_together() -> None:
    """Removing one of them alone would not shorten the longest path."""
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
def test_needed_waits_are_not_reported(later: str) -> None:
    """The later stage uses a value or a file, has an effect, or has a condition."""
    first = "{name: a, script: [make], outputs: {x: {command: ls}}, artifacts: [dist/]}"
    name = "deploy b" if "deploy b" in later else "b"

    assert names(stages(first, later, line("c"), execution=f"[[a, {name}, c]]")) == []


@pytest.mark.parametrize("first", ["secrets: {T: t}", "environment: e", "allow_failure: true", "when: {branch: main}"])
def test_waits_for_a_stage_with_effects_are_not_reported(first: str) -> None:
    """The later stage may depend on the effect."""
    assert names(stages(line("a", first), line("b"), line("c"), execution="[[a, b, c]]")) == []


def test_a_wait_for_the_stage_that_fills_a_cache_is_not_reported() -> None:
    """If both stages fill the cache, their order does not matter."""
    cache = "cache: {key: k, paths: [x]"
    text = stages(line("a", f"{cache}}}"), line("b", f"{cache}, policy: pull}}"), line("c"), execution="[[a, b, c]]")

    assert names(text) == []
    assert names(text.replace(", policy: pull", "")) == ["b"]


def test_waits_in_a_shared_workspace_are_not_reported() -> None:
    """Each stage may use files of the earlier ones."""
    text = stages(line("a"), line("b"), line("c"), execution="[[a, b, c]]", pipeline="workspace: shared")

    assert names(text) == []


def test_the_last_stage_is_not_reported() -> None:
    """It produces nothing for other stages, so it probably has an effect that needs the others to succeed."""
    assert names(stages(line("a"), line("b"), execution="[[a, b]]")) == []


def test_a_wait_next_to_an_equally_long_path_is_not_reported() -> None:
    """Its removal would not shorten the longest path."""
    text = stages(*map(line, ("a", "b", "x", "y", "end")), execution="[[[a, x], end], [a, b, end], [x, y, end]]")

    assert names(text) == []


def test_a_stage_could_start_after_the_stage_that_it_reads() -> None:
    """The stage between them is reported, too."""
    text = stages(
        "{name: a, script: [make], artifacts: [dist/]}",
        line("check", "files_from: []"),
        line("pack", "files_from: [a], artifacts: [x]"),
        execution="[[a, check, pack]]",
    )

    assert names(text) == ["check", "pack"]


def test_a_config_without_arcs_is_not_reported() -> None:
    """The order of the stages in the file is the default that the user accepts."""
    assert names(stages(line("a"), line("b", "artifacts: [x]"))) == []
