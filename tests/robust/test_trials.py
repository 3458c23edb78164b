"""The command that runs all trials."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from robust.trials import PARTS


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_a_module_with_figures(part: str) -> None:
    """Its name in a shell is that of the module."""
    assert callable(import_module(f"robust.{part}").figures)


def test_the_documented_parts_exist() -> None:
    """docs/security.md lists the figures of parts by their names."""
    page = (Path(__file__).parents[2] / "docs/security.md").read_text(encoding="utf-8")
    table = page.partition("| part |")[2].partition("\n\n")[0]
    names = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]

    assert names
    assert set(names) <= set(PARTS)
