"""Conditions as `when` of a config."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text

from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.logic import ALWAYS, Conjunction, Disjunction, Opposite, StageTest, simplified
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


def test_a_long_condition_has_no_opposite_of_another_alternative() -> None:
    """It may be one of several: "a, or b and not a" is "a or b"."""
    first, second, third, *others = (StageTest("env", f"V{number}") for number in range(12))
    neither = Opposite(Disjunction((first, second)))
    alternatives = (first, second, Conjunction((third, Opposite(first))), Conjunction((others[0], neither)))
    required = (first, Disjunction((second, Opposite(first))))

    assert simplified(Disjunction((*alternatives, *others[1:]))) == Disjunction((first, second, third, *others))
    assert simplified(Conjunction((*required, *others))) == Conjunction((first, second, *others))
    assert simplified(Disjunction((first, second, Conjunction((Opposite(first), Opposite(second))), *others))) == ALWAYS
    assert simplified(Disjunction((Conjunction((third, Opposite(first))), *others))) == Disjunction(
        (Conjunction((third, Opposite(first))), *others)
    )


def test_tests_of_a_long_condition_are_known_in_all_its_parts() -> None:
    """Also in nested ones, after a part has become one of these tests, and in runs for which they are known."""
    first, second, third, *others = (StageTest("env", f"V{number}") for number in range(12))
    refused = Opposite(Conjunction((first, Disjunction((second, Conjunction((first, third)))))))
    known = Conjunction((first, Opposite(second), *others))

    assert simplified(Conjunction((first, refused, *others))) == Conjunction(
        (first, Opposite(Disjunction((second, third))), *others)
    )
    joined = Disjunction((Conjunction((first, second)), first))
    assert simplified(Conjunction((joined, Opposite(Conjunction((first, third))), *others))) == Conjunction(
        (first, Opposite(third), *others)
    )
    assert simplified(Disjunction((Conjunction((first, third)), second)), known) == third
    assert simplified(first, Disjunction((first, *others))) == first


_ASKING = "{{ if: '{0} && $ASK', when: manual }}, {{ if: '{0}' }}"
_OVERLAPPING = (
    _ASKING.format('$N == "n" && $P && $B != "b"'),
    """{ if: '$N != "n" && $P && $U', when: never }""",
    *map(
        _ASKING.format,
        (
            *('$N != "n" && $P && $R', '$N == "n" && $S == "s" && $B != "b"', '$N != "n" && $S == "s"'),
            *('$M && $T == "t" && $C', '$M && $T != "t"'),
        ),
    ),
)


@pytest.mark.parametrize(
    ("rules", "approve"),
    [
        (_OVERLAPPING, "approve: { when: { env: { ASK: true } } }"),
        (
            (_ASKING.format("$A"), "{ if: $B && $ASK && $C, when: manual }", "{ if: $B }"),
            "any: [{ env: { A: true } }, { env: { C: true } }]",
        ),
    ],
)
def test_an_approval_has_only_the_tests_that_decide(rules: tuple[str, ...], approve: str, tmp_path: Path) -> None:
    """Rules for a person have them in addition to a later one, which may not hold without another test."""
    result, _ = from_text(f"test: {{ script: [./test], rules: [{', '.join(rules)}] }}\n", tmp_path)
    proof = prove(result)

    assert approve in result.text
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    "rules",
    [
        '{ if: $CI_PIPELINE_SOURCE == "schedule" }, { when: manual, allow_failure: true }',
        '{ if: $CI_COMMIT_TAG, variables: { A: a } }, { if: $B != "c", variables: { A: b } }, { when: on_success }',
    ],
)
def test_a_stage_that_starts_in_several_ways_starts_no_merge_request(rules: str, tmp_path: Path) -> None:
    """The condition of the approval, or of the case, holds in no pipeline for a merge request; the stage has none."""
    never = '{ if: $CI_PIPELINE_SOURCE == "merge_request_event", when: never }'
    result, _ = from_text(f"test: {{ script: [./test], rules: [{never}, {rules}] }}\n", tmp_path)
    proof = prove(result)

    assert "event" in result.text
    assert proof is not None
    assert proof.differences == ()
