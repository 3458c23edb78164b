"""Hostile text in every position of a config is rejected with a location, or read back by the engine's own parser."""

from __future__ import annotations

import shutil

import pytest
from engines import jenkins_harness
from engines.requirement import require
from readback.conftest import compiled_once
from robust.positions.all import MIXED, Answer, answers
from robust.positions.trial import Outcome

__all__ = ["compiled_once"]

PARTS = 3


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_text_is_read_back_unchanged(part: int) -> None:
    """By Psych, two more YAML readers and Groovy's parser; dash evaluates the words of scripts."""
    require(jenkins_harness.available())
    require(None if shutil.which("ruby") else "ruby is not installed")
    values = answers([MIXED], slice(part, None, PARTS))

    assert [_shown(answer) for answer in values if answer.is_wrong] == []
    assert sum(answer.outcome is Outcome.READ for answer in values) > 20


def _shown(answer: Answer) -> tuple[str, ...]:
    return (answer.outcome.value, answer.trial.target, answer.trial.position, answer.trial.name, answer.differs)
