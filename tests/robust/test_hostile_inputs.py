"""Malicious configs are answered quickly and in little memory."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from cli.program import Pipegen
from robust.hostile_files import READERS, inputs
from robust.hostile_inputs import INPUTS, SMALL, Input
from robust.hostile_pipelines import conditional_inputs
from robust.hostile_pipelines import inputs as pipelines
from robust.measured_process import BUG, SECONDS, measured

# The inputs that run in a separate process here; hostile_input_trials.py runs all of them in this way.
MEASURED = ("an alias bomb", "a pipe", "a file of 100 MB", "10 MiB of short items", "10 MiB of brackets")


@pytest.mark.parametrize("item", SMALL, ids=lambda item: item.name)
def test_malicious_configs_give_the_expected_diagnostics(item: Input, empty: Path, pipegen: Pipegen) -> None:
    """Never an internal error."""
    item.write(empty)
    result = pipegen(*item.arguments)

    assert (result.status in item.expected, result.out) == (True, "")
    assert [code for code in item.codes if code not in result.err] == []


@pytest.mark.parametrize("reader", READERS)
def test_malicious_files_next_to_a_config_are_answered(
    reader: str, empty: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings, generated files and data files, for each command that reads them."""
    for item in inputs(reader):
        if not item.large:
            folder = empty / item.name
            folder.mkdir()
            monkeypatch.chdir(folder)
            item.write(folder)

            result = pipegen(*item.arguments)

            assert (result.status in item.expected, BUG in result.err) == (True, False), item.name


@pytest.mark.parametrize("item", [*pipelines(), *conditional_inputs()], ids=lambda item: item.name)
def test_malicious_pipelines_of_others_are_answered(item: Input, empty: Path, pipegen: Pipegen) -> None:
    """They multiply values, nest, or need a matcher without backtracking."""
    item.write(empty)
    started = time.process_time()
    result = pipegen(*item.arguments)

    assert (result.status in item.expected, BUG in result.err) == (True, False)
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("item", [item for item in INPUTS if item.name in MEASURED], ids=lambda item: item.name)
def test_malicious_configs_are_within_time_and_memory_limits(item: Input, tmp_path: Path) -> None:
    """CPU time and memory of a separate process."""
    result = measured(item, tmp_path)

    assert result.faults(item) == []
    assert result.megabytes > 0
