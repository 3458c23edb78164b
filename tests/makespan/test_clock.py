"""The simulated clock, on handwritten files and against the driver that the Groovy engine runs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from makespan.clock import frames, ideal, makespan

from pipegen.emit.template import render
from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.driver import Driver

DRIVER = render("jenkins/driver.j2", filters={}, body=Driver(0, tables=False))
SKEWED = ExecutionGraph([["a", "c"], ["b", "c"], ["b", "d"]])
DURATIONS = {"a": 4.0, "b": 1.0, "c": 1.0, "d": 4.0}

SCRIPTED = f"""//
addStage('a') {{}}
addStage('b') {{}}
addStage('c', after: ['a', 'b']) {{}}
addStage('d', after: ['b']) {{}}
runStages(stagesReady())
{DRIVER}"""
FRAMES = """//
pipeline {
    stages {
        stage('one') {
            parallel {
                stage('a') { steps { } }
                stage('b') { steps { } }
            }
        }
        stage('two') {
            parallel {
                stage('c') { steps { } }
                stage('d') { steps { } }
            }
        }
    }
}
"""
CHAINS = """//
pipeline {
    stages {
        stage('all') {
            parallel {
                stage('a, c') {
                    stages {
                        stage('a') { steps { } }
                        stage('c') { steps { } }
                    }
                }
                stage('b, d') {
                    stages {
                        stage('b') { steps { } }
                        stage('d') { steps { } }
                    }
                }
            }
        }
    }
}
"""
NEEDS = """
stages: [one, two, three]
a: { stage: one, script: x }
b: { stage: one, script: x }
c: { stage: two, script: x, needs: [a, b] }
d: { stage: two, script: x, needs: [b] }
"""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(SCRIPTED, 5), (FRAMES, 8), (CHAINS, 5), (NEEDS, 5), (NEEDS.replace(", needs: [b]", ""), 8)],
    ids=["scripted", "frames", "chains", "needs", "stages"],
)
def test_makespan_of_an_n_shape(text: str, seconds: float) -> None:
    """There are two short and two long stages, and a barrier costs three seconds."""
    assert makespan(text, DURATIONS) == seconds


def test_makespan_of_the_ideal_and_of_frames() -> None:
    """The ideal is the longest path, and frames have barriers."""
    assert (ideal(SKEWED, DURATIONS), frames(SKEWED, DURATIONS)) == (5, 8)


def test_durations_of_consecutive_starts_add_up() -> None:
    """Code after a start waits for all of its stages."""
    text = f"""//
        addStage('a') {{}}
        addStage('b', after: ['all others']) {{}}
        try {{ runStages(stagesReady()) }} finally {{ runStages(stagesReady('all others')) }}
        {DRIVER}"""
    durations: Mapping[str, float] = {"a": 2.0, "b": 3.0}

    assert makespan(text, durations) == 5
