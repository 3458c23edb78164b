"""A value at each place of the shells' grammar for words: refused, or not executed."""

from __future__ import annotations

from random import Random

import pytest
from robust.words.grammar import GRAMMAR, drawn, positions
from robust.words.trial import SHELLS, VALUES, fired, refused, refused_or_harmless, sample
from shell.world import require_shell


@pytest.mark.parametrize("shell", SHELLS)
def test_no_value_is_executed(shell: str) -> None:
    """Wherever it stands: in words of commands, builtins, variables, redirections, expansions, and inside these."""
    require_shell("bash" if shell == "posix" else shell)
    result = refused_or_harmless(sample(len(shell), 120), (shell,), VALUES[:2])

    assert result.wrong == 0, result.lines


def test_what_executes_a_value_is_seen() -> None:
    """A script that evaluates the value itself leaves a canary."""
    scripts = ['eval "$pipegen_v"', "echo a", ': "$((pipegen_v))"']

    assert {one.script for one in fired(scripts, "bash", VALUES[:1])} == {scripts[0], scripts[2]}


def test_the_grammar_is_walked() -> None:
    """Each script has a reference, most positions compile, and those that evaluate do not."""
    scripts = list(positions(2))

    assert len(scripts) > 800
    assert all("${s." in script for script in scripts)
    assert sum(map(refused, scripts)) < len(scripts) / 2
    assert refused('echo x >&"${s.v}"')
    assert set(GRAMMAR) >= {"command", "word", "number", "output"}
    assert "${s." in drawn(Random(1))
