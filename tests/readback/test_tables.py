"""Stages in tables, which files use when they are too large for a call per stage."""

from __future__ import annotations

import re
from functools import cache

import pytest
from readback.families import config
from readback.test_mutations import check_noticed, without
from readback.texts import Written, relation, written

from pipegen.assets import folder
from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.errors import UnreadableError
from pipegen.readback.jenkins import order
from pipegen.readback.scripted import stages_of_table

pytestmark = pytest.mark.skipif(
    not folder("templates").joinpath("jenkins", "tables.j2").is_file(), reason="no file has tables"
)
LARGE = ExecutionGraph([[f"s{number}", f"s{number + 40}"] for number in range(1_160)])


@cache
def large() -> Written:
    """Return a file of 1,200 stages."""
    return written(config(LARGE), "jenkins", style="scripted")


def test_table_lines_are_classified_by_their_prefix() -> None:
    """Lines of steps are ignored, and names may have several lines."""
    text = "\nstage a\nagent after b\nsteps\n sh\n|stage x\n+after y"
    other = "\nstage b\n+two\nafter a\n+b\nafter c\nsteps\n :x\n|after z\n"

    assert list(stages_of_table(text + other)) == [("a", ()), ("b\ntwo", ("a\nb", "c"))]


def test_a_large_file_enforces_the_graph() -> None:
    """It consists of tables."""
    assert "addTables(1, " in large().text
    assert relation(large().graph()) == relation(LARGE)


def test_mutated_tables_are_detected() -> None:
    """One name fewer, or a renamed stage."""
    text = large().text
    few = text[: text.index("stage s90\n")]
    mutants = {what: mutant + text[len(few) :] for what, mutant in without(few, r"^after s\d+\n").items()}
    stages = {what: mutant + text[len(few) :] for what, mutant in without(few, r"(?<=^stage s)(?=\d)", by="x").items()}

    check_noticed(large(), dict(list(mutants.items())[:12]))
    check_noticed(large(), dict(list(stages.items())[:12]))


def test_mutated_declarations_of_tables_are_detected() -> None:
    """The call, the selection of a table, and every line of the function that declares its stages."""
    text = large().text
    start, end = text.index("def addTables("), text.index("// The stage that begins there")
    lines = re.finditer(r"^ *[^/\s].*\n", text[start:end], re.MULTILINE)

    check_noticed(large(), {line[0]: text[: start + line.start()] + text[start + line.end() :] for line in lines})
    check_noticed(large(), without(text, r"^addTables\(.*?\)\n"))
    check_noticed(large(), without(text, r"(?<=addTables\()1", by="2"))
    check_noticed(large(), without(text, r"(?<=return )table2(?=\(\))", by="table1"))
    check_noticed(large(), without(text, r"(?<=number == )2(?=\))", by="20000"))


@pytest.mark.parametrize("pattern", [r"(?<=\nString )table2(?=\(\))", r"(?<=String )table(?=\(int)"])
def test_a_missing_table_is_rejected(pattern: str) -> None:
    """The build would fail because it is called."""
    with pytest.raises(UnreadableError, match="does not exist"):
        order(re.sub(pattern, "other", large().text))
