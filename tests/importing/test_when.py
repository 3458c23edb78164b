"""Conditions as `when` of a config."""

from __future__ import annotations

from pipegen.importing.logic import Conjunction, Disjunction, StageTest
from pipegen.importing.when import as_when


def test_alternatives_without_their_common_part_are_one_list() -> None:
    """One of them may be a list itself."""
    tag, *others = (StageTest(key) for key in ("tag", "branch", "event", "changes"))
    first = Conjunction((tag, Disjunction((others[0], others[1]))))

    assert as_when(Disjunction((first, Conjunction((tag, others[2]))))) == {
        "tag": True,
        "any": [{"branch": True}, {"event": True}, {"changes": True}],
    }
