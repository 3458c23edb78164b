"""`pipegen compile` killed while it writes, and two at the same time: each file is the old one or the new one.

    PYTHONPATH=.:tests python tests/robust/interrupted_writes.py [KILLS [ROUNDS]]

kills at every start and end of a system call, or at KILLS of them, evenly spread.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stderr, suppress
from pathlib import Path

from robust.kill_at_system_call import calls, forked, killed_at, pause
from robust.trial_result import Figures

from pipegen.cli.app import run
from pipegen.cli.files import writing
from pipegen.cli.files.output import write

FILES = Mapping[str, bytes]
_CONFIG = "pipelines: {{p: {{stages: [{{name: build, script: ['{0}']}}, {{name: unit, script: ['{0}']}}]}}}}\n"
_ARGUMENTS = ("compile", "-t", "gitlab", "-t", "jenkins", "--split", "unit")
_CHILD = re.compile(r"local: (\S+)")


def main() -> int:
    """Print the figures; return 1 if a file was neither the old nor the new one."""
    figures = measured(*(*map(int, sys.argv[1:]), *(0, 64)[len(sys.argv) - 1 :]))
    print("\n".join(figures.lines))
    return int(bool(figures.wrong))


def figures(*, is_nightly: bool) -> Figures:
    """Return the figures of kills and concurrent compilations."""
    return measured(0, 64) if is_nightly else measured(100, 16)


def measured(kills: int, rounds: int) -> Figures:
    """Return the figures of *kills* kills, all possible ones for 0, and *rounds* of concurrent compilations."""
    # The first compilation loads modules here, so that the child processes need not load them.
    nowhere = Path(os.devnull)
    with tempfile.TemporaryDirectory() as name, chdir(name), nowhere.open("w") as stream, redirect_stderr(stream):
        call("echo warm")
    trials = [*(_killed(before, kills) for before in (None, "echo old")), _at_once(rounds)]
    wrong = [fault for _, faults in trials for fault in faults]
    return Figures("Kills while writing", (*(line for line, _ in trials), *wrong), len(wrong))


def call(script: str, *, is_traced: bool = False) -> None:
    """Compile a config with *script* into the current folder."""
    Path("pipegen.yaml").write_text(_CONFIG.format(script), encoding="utf-8")
    sys.argv = ["pipegen", *_ARGUMENTS]
    written: list[Path] = []

    def traced(path: Path, text: str) -> bool:
        if not written:
            pause()
        written.append(path)
        return write(path, text)

    if is_traced:
        # This changes only the child process.
        setattr(writing, write.__name__, traced)
    run()


def files(folder: Path) -> dict[str, bytes]:
    """Return the files in *folder*, except the config."""
    contents: dict[str, bytes] = {}
    # The parent first: the files that it names must exist when a reader looks for them.
    for path in (folder / ".gitlab-ci.yml", *sorted(folder.rglob("*"))):
        name = path.relative_to(folder).as_posix()
        if name not in {*contents, "pipegen.yaml"} and not path.is_dir():
            with suppress(FileNotFoundError):  # a temporary file may no longer exist
                contents[name] = path.read_bytes()
    return contents


def files_of(script: str) -> FILES:
    """Return the files of an undisturbed compilation."""
    with tempfile.TemporaryDirectory() as name, chdir(name):
        os.waitpid(forked(lambda: call(script)), 0)
        return files(Path(name))


def faults(files: FILES, *whole: FILES) -> Iterator[str]:
    """Yield the files in *files* that differ from those of each *whole* compilation, and missing children."""
    for name, data in files.items():
        if any(name in version for version in whole) and all(version.get(name) != data for version in whole):
            yield f"{name} is a mixture: {len(data)} bytes"
    for child in _CHILD.findall(files.get(".gitlab-ci.yml", b"").decode(errors="replace")):
        if child not in files:
            yield f".gitlab-ci.yml names {child}, which is missing"


def _killed(before: str | None, kills: int) -> tuple[str, list[str]]:
    """Kill a compilation at its system calls, over the files of *before*; return the figures and the faults."""
    old, new = files_of(before) if before else {}, files_of("echo new")
    last = _calls(before)
    step = max(last // kills, 1) if kills else 1
    wrong, states = [], {"old": 0, "new": 0, "between": 0, "leftover": 0}
    for stop in range(1, last + 1, step):
        state = _state(before, stop)
        wrong += [f"killed at {stop}: {fault}" for fault in faults(state, old, new)]
        contents = {name: data for name, data in state.items() if name in {*old, *new}}
        states["leftover"] += len(state) > len(contents)
        states["old" if contents == old else "new" if contents == {**old, **new} else "between"] += 1
    count, where = len(range(1, last + 1, step)), "over old files" if old else "into nothing"
    line = (
        f"killed {count} times at {last} ends of system calls, {where}: "
        f"all old {states['old']}, all new {states['new']}, some old and some new {states['between']}, "
        f"an unfinished file beside them {states['leftover']}; wrong: {len(wrong)}"
    )
    return line, wrong


def _calls(before: str | None) -> int:
    """Return the number of points at which a compilation can be killed."""
    with tempfile.TemporaryDirectory() as name, chdir(name):
        if before:
            os.waitpid(forked(lambda: call(before)), 0)
        return calls(lambda: call("echo new", is_traced=True))


def _state(before: str | None, stop: int) -> FILES:
    """Return the files of a compilation that is killed at *stop*."""
    with tempfile.TemporaryDirectory() as name, chdir(name):
        if before:
            os.waitpid(forked(lambda: call(before)), 0)
        killed_at(stop, lambda: call("echo new", is_traced=True))
        return files(Path(name))


def _at_once(rounds: int) -> tuple[str, list[str]]:
    """Start two compilations that write the same files in *rounds*, and check the files continuously."""
    before, after = files_of("echo one"), files_of("echo other")
    wrong, looks, last = [], 0, {"one": 0, "other": 0, "both": 0}
    with tempfile.TemporaryDirectory() as name, chdir(name):
        for number in range(rounds):
            left = {forked(lambda: call("echo one")), forked(lambda: call("echo other"))}
            while left:
                left -= {process for process in left if os.waitpid(process, os.WNOHANG)[0]}
                wrong += [f"round {number}: {fault}" for fault in faults(files(Path(name)), before, after)]
                looks += 1
                time.sleep(0.001)
            contents = files(Path(name))
            last["one" if contents == before else "other" if contents == after else "both"] += 1
    return f"two at once, {rounds} times, looked at {looks:,} times: last {last}; wrong: {len(wrong)}", wrong


if __name__ == "__main__":
    sys.exit(main())
