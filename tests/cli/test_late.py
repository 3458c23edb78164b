"""Verbs that are imported when they are called for."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli.calling import Pipegen

_LOADED = (
    "import sys; from pipegen.cli.app import run; print(*(name for name in sys.modules if name.startswith('pipegen')))"
)


def test_other_verbs_start_without_them() -> None:
    """Neither what runs pipelines nor a target is loaded before it is needed."""
    loaded = subprocess.run((sys.executable, "-c", _LOADED), capture_output=True, text=True, check=True).stdout.split()

    assert "pipegen.cli.commands.compile" in loaded
    assert [name for name in loaded if name.startswith(("pipegen.run", "pipegen.targets.jenkins"))] == []


@pytest.mark.parametrize("verb", ["run", "simulate"])
def test_they_are_there_when_they_are_called_for(verb: str, pipegen: Pipegen) -> None:
    """With their options."""
    result = pipegen(verb, "--help")

    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(f"Usage: pipegen {verb} [OPTIONS] [CONFIG]")


def test_a_near_miss_is_told(pipegen: Pipegen) -> None:
    """As of any other verb."""
    result = pipegen("rnu")

    assert (result.status, "'run'" in result.err) == (2, True)
