"""A value at each position of words in the shells' grammar: rejected, or not executed."""

from __future__ import annotations

from random import Random

import pytest
from robust.words import trial
from robust.words.grammar import GRAMMAR, REFERENCE, drawn, positions
from robust.words.trial import BATCH, SHELLS, VALUES, fired, refused, refused_or_harmless, sample
from shell.world import require_shell


@pytest.mark.parametrize("shell", SHELLS)
def test_values_in_shell_words_are_not_executed(shell: str) -> None:
    """In words of commands, builtins, variables, redirections, expansions, and inside these."""
    require_shell("bash" if shell == "posix" else shell)
    result = refused_or_harmless(sample(len(shell), 120), (shell,), VALUES[:2])

    assert result.wrong == 0, result.lines


@pytest.mark.parametrize("shell", SHELLS)
def test_an_executed_value_is_detected(shell: str) -> None:
    """Each script that evaluates its value is found with the values that do it, among many that do not."""
    require_shell("bash" if shell == "posix" else shell)
    holes = ('eval "$pipegen_v"', '( trap "$pipegen_w" EXIT )', 'echo a; sh -c "$pipegen_v" & wait')
    scripts = [f"echo {number}; exit {number % 3}" for number in range(BATCH + 20)]
    for number, hole in zip((0, BATCH - 1, BATCH + 10), holes, strict=True):
        scripts[number] = hole
    values = VALUES[1:4]
    executions = {(firing.script, firing.shell, firing.value) for firing in fired(scripts, (shell,), values)}

    assert executions == {(hole, shell, value) for hole in holes for value, _ in values}


def test_a_hole_of_the_compiler_is_reported_with_its_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """A position that the compiler does not reject counts as wrong, in any surrounding script."""
    hole = f"x=1; trap -- {REFERENCE} EXIT"
    harmless = [f"echo {number} {REFERENCE}" for number in range(40)]
    assert refused(hole)
    monkeypatch.setattr(trial, "refused", lambda script: script != hole and refused(script))
    result = refused_or_harmless([*harmless, hole, *harmless[:3]], tuple(SHELLS), VALUES)

    assert result.wrong == 1
    assert result.lines[0].startswith("41 scripts, 41 of them")
    assert hole in result.lines[1]


def test_the_grammar_generates_enough_scripts() -> None:
    """Each has a reference; most compile, and those that evaluate the value do not."""
    scripts = list(positions(2))

    assert len(scripts) > 800
    assert all("${s." in script for script in scripts)
    assert sum(map(refused, scripts)) < len(scripts) / 2
    assert refused('echo x >&"${s.v}"')
    assert set(GRAMMAR) >= {"command", "word", "number", "output"}
    assert "${s." in drawn(Random(1))
