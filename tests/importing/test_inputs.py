"""Variables of the file that become inputs, and values of these that start no run."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages

_VARIABLES = """\
variables:
  TAG: { value: "1.0", description: The tag }
  TARGET: { value: dev, options: [dev, prod], description: Where }
"""
_EXPANDED = 'values of "TAG" with "$", "%" or other characters than ASCII start no run of the config'
_OTHER = 'values of "TARGET" other than its options start no run of the config'


@pytest.mark.parametrize(
    ("keys", "reported"),
    [
        ("script: ['./test $TAG $TARGET']", []),
        ("image: app:$TAG, script: ./test", [_EXPANDED]),
        ("environment: $TARGET, script: ./test", [_OTHER]),
        ("image: app:$TAG, environment: $TARGET, script: ./test", [_EXPANDED, _OTHER]),
    ],
)
def test_values_that_start_no_run_of_the_config_are_reported(keys: str, reported: list[str], tmp_path: Path) -> None:
    """On GitLab, names contain any value, and only the form for new pipelines has no other values than the options."""
    _, report = from_text(f"{_VARIABLES}test: {{ {keys} }}\n", tmp_path)
    lines = [line for line in messages(report).splitlines() if "start no run" in line]

    assert len(lines) == len(reported)
    assert all(part in line for part, line in zip(reported, lines, strict=True))


def test_values_that_start_no_run_of_the_source_are_not_reported(tmp_path: Path) -> None:
    """A generated file has the rules of the config already."""
    first, _ = from_text(f"{_VARIABLES}test: {{ image: app:$TAG, environment: $TARGET, script: ./test }}\n", tmp_path)
    folder = tmp_path / "generated"
    folder.mkdir()
    _, report = from_text(first.generated[-1].text, folder)

    assert "start no run" not in messages(report)
