"""Conditions as `when` of a config."""

from __future__ import annotations

from pipegen.importing.logic import Conjunction, Disjunction, Opposite, StageTest, simplified
from pipegen.importing.when import as_when


def test_alternatives_without_their_common_part_are_one_list() -> None:
    """One of them may be a list itself."""
    tag, *others = (StageTest(key) for key in ("tag", "branch", "event", "changes"))
    first = Conjunction((tag, Disjunction((others[0], others[1]))))

    assert as_when(Disjunction((first, Conjunction((tag, others[2]))))) == {
        "tag": True,
        "any": [{"branch": True}, {"event": True}, {"changes": True}],
    }


def test_a_long_condition_has_no_part_that_another_decides() -> None:
    """Conditions with many facts are not compared in all combinations, but "a, or a and b" is "a"."""
    facts = [StageTest("env", f"V{number}") for number in range(9)]
    first, second, *others = facts
    pairs = [Conjunction((first, other)) for other in others]

    assert simplified(Disjunction((Conjunction((first, second)), *pairs, second, *others[1:]))) == Disjunction(
        (pairs[0], second, *others[1:])
    )
    assert simplified(Conjunction((Disjunction((first, second)), *others, first))) == Conjunction((*others, first))
    assert simplified(Opposite(Disjunction((Conjunction((first, second)), *others, first)))) == Opposite(
        Disjunction((*others, first))
    )
