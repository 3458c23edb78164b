"""A sample of stored_state.py: runs with damaged results and journals, killed runs, and two concurrent runs."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from robust.corruption import QUICK
from robust.stored_state import Called, Project, anew, measured


def test_damaged_state_does_not_change_the_result_of_a_run() -> None:
    """Nor does it prevent a run."""
    figures = measured(share=24, kills=2, rounds=1)

    assert figures.wrong == 0, "\n".join(figures.lines)
    assert len(figures.lines) == 5


def test_a_different_value_is_detected() -> None:
    """This proves that the check can fail."""
    with TemporaryDirectory(dir=QUICK) as name:
        project = Project(Path(name, "one"))
        assert anew(project) == ""
        (project.tree / "words").write_text("c\n", encoding="utf-8")

        assert anew(project).startswith("value 'c")
    assert Called(3, "pipegen: this is a bug: x", (), "").faults().startswith("status 3")
