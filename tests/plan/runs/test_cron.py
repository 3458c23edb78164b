"""Cron lines that all engines read alike."""

from __future__ import annotations

import pytest

from pipegen.plan.runs.cron import CronError, normalized


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("30 4 * * *", "30 4 * * *"),
        ("  30\t4 *  * * ", "30 4 * * *"),
        ("*/15 0-6/2,22 * * *", "*/15 0-6/2,22 * * *"),
        ("0 0 * jan-Mar,DEC mon-fri", "0 0 * 1-3,12 1-5"),
        ("0 0 * * 0,7", "0 0 * * 0,7"),
        ("0 0 29 2 *", "0 0 29 2 *"),
        ("0 0 31 2,3 *", "0 0 31 2,3 *"),
        ("00 04 1 01 *", "0 4 1 1 *"),
        ("H 3 * * *", "H 3 * * *"),
        ("H/15 H(8-17) * * MON-FRI", "H/15 H(8-17) * * 1-5"),
        ("H(0-29)/10,59 3 H * *", "H(0-29)/10,59 3 H * *"),
    ],
)
def test_names_become_numbers(line: str, expected: str) -> None:
    """And whitespace becomes single spaces."""
    assert normalized(line) == expected


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("0 3 * *", "0 3 * *"),
        ("", ""),
        ("0 3 * * * *", "0 3 * * * *"),
        ("@daily", "@daily"),
        ("60 3 * * *", "60"),
        ("0 24 * * *", "24"),
        ("0 3 0 * *", "0"),
        ("0 3 32 * *", "32"),
        ("0 3 * 13 *", "13"),
        ("0 3 * * 8", "8"),
        ("0 3 * * monday", "monday"),
        ("0 3 mon * *", "mon"),
        ("0 22-3 * * *", "22-3"),
        ("0 1,,2 * * *", ""),
        ("5/10 3 * * *", "5/10"),
        ("*/0 3 * * *", "*/0"),
        ("*/90 3 * * *", "*/90"),
        ("*-5 3 * * *", "*-5"),
        ("H(5-0) 3 * * *", "H(5-0)"),
        ("0 H(8-24) * * *", "H(8-24)"),
        ("H/0 3 * * *", "H/0"),
        ("H3 3 * * *", "H3"),
        ("0 3 H * H", "H * H"),
        ("0 3 L * *", "L"),
        ("0 3 * * 5#2", "5#2"),
        ("0 3 ? * 1", "?"),
        ("0 3 1 * 1", "1 * 1"),
        ("0 3 */2 * 1", "*/2 * 1"),
        ("0 3 30,31 2 *", "30,31 2"),
        ("0 3 31 4,6,9,11 *", "31 4,6,9,11"),
        ("-5 3 * * *", "-5"),
    ],
)
def test_lines_that_engines_read_differently_are_errors(line: str, wrong: str) -> None:
    """The diagnostic has a location and a hint."""
    with pytest.raises(CronError) as error:
        normalized(line)

    assert line[error.value.start : error.value.end] == wrong
    assert error.value.hint
