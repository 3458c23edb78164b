"""Included files of others: https://docs.gitlab.com/ci/yaml/#include."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import compiled

_STAGES = "[{name: a, script: x}, {name: b, script: x, matrix: {v: [1, 2]}}, {name: test, script: x}]"


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        ("{}", ["a", "b", "test"]),
        ("{scan: , deploy: b}", ["scan", "a", "b", "deploy", "test"]),
        ("{test: a}", ["a", "b", "test"]),
        ("{one: test, two: test}", ["a", "b", "test", "one", "two"]),
        ("{one: , two: }", ["one", "two", "a", "b", "test"]),
        ("{scan: 'p: a'}", ["a", "scan", "b", "test"]),
    ],
)
def test_included_stages_are_inserted_into_the_order(stages: str, expected: list[str]) -> None:
    """After the jobs of a stage, of all its combinations, or first; an existing stage stays."""
    output = compiled(f"""
        targets: {{gitlab: {{include: [ci/a.yml, 'https://example.org/b.yml'], include_stages: {stages}}}}}
        pipelines: {{p: {{stages: {_STAGES}}}}}
    """)

    assert output.data["stages"] == expected
    assert output.data["include"] == [{"local": "ci/a.yml"}, {"remote": "https://example.org/b.yml"}]
    assert output.codes() == [("PG674", "include")]
