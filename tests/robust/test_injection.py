"""Hostile texts in shells, and checks of the trials on engines: their texts, positions, and detection of faults."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from engines.proof.yaml_text import yaml_text
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from robust.hostile import scripts
from robust.hostile.engines import fault_of
from robust.hostile.round import Expected, Round
from robust.hostile.rounds import KINDS
from robust.hostile.shells import SHELLS, faults
from robust.hostile.table import text_positions
from robust.hostile.texts import LONGEST, PIECES, TEXTS, armed, has_bare, large, written
from shell.world import require_shell

from pipegen.bindings.parse import parse_text
from pipegen.config.read import read
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.source.tree import Scalar, Sequence


@pytest.mark.parametrize("shell", SHELLS)
@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate,),  # shrinking a fault would take minutes
    suppress_health_check=list(HealthCheck),
)
@given(pool=st.lists(TEXTS, min_size=5, max_size=20).map(tuple))
def test_hostile_values_are_unchanged_in_shells(shell: str, pool: tuple[str, ...]) -> None:
    """Words, variables, written and measured outputs, defaults, names of files; none is executed."""
    require_shell(shell)
    with TemporaryDirectory() as name:
        turn = Round(0, 3, Path(name, "canaries"), pool=pool)
        for part in (scripts.words, scripts.environment, scripts.outputs, scripts.measured, scripts.defaults):
            part(turn)

        assert faults(turn, shell, Path(name)) == []


@given(TEXTS.filter(lambda text: not has_bare(text)))
def test_hostile_texts_are_escaped_in_configs(text: str) -> None:
    """Text that looks like a reference is not parsed as one, and gives no diagnostics."""
    report = Report()
    tree = read(SourceFile("a.yaml", yaml_text([written(text)]), ""), report)
    assert isinstance(tree, Sequence)
    scalar = tree.items[0]
    assert isinstance(scalar, Scalar)

    assert parse_text(scalar, report).constant == text
    assert report.diagnostics() == ()


def test_expected_records_name_positions_of_the_language() -> None:
    """The only exceptions are positions that exist only at run time."""
    keys: set[str] = set()
    for kind in set(KINDS) - {"labels", "places"}:
        turn = Round(0, 2, Path("canaries"), "scripted", PIECES)
        for part in KINDS[kind]:
            part(turn)
        keys |= {expectation.key for expectation in turn.expected}

    assert {key for key in keys - text_positions() if not key.endswith("at run time")} == {"default", "name of a file"}


def test_executed_texts_would_create_canaries() -> None:
    """Most texts would, including the largest."""
    assert sum("@" in text for text in PIECES) > 50
    assert armed("$(@)", "touch a") == "$(touch a)"
    assert {len(large(number, "touch a").encode()) for number in range(6)} == {LONGEST}


@pytest.mark.parametrize("content", [None, b"", b"a text", b"a\xff", b"a b\n"], ids=str)
def test_a_different_or_missing_value_is_a_fault(tmp_path: Path, content: bytes | None) -> None:
    """The message has the expected value."""
    if content is not None:
        (tmp_path / "1").write_bytes(content)

    assert "should be 'a b'" in fault_of(Expected("stage.env.*", "a b", "1", "a b"), tmp_path)


def test_an_identical_value_is_not_a_fault(tmp_path: Path) -> None:
    """Byte for byte."""
    (tmp_path / "1").write_bytes("é\u2028\r\n".encode())

    assert fault_of(Expected("stage.env.*", "", "1", "é\u2028\r\n"), tmp_path) == ""
