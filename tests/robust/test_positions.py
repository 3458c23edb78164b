"""Trials with texts in every position of a config are complete, and detect texts that are read back differently."""

from __future__ import annotations

import pytest
from robust.positions import table
from robust.positions.read import Leaf
from robust.positions.shell import evaluated, words
from robust.positions.table import occurrences, positions
from robust.positions.trial import MARK, Outcome, Trial, outcome


def test_every_position_occurs_in_a_config() -> None:
    """A new key of the schema, or of a target's settings, needs an example."""
    assert [position for position, position_occurrences in occurrences().items() if not position_occurrences] == []


def test_every_position_occurs_in_a_golden_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """So changes of documents and examples cannot remove a position."""
    monkeypatch.setattr(table, "_PATTERNS", ("tests/golden/*/pipeline.yml",))
    monkeypatch.setattr(table, "blocks", lambda: iter(()))

    assert [position for position, position_occurrences in occurrences().items() if not position_occurrences] == []


def test_positions_are_those_of_the_schemas() -> None:
    """Texts, names and open values, in each of the three schemas."""
    names = set(positions())

    assert len(names) > 180
    assert ":/$defs/stage/properties/name" in names
    assert ":/$defs/stage/properties/env/additionalProperties" in names
    assert ":/properties/pipelines name" in names
    assert ":/$defs/stage/properties/raw/additionalProperties open" in names
    assert "gitlab:/properties/release/properties/tag" in names
    assert "jenkins:/properties/libraries/items" in names
    assert not any("shell" in name and "enum" in name for name in names)


@pytest.mark.parametrize(
    ("script", "word", "value"),
    [
        ("echo a 'qzk x' b", "'qzk x'", "qzk x"),
        ("export A=1\nexport B='it'\\''s qzk'", "B='it'\\''s qzk'", "B=it's qzk"),
        ('v="$(run "qzk $x")"', '"qzk $x"', "qzk "),
        ("# it's\nrun qzk;", "qzk", "qzk"),
        ("a\\ qzk", "a\\ qzk", "a qzk"),
        ('"${A:-\\$qzk}"', '"${A:-\\$qzk}"', "$qzk"),
    ],
)
def test_shell_words_are_found_and_evaluated(script: str, word: str, value: str) -> None:
    """From start to end, including quotes."""
    assert list(words(script, MARK)) == [word]
    assert evaluated(word) == value


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("name", "qzk'$Akzq", Outcome.READ),
        ("name", "qzk'kzq", Outcome.WRONG),
        ("name", "other", Outcome.SILENT),
        ("script", "echo 'qzk'\\''$Akzq'", Outcome.READ),
        ("script", "echo qzk'$Akzq", Outcome.WRONG),
        ("script", 'echo "qzk\'$Akzq"', Outcome.WRONG),
        ("changes", "src qzk'[$]Akzq", Outcome.READ),
        ("paths", "src qzk'[$]Akzq", Outcome.WRONG),
    ],
)
def test_a_text_that_is_read_back_differently_is_detected(path: str, text: str, expected: Outcome) -> None:
    """Even if the text itself is present, but means another one."""
    trial = Trial("position", "gitlab", "config", "qzk'$Akzq", "made", ())

    assert outcome(trial, [Leaf((path,), text)]) is expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("name", "a: qzk<$(…", Outcome.WRONG),
        ("name", "a: qzk<(…", Outcome.FITTED),
        ("name", "a: qzk<(bkzq", Outcome.WRONG),
        ("script", "echo qzk<(…", Outcome.WRONG),
    ],
)
def test_a_shortened_name_is_valid_outside_scripts(path: str, text: str, expected: Outcome) -> None:
    """Its beginning must equal the text."""
    trial = Trial(":/$defs/matrix/additionalProperties/items", "gitlab", "config", "qzk<$(`kzq", "made", ())

    assert outcome(trial, [Leaf((path,), text)]) is expected
