"""Files with five thousand stages are read in seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from pipegen.emit.template import render
from pipegen.readback import gitlab, jenkins
from pipegen.readback.driver import Driver

COUNT, WIDTH = 5_000, 50
# The limit on a busy machine; it takes about one second.
SECONDS = 10


def after(number: int) -> list[str]:
    """Return the stages that stage *number* follows: three of the previous fifty."""
    return [f"s{number - WIDTH + step}" for step in (0, 7, 31)] if number >= WIDTH else []


def scripted() -> int:
    """Read a script; return its number of stages."""
    steps = "    sh '''\n        make\n        ./run \"$x\" {\n    '''\n    stash name: 'x', includes: 'y'\n"
    stages = (f"addStage('s{number}', after: {after(number)}) {{\n{steps}}}\n" for number in range(COUNT))
    driver = render("jenkins/driver.j2", filters={}, body=Driver(40, tables=False))
    return len(jenkins.order(f"{''.join(stages)}\nrunStages(stagesReady())\n{driver}").nodes)


def declarative() -> int:
    """Read blocks of fifty stages; return their number of stages."""
    leaf = "stage('s{}') {{ agent any\n steps {{ sh 'make' }} }}\n"
    blocks = (
        f"stage('b{start}') {{ parallel {{ {''.join(map(leaf.format, range(start, start + WIDTH)))} }} }}\n"
        for start in range(0, COUNT, WIDTH)
    )
    return len(jenkins.order(f"pipeline {{ stages {{ {''.join(blocks)} }} }}").nodes)


def needs() -> int:
    """Read jobs, some of which rules may drop; return the number of jobs."""
    jobs = (job(number) for number in range(COUNT))
    return len(gitlab.order(f"stages: [one]\n\n{''.join(jobs)}").nodes)


def job(number: int) -> str:
    """Return the job *number*; every tenth runs only on the main branch."""
    rules = "  rules:\n    - if: $CI_COMMIT_BRANCH\n" if number % 10 == 0 else ""
    needed = "".join(f"    - {{ job: {name}, artifacts: false }}\n" for name in after(number))
    return f"s{number}:\n  stage: one\n  needs:{' []' if not needed else ''}\n{needed}{rules}  script:\n    - make\n\n"


def children() -> int:
    """Read ten child pipelines in sequence, with jobs that rules may drop; return the number of jobs."""
    files = {}
    parent = "stages: [one]\n\n"
    for start in range(0, COUNT, 500):
        path = f"child-{start}.yml"
        jobs = "".join(job(number) for number in range(start, start + 500))
        lines = (line for line in jobs.splitlines(True) if not is_outside(line, start))
        files[path] = f"stages: [one]\n\n{''.join(lines)}"
        needed = f"    - {{ job: go{start - 500}, artifacts: false }}\n" if start else ""
        parent += f"go{start}:\n  stage: one\n  needs:{' []' if not needed else ''}\n{needed}"
        parent += f'  variables:\n    PIPEGEN_HELPER: "1"\n  trigger:\n    include:\n      - {{ local: {path} }}\n'
        parent += "    strategy: depend\n\n"
    return len(gitlab.order(parent, files).nodes)


def is_outside(line: str, start: int) -> bool:
    """Return whether *line* is a need on a job of a child pipeline before that of *start*."""
    return "job: s" in line and int(line.split("job: s")[1].split(",", maxsplit=1)[0]) < start


@pytest.mark.slow
@pytest.mark.parametrize("read", [scripted, declarative, needs, children])
def test_five_thousand_stages_are_read_in_seconds(read: Callable[[], int]) -> None:
    """In every form, including child pipelines."""
    started = time.perf_counter()

    assert read() == COUNT
    assert time.perf_counter() - started < SECONDS
