"""Mean waits of simulated fleets over long runs, compared with the formulas of queueing theory.

It prints the table of docs/fleet.md, and fails if a difference is above 2 percent.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from statistics import NormalDist

from benchmarks.make_comparison import CALL
from benchmarks.queueing_theory import cobham, erlang, pollaczek_khinchine, preemptive_repeat

from pipegen.structs import Struct

CONFIG = "pipelines: { p: { stages: [{ name: a, interruptible: true }] } }\n"
MINUTE, HOUR = 60.0, 3600.0
LIMIT = 0.02


class Row(Struct, kw_only=True):
    """A fleet: loads by priority, highest first, as rates per hour and durations, with titles and expected waits."""

    titles: tuple[str, ...]
    days: int
    loads: tuple[tuple[float, object], ...]
    expected: tuple[float, ...]
    machines: int = 1
    is_preempting: bool = False


def rows() -> Iterator[Row]:
    """Yield the rows of the table."""
    for machines, part, name in (
        (1, 0.5, "M/M/1"),
        (2, 0.7, "M/M/2, Erlang C"),
        (5, 0.8, "M/M/5"),
        (20, 0.9, "M/M/20"),
    ):
        rate = HOUR / MINUTE * machines * part
        expected = (erlang(machines, rate / HOUR, MINUTE),)
        yield Row(
            titles=(f"{machines}, exponential ({name})",),
            days=2000 // machines,
            loads=((rate, {"mean": MINUTE}),),
            expected=expected,
            machines=machines,
        )
    yield Row(
        titles=("1, always the same (M/D/1)",),
        days=2000,
        loads=((30, MINUTE),),
        expected=(pollaczek_khinchine(30 / HOUR, MINUTE, MINUTE**2),),
    )
    for median, p95, part, note in ((40.0, 120.0, 0.6, " (Pollaczek and Khinchine)"), (50.0, 75.0, 0.8, "")):
        variance = (log(p95 / median) / NormalDist().inv_cdf(0.95)) ** 2
        mean, square = median * exp(variance / 2), median**2 * exp(2 * variance)
        yield Row(
            titles=(f"1, log-normal, median {median:g} s, p95 {p95:g} s{note}",),
            days=1000,
            loads=((HOUR * part / mean, {"median": median, "p95": p95}),),
            expected=(pollaczek_khinchine(part / mean, mean, square),),
        )
    yield Row(
        titles=("1, exponential, two priorities (Cobham): the higher one", "the lower one"),
        days=2000,
        loads=((18, {"mean": MINUTE}), (18, {"mean": MINUTE})),
        expected=cobham(18 / HOUR, 18 / HOUR, MINUTE, 2 * MINUTE**2),
    )
    yield Row(
        titles=(
            "1, exponential, two priorities with preemption (Gaver): the higher one",
            "the lower one, always the same",
        ),
        days=2000,
        loads=((24, {"mean": MINUTE}), (6, MINUTE)),
        expected=preemptive_repeat(24 / HOUR, 6 / HOUR, MINUTE, MINUTE),
        is_preempting=True,
    )


def main() -> int:
    """Print the table; return 1 if a difference is above the limit."""
    print("| machines and durations | stages | simulated mean wait | formula | difference |\n|---|---|---|---|---|")
    largest = 0.0
    for row in rows():
        for title, (count, wait), expected in zip(row.titles, simulated(row), row.expected, strict=True):
            difference = wait / expected - 1
            largest = max(largest, abs(difference))
            print(f"| {title} | {count:,} | {wait:.2f} s | {expected:.2f} s | {100 * difference:+.1f} % |", flush=True)
    return int(largest > LIMIT)


def simulated(row: Row) -> list[tuple[int, float]]:
    """Return the number of stages of each load, and their mean wait."""
    loads = [
        {
            "name": f"l{number}",
            "config": "pipegen.yaml",
            "priority": len(row.loads) - number,
            "arrivals": {"rate": rate},
            "durations": {"a": duration},
        }
        for number, (rate, duration) in enumerate(row.loads)
    ]
    actions = ["enqueue", "allocate", *(["preempt"] if row.is_preempting else []), "backfill"]
    fleet = {
        "machines": [{"name": "m", "count": row.machines}],
        "load": loads,
        "duration": f"{row.days} days",
        "scheduling": {"actions": actions, "tiers": [["priority", "gang"], ["fair-share"]]},
    }
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
        (Path(name) / "fleet.yaml").write_text(json.dumps(fleet), encoding="utf-8")
        call = [sys.executable, "-c", CALL, "simulate", "--fleet", "fleet.yaml", "--format", "json"]
        output = subprocess.run(call, cwd=name, check=True, stdout=subprocess.PIPE).stdout
    return [(load["waiting"]["count"], load["waiting"]["mean"]) for load in json.loads(output)["loads"]]


if __name__ == "__main__":
    sys.exit(main())
