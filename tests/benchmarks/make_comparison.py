"""The overhead of a run: small stages with pipegen, GNU make, ninja, a baseline and, for a few stages, gitlab-ci-local.

Each program runs the same commands in the same order, two at a time. The programs take turns, so that other load on the
machine affects all of them equally; the table shows medians. A stage writes a line to its own file, so that cached runs
have a file to store. Memory is the peak of the program itself, without its children. Programs that are not installed
are reported and left out.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from engines.gitlab_local import program

STAGES, FEW, SLOTS, REPEATS = 1_000, 10, 2, 5
CALL = "from pipegen.__main__ import main; main()"
# The same program, which also measures the loop that starts stages and receives their results, without imports and
# without reading the config.
ENGINE = """
import os, time
from pathlib import Path
from pipegen.run.engine import Engine
run = Engine.run
def timed(self):
    start, used = time.perf_counter(), time.process_time()
    found = run(self)
    Path(os.environ["ENGINE_TIMES"]).write_text(f"{time.perf_counter() - start} {time.process_time() - used}")
    return found
Engine.run = timed
"""


@dataclass(frozen=True, slots=True)
class Measure:
    """Elapsed seconds, processor seconds with those of children, and megabytes."""

    seconds: float
    used: float
    memory: float = 0.0


@dataclass(slots=True)
class Program:
    """A program with its command line and its measurements.

    With *is_clean*, it starts without the files of earlier calls. With *has_engine*, the loop of the run is measured
    separately.
    """

    name: str
    command: Sequence[str]
    is_clean: bool = True
    has_engine: bool = False
    measures: list[Measure] = field(default_factory=list)
    engine: list[Measure] = field(default_factory=list)

    def measure(self, folder: Path) -> None:
        """Run the program once in *folder*."""
        # Removing thousands of files just before would slow down the creation of others: without a journal, ext4 checks
        # each inode that was recently freed (ialloc.c, recently_deleted).
        for path in (folder / "out", folder / "state") if self.is_clean else ():
            if path.exists():
                path.rename(Path(tempfile.mkdtemp(dir=folder.parent), path.name))
        (folder / "out").mkdir(exist_ok=True)
        (folder / ".ninja_log").unlink(missing_ok=True)
        times = folder / "times"
        around = {name: str(folder / "state") for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME")}
        start = time.perf_counter()
        child = subprocess.Popen(
            self.command,
            cwd=folder,
            env={**os.environ, **around, "ENGINE_TIMES": str(times)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise SystemExit(f"{self.name} failed: {child.stderr.read().decode() if child.stderr else ''}")
        self.measures.append(Measure(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
        if self.has_engine:
            self.engine.append(Measure(*map(float, times.read_text(encoding="utf-8").split())))

    def lines(self, baseline: float) -> Iterator[str]:
        """Yield the measurements, with the ratio to the seconds of the first program."""
        for name, series in ((self.name, self.measures), ("  its loop alone", self.engine)):
            if series:
                seconds, used = (
                    median(measure.seconds for measure in series),
                    median(measure.used for measure in series),
                )
                memory = max(run.memory for run in series)
                megabytes = f"{memory:>8.0f}" if memory else f"{'':>8}"
                yield f"{name:<34}{seconds:>8.2f}{used:>8.2f}{megabytes}{seconds / baseline:>8.2f} x make"


def main() -> None:
    """Print the tables."""
    ninja = shutil.which("ninja")
    if ninja is None:
        print('ninja is not here: install it ("apt-get install ninja-build") to see it beside the others\n')
    table(
        STAGES,
        40,
        [
            Program("GNU make", ["make", "-s", f"-j{SLOTS}", "all"]),
            *([Program("ninja", [ninja, "--quiet", f"-j{SLOTS}"])] if ninja else []),
            Program("baseline", _baseline("run", "plain.yaml")),
            Program("baseline, logs and journal", _baseline("record", "plain.yaml", "state/recorded")),
            Program("baseline, results stored", _baseline("store", "reuse.yaml", "state/stored")),
            Program("pipegen run", _run("plain.yaml"), has_engine=True),
            Program("pipegen run --dry-run", _dry("plain.yaml")),
            Program("pipegen run --dry-run, with results", _dry("reuse.yaml")),
            Program("pipegen run, nothing reused yet", _run("reuse.yaml"), has_engine=True),
            Program("pipegen run, all reused", _run("reuse.yaml"), is_clean=False, has_engine=True),
            Program("baseline, all reused", _baseline("reuse", "reuse.yaml"), is_clean=False),
        ],
    )
    local = program()
    if local is None:
        print('gitlab-ci-local is not here: "tests/engines/install" brings it')
    table(
        FEW,
        5,
        [
            Program("GNU make", ["make", "-s", f"-j{SLOTS}", "all"]),
            *([Program("ninja", [ninja, "--quiet", f"-j{SLOTS}"])] if ninja else []),
            Program("pipegen run", _run("plain.yaml"), has_engine=True),
            *([Program("gitlab-ci-local", _local(*local))] if local else []),
        ],
    )


def table(stages: int, width: int, programs: Sequence[Program]) -> None:
    """Run *programs* in turns, and print the measurements."""
    print(f"{stages:,} stages in layers of {width}, with two predecessors, {SLOTS} at a time: s, CPU s, MB\n")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name, "project")
        folder.mkdir()
        write(folder, layered(stages, width))
        for _ in range(REPEATS):
            for program in programs:
                program.measure(folder)
    baseline = median(program.seconds for program in programs[0].measures)
    for program in programs:
        print("\n".join(program.lines(baseline)), flush=True)
    print()


def layered(stages: int, width: int) -> dict[str, list[str]]:
    """Return the stages, each with two predecessors in the previous layer."""
    dice = random.Random(1)
    values: dict[str, list[str]] = {}
    for number in range(stages):
        first = (number // width - 1) * width
        values[f"s{number}"] = (
            [f"s{predecessor}" for predecessor in sorted(dice.sample(range(first, first + width), 2))]
            if first >= 0
            else []
        )
    return values


def write(folder: Path, arcs: Mapping[str, Sequence[str]]) -> None:
    """Write the input of each program to a repository."""
    make = ["all:", *(f"all: {name}" for name in arcs), f".PHONY: all {' '.join(arcs)}"]
    ninja = ["rule run", "  command = echo $out >out/$out"]
    gitlab: list[str] = []
    plain, reuse = (["pipelines:", "  p:", "    stages:"] for _ in range(2))
    for name, before in arcs.items():
        make += [f"{name}: {' '.join(before)}", f"\techo {name} >out/{name}"]
        ninja += [f"build {name}: run {' '.join(before)}"]
        gitlab += [
            f"{name}:",
            f"  needs: [{', '.join(before)}]",
            f"  script: ['mkdir -p out; echo {name} >out/{name}']",
        ]
        stage = [f"      - name: {name}", f"        script: ['echo {name} >out/{name}']"]
        plain += stage
        reuse += [
            *stage,
            f"        artifacts: [out/{name}]",
            "        reuse: true",
            f"        files_from: [{', '.join(before)}]",
        ]
    order = ["    execution:", *(f"      - [{name}]" for name, before in arcs.items() if not before)]
    order += [*(f"      - [{predecessor}, {name}]" for name, before in arcs.items() for predecessor in before)]
    texts = {
        "Makefile": make,
        "build.ninja": ninja,
        ".gitlab-ci.yml": gitlab,
        "plain.yaml": [*plain, *order],
        "reuse.yaml": [*reuse, *order],
    }
    for file, lines in texts.items():
        (folder / file).write_text("\n".join([*lines, ""]), encoding="utf-8")
    about = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    for command in (
        ("init", "-q"),
        ("add", "."),
        (*about, "commit", "-q", "-m", "Bench"),
        ("remote", "add", "origin", "https://gitlab.example.org/group/project.git"),
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)


def _run(config: str) -> list[str]:
    return [sys.executable, "-c", f"{ENGINE}\n{CALL}", "run", "-j", str(SLOTS), config]


def _dry(config: str) -> list[str]:
    return [sys.executable, "-c", CALL, "run", "--dry-run", config]


def _baseline(work: str, config: str, *folder: str) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("local_baseline.py")), work, config, *folder]


def _local(node: str, script: str) -> list[str]:
    options = ("--shell-isolation", "--no-artifacts-to-source", "--force-shell-executor", "--concurrency", str(SLOTS))
    return [node, script, *options]


if __name__ == "__main__":
    main()
