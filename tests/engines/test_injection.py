"""Hostile texts in all places, executed on every engine: a small config of each kind on one engine after the other."""

import pytest
from engines.containers import available
from engines.proof.execution import absent
from engines.requirement import require
from robust.hostile.engines import ENGINES
from robust.injection import Trial, sample, tried

SAMPLE = tuple(sample())


@pytest.mark.parametrize("trial", SAMPLE, ids=lambda trial: f"{trial.kind}-{trial.engine}")
def test_texts_arrive_and_none_is_executed(trial: Trial) -> None:
    """Byte for byte; what is no value is refused at its place, or stands in what the engine's own parser reads."""
    require(absent(ENGINES[trial.engine]))
    if ENGINES[trial.engine].target == "jenkins":
        require(available())  # stages with services start containers, and shells come in turns
    ran = tried(trial)

    assert ran.wrong == ()
    assert ran.canaries == ()
    assert ran.positions + ran.compiled > 3


def test_every_engine_is_tried() -> None:
    """With each kind of config somewhere."""
    assert {trial.engine for trial in SAMPLE} == set(ENGINES)
