"""A value at each position of words in the shells' grammar: rejected, or not executed."""

from __future__ import annotations

from random import Random

import pytest
from robust.words.grammar import GRAMMAR, drawn, positions
from robust.words.trial import SHELLS, VALUES, fired, refused, refused_or_harmless, sample
from shell.world import require_shell


@pytest.mark.parametrize("shell", SHELLS)
def test_values_in_shell_words_are_not_executed(shell: str) -> None:
    """In words of commands, builtins, variables, redirections, expansions, and inside these."""
    require_shell("bash" if shell == "posix" else shell)
    result = refused_or_harmless(sample(len(shell), 120), (shell,), VALUES[:2])

    assert result.wrong == 0, result.lines


def test_an_executed_value_is_detected() -> None:
    """A script that evaluates the value itself creates a canary."""
    scripts = ['eval "$pipegen_v"', "echo a", ': "$((pipegen_v))"']

    assert {one.script for one in fired(scripts, "bash", VALUES[:1])} == {scripts[0], scripts[2]}


def test_the_grammar_generates_enough_scripts() -> None:
    """Each has a reference; most compile, and those that evaluate the value do not."""
    scripts = list(positions(2))

    assert len(scripts) > 800
    assert all("${s." in script for script in scripts)
    assert sum(map(refused, scripts)) < len(scripts) / 2
    assert refused('echo x >&"${s.v}"')
    assert set(GRAMMAR) >= {"command", "word", "number", "output"}
    assert "${s." in drawn(Random(1))
