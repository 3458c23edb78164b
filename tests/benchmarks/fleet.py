"""Simulation time of fleets: 200 machines that are busy 90 percent of the time, with 10 queues.

The number of stages grows tenfold, which shows how the time grows; memory is the peak of the program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.make_comparison import CALL

STAGES = (10_000, 100_000, 1_000_000)
MACHINES, QUEUES, BUSY, MEAN = 200, 10, 0.9, 240
CONFIG = """\
pipelines:
  p:
    stages: [{ name: a }, { name: b }, { name: c }, { name: d }]
    execution: [[a, [b, c], d]]
"""


def main() -> None:
    """Print the table."""
    print(f"{'stages':>10}{'CPU s':>8}{'µs each':>9}{'MB':>6}")
    for stages in STAGES:
        with tempfile.TemporaryDirectory() as name:
            measure(Path(name), stages)


def measure(folder: Path, stages: int) -> None:
    """Print a row for about this number of *stages*."""
    (folder / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "fleet.yaml").write_text(json.dumps(fleet(stages)), encoding="utf-8")
    call = [sys.executable, "-c", CALL, "simulate", "--fleet", "fleet.yaml", "--format", "json"]
    child = subprocess.Popen(call, cwd=folder, stdout=subprocess.PIPE)
    count = json.load(child.stdout)["stages"] if child.stdout is not None else 0
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit("the simulation failed")
    seconds = used.ru_utime + used.ru_stime
    print(f"{count:>10,}{seconds:>8.1f}{seconds / count * 1e6:>9.0f}{used.ru_maxrss / 1024:>6.0f}", flush=True)


def fleet(stages: int) -> dict[str, object]:
    """Return a fleet that runs about as many *stages*, in pipelines of four."""
    per_hour = MACHINES * BUSY * 3600 / MEAN
    load = {"config": "pipegen.yaml", "arrivals": {"rate": per_hour / 4 / QUEUES}}
    durations = {stage: {"mean": MEAN} for stage in "abcd"}
    return {
        "machines": [{"name": "linux", "count": MACHINES}],
        "queues": [{"name": f"q{number}", "weight": number + 1} for number in range(QUEUES)],
        "load": [
            {"name": f"l{number}", "queue": f"q{number}", "priority": number % 3, "durations": durations, **load}
            for number in range(QUEUES)
        ],
        "duration": round(stages / per_hour * 3600),
    }


if __name__ == "__main__":
    main()
