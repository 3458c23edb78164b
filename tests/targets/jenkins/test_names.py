"""Unique names, and names of functions."""

from __future__ import annotations

import pytest

from pipegen.targets.jenkins.names import StageNames, steps_function_name


def test_a_duplicate_name_gets_the_first_free_number() -> None:
    """Numbers that other names contain are skipped, and none is used twice."""
    names = StageNames()
    texts = [names.take(name, "{name}{number}") for name in ("a", "a", "a3", "a", "a", "b", "a2")]

    assert texts == ["a", "a2", "a3", "a4", "a5", "b", "a22"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("unit", "unitSteps"),
        ("unit tests", "unitTestsSteps"),
        ("buildDocs", "buildDocsSteps"),
        ("UNIT_TEST", "unitTestSteps"),
        ("deploy to EU", "deployToEuSteps"),
        ("iOS build", "iOSBuildSteps"),
        ("3 nodes", "steps3Nodes"),
        ("--", "stageSteps"),
    ],
)
def test_the_name_of_the_function_of_a_matrix_stage(title: str, expected: str) -> None:
    """Words in capitals are words like others."""
    assert steps_function_name(title) == expected
