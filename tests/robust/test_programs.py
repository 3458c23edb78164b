"""Programs that execute an argument or their input: such references are rejected, others execute no value."""

from __future__ import annotations

import os
import shutil

import pytest
from robust.words.trial import fired, refused, refused_or_harmless

VALUES = tuple(
    (value, value)
    for value in (
        ": >canary",
        "$(: >canary)",
        "|: >canary",
        "'; : >canary; '",
        ":!touch canary",
        'open("canary", "w")',
    )
)
# Each of these programs executes a value, as this test measures.
EXECUTED = {
    "su": ('su root -- -c "${s.v}"', 'su -- root -c "${s.v}"', 'su <<<"${s.v}"'),
    "runuser": ('runuser root -- -c "${s.v}"', 'runuser -u root sh <<<"${s.v}"'),
    "capsh": ('capsh -- -c "${s.v}"', 'capsh -- <<<"${s.v}"'),
    "start-stop-daemon": ('start-stop-daemon -d . -p none.pid -Sx /bin/sh -- -c "${s.v}"',),
    "strace": ('strace -o "|${s.v}" true', 'strace -o "${s.v}" true', 'strace --output="!${s.v}" true'),
    "xargs": ('xargs -d "\\n" -a <(echo "${s.v}") sh -c',),
    "python3": ('python3 -m code <<<"${s.v}"', 'python3 -m timeit -n 1 "${s.v}"', 'python3 -m asyncio <<<"${s.v}"'),
    "vim": (
        'vim -es -u NONE -c "set ro" <<<"${s.v}"',
        'vim -es -S <(echo "${s.v}") -c qa!',
        'vim -es -u <(echo "${s.v}") -c qa!',
    ),
}
ACCEPTED = {
    "su": ('su root -c \'echo "$1"\' sh "${s.v}"', 'su root -- -c \'echo "$1"\' sh "${s.v}"', 'su "${s.v}" -c true'),
    "runuser": ('runuser -u root -- echo "${s.v}"',),
    "capsh": ('capsh -- -c \'echo "$1"\' sh "${s.v}"', 'capsh --user="${s.v}" -- -c true'),
    "start-stop-daemon": ('start-stop-daemon -d . -p none.pid -Sx /bin/echo -- "${s.v}"',),
    "strace": ('strace -o "./${s.v}" true', 'strace -o /dev/null echo "${s.v}"'),
    "xargs": ('xargs -a <(echo "${s.v}") echo', 'xargs -a /dev/null sh -c \'echo "$1"\' sh "${s.v}"'),
    "python3": ('python3 -m json.tool <<<"${s.v}"', 'python3 -m compileall "./${s.v}"'),
    "vim": ('vim -es -c qa! -- "${s.v}"',),
}


def require(program: str) -> None:
    """Skip the test without *program*, or without the permissions that it needs."""
    if not shutil.which(program) or (program in {"su", "runuser", "capsh"} and os.geteuid()):
        pytest.skip(f"needs {program}")


@pytest.mark.parametrize("program", EXECUTED)
def test_references_that_a_program_would_execute_are_rejected(program: str) -> None:
    """Without the rejection, each script would execute one of the values."""
    require(program)
    scripts = EXECUTED[program]
    copies = {script.replace("${s.v}", "$pipegen_v"): script for script in scripts}

    assert [script for script in scripts if not refused(script)] == []
    assert {copies[firing.script] for firing in fired(list(copies), ("bash",), VALUES)} == set(scripts)


@pytest.mark.parametrize("program", ACCEPTED)
def test_other_references_in_programs_execute_no_value(program: str) -> None:
    """They compile, and no value creates a canary."""
    require(program)
    scripts = ACCEPTED[program]
    result = refused_or_harmless(scripts, ("bash",), VALUES)

    assert [script for script in scripts if refused(script)] == []
    assert result.wrong == 0, result.lines
