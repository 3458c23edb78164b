"""Conditions as text."""

import pytest

from pipegen.plan.model import (
    NEVER,
    AllOf,
    AnyOf,
    AreEqual,
    Condition,
    Event,
    Exists,
    Fact,
    FilesChanged,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Pattern,
    Subject,
)
from pipegen.plan.stage.words import words
from pipegen.source.text import SourceFile, Span

SPAN = Span(SourceFile("pipegen.yaml", ""), 0, 0)
MAIN = Matches(subject=Subject.BRANCH, patterns=(Pattern("main"), Pattern("^v[0-9]", is_regex=True)), span=SPAN)
TAG = IsSet(subject=Subject.TAG, span=SPAN)
PUSHED = IsEvent((Event.PUSH, Event.MERGE_REQUEST), SPAN)
FULL = Matches(subject=Subject.INPUT, name="level", patterns=(Pattern(""),), span=SPAN)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (MAIN, "branch main | /^v[0-9]/"),
        (TAG, "tag any"),
        (FULL, 'input level ""'),
        (PUSHED, "event push | merge_request"),
        (FilesChanged((Pattern("src/**"),), "main", SPAN), "changes src/** since main"),
        (FilesChanged((Pattern("a"), Pattern("b")), None, SPAN), "changes a | b"),
        (Exists((Pattern("a"),), SPAN), "exists a"),
        (AreEqual((Fact(Subject.TAG), Fact(Subject.INPUT, "level")), SPAN), "tag equals input level"),
        (
            AllOf((AnyOf((MAIN, TAG)), Not(PUSHED))),
            "(branch main | /^v[0-9]/ or tag any) and not event push | merge_request",
        ),
        (Not(AllOf((TAG, PUSHED))), "not (tag any and event push | merge_request)"),
        (NEVER, "never"),
        (Not(NEVER), "not never"),
    ],
)
def test_conditions_have_the_words_of_when(condition: Condition, text: str) -> None:
    """Nested conditions are in parentheses."""
    assert words(condition).replace("(never)", "never") == text
