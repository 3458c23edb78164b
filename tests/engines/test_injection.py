"""Hostile texts in all positions, executed on every engine: a small config of each kind on the engines in turn."""

import pytest
from engines.containers import available
from engines.proof.execution import absent
from engines.requirement import require
from robust.hostile.engines import ENGINES
from robust.injection import Trial, sample, tried

SAMPLE = tuple(sample())


@pytest.mark.parametrize("trial", SAMPLE, ids=lambda trial: f"{trial.kind}-{trial.engine}")
def test_hostile_texts_arrive_and_are_not_executed(trial: Trial) -> None:
    """Byte for byte; text that is not a value is rejected at its position, or read back by the engine's own parser."""
    require(absent(ENGINES[trial.engine]))
    if ENGINES[trial.engine].target == "jenkins":
        require(available())  # stages with services start containers, and the shells take turns
    ran = tried(trial)

    assert ran.wrong == ()
    assert ran.canaries == ()
    assert ran.positions + ran.compiled > 3


def test_every_engine_is_in_the_sample() -> None:
    """The sample runs the kinds of configs on the engines in turn."""
    assert {trial.engine for trial in SAMPLE} == set(ENGINES)
