"""What a run adds to the work itself: 1,000 small stages beside GNU make and ninja, and runs that have nothing to do.

Each program runs the same commands in the same order, two at a time, three times over; the median counts. A stage
writes a line to a file of its own, so that runs that reuse have something to keep. Memory is the most that the program
itself had, without its children.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

STAGES, WIDTH, SLOTS, REPEATS = 1_000, 40, 2, 3
PROGRAM = [sys.executable, "-c", "from pipegen.cli.app import main; main()", "run", "-j", str(SLOTS)]


def main() -> None:
    """Print the tables."""
    print(f"{STAGES:,} stages in layers of {WIDTH}, each after two, {SLOTS} at a time: seconds, MB\n")
    arcs = layered(STAGES, WIDTH)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, arcs)
        floor = 0.0
        for program, command, clean in (
            ("GNU make", ["make", "-s", f"-j{SLOTS}", "all"], True),
            ("ninja", ["ninja", "--quiet", f"-j{SLOTS}"], True),
            ("pipegen run", [*PROGRAM, "plain.yaml"], True),
            ("pipegen run, nothing reused yet", [*PROGRAM, "reuse.yaml"], True),
            ("pipegen run, all reused", [*PROGRAM, "reuse.yaml"], False),
            ("pipegen check", [*PROGRAM[:3], "check", "plain.yaml"], False),
        ):
            found = [timed(command, folder, clean=clean) for _ in range(REPEATS)]
            seconds, memory = median(one[0] for one in found), max(one[1] for one in found)
            floor = floor or seconds
            print(f"{program:<34}{seconds:>8.2f}{memory:>8.0f}{seconds / floor:>8.2f} x make", flush=True)


def layered(stages: int, width: int) -> dict[str, list[str]]:
    """Return the stages, each with two before it in the layer before."""
    dice = random.Random(1)
    found: dict[str, list[str]] = {}
    for number in range(stages):
        first = (number // width - 1) * width
        found[f"s{number}"] = (
            [f"s{one}" for one in sorted(dice.sample(range(first, first + width), 2))] if first >= 0 else []
        )
    return found


def write(folder: Path, arcs: Mapping[str, Sequence[str]]) -> None:
    """Write what each program reads."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    make = ["all:", *(f"all: {name}" for name in arcs), f".PHONY: all {' '.join(arcs)}"]
    ninja = ["rule run", "  command = echo $out >out/$out"]
    plain, reuse = (["pipelines:", "  p:", "    stages:"] for _ in range(2))
    for name, before in arcs.items():
        make += [f"{name}: {' '.join(before)}", f"\techo {name} >out/{name}"]
        ninja += [f"build {name}: run {' '.join(before)}"]
        stage = [f"      - name: {name}", f"        script: ['echo {name} >out/{name}']"]
        plain += stage
        reuse += [
            *stage,
            f"        artifacts: [out/{name}]",
            "        reuse: true",
            f"        files_from: [{', '.join(before)}]",
        ]
    order = ["    execution:", *(f"      - [{name}]" for name, before in arcs.items() if not before)]
    order += [*(f"      - [{one}, {name}]" for name, before in arcs.items() for one in before)]
    (folder / "Makefile").write_text("\n".join([*make, ""]), encoding="utf-8")
    (folder / "build.ninja").write_text("\n".join([*ninja, ""]), encoding="utf-8")
    (folder / "plain.yaml").write_text("\n".join([*plain, *order, ""]), encoding="utf-8")
    (folder / "reuse.yaml").write_text("\n".join([*reuse, *order, ""]), encoding="utf-8")


def timed(command: Sequence[str], folder: Path, *, clean: bool) -> tuple[float, float]:
    """Return the seconds that *command* takes and the megabytes that it needs; what is kept is removed before."""
    for path in (folder / "out", *((folder / "state",) if clean else ())):
        shutil.rmtree(path, ignore_errors=True)
    (folder / "out").mkdir()
    (folder / ".ninja_log").unlink(missing_ok=True)
    places = {"XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": str(folder / "state")}
    start = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **places}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{command[-2:]} failed: {child.stderr.read().decode() if child.stderr else ''}")
    return seconds, used.ru_maxrss / 1024


if __name__ == "__main__":
    main()
