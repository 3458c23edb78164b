"""A sample of what stored_state.py does: runs over damaged results and journals, killed ones, and two at once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from robust.corruption import QUICK
from robust.stored_state import Called, Project, anew, measured


def test_whatever_stands_there_a_run_comes_to_the_same() -> None:
    """Nothing of it is taken for what it is not, and nothing keeps a run from going on."""
    found = measured(share=24, kills=2, rounds=1)

    assert found.wrong == 0, "\n".join(found.lines)
    assert len(found.lines) == 5


def test_another_value_is_noticed() -> None:
    """The check can fail: what a stage leaves is another one."""
    with TemporaryDirectory(dir=QUICK) as name:
        project = Project(Path(name, "one"))
        assert anew(project) == ""
        (project.tree / "words").write_text("c\n", encoding="utf-8")

        assert anew(project).startswith("value 'c")
    assert Called(3, "pipegen: this is a bug: x", (), "").faults().startswith("status 3")
