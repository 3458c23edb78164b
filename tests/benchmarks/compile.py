"""Compilation time and memory of pipegen, other generators and the baseline, as whole processes.

    python tests/benchmarks/compile.py [--rounds 5] [--stages 10,1000] [--peers FOLDER] [--write]

Each round runs every program once, one after the other, so that other load on the machine affects all of them equally.
The table shows the median time of the rounds and the highest memory use. Each program has its own environment, which is
created in FOLDER and reused; programs run alone. `--write` puts the tables into docs/speed.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.other_generators import FLOOR, GITLAB, JENKINS, OTHERS, ROOT, Peer
from benchmarks.workload import stages

SIZES = (10, 100, 1_000, 10_000)
MARK = "<!-- measured -->"
CORPUS = ROOT.parent / "shared/corpus"
DOCUMENT = ROOT / "docs/speed.md"


def main() -> None:
    """Run all programs, and print or write the tables."""
    options = _options()
    peers = (FLOOR, GITLAB, JENKINS, *OTHERS)
    programs = {peer: peer.install(options.peers) for peer in peers}
    measured: dict[tuple[Peer, int], tuple[float, float]] = {}
    for size in options.stages:
        with tempfile.TemporaryDirectory() as name:
            selected = [peer for peer in peers if size <= peer.most]
            for peer in selected:
                _write(peer, Path(name), size)
            runs = [_round(selected, programs, Path(name)) for _ in range(options.rounds)]
        for index, peer in enumerate(selected):
            measured[peer, size] = (median(run[index][0] for run in runs), max(run[index][1] for run in runs))
            print(f"{size:>7,} {peer.name:<22}{_cell(measured[peer, size])}", flush=True)
    table = _table(peers, options.stages, measured) + _checking(programs[GITLAB], options.rounds)
    print(f"\n{table}")
    if options.write:
        head, _, _ = DOCUMENT.read_text(encoding="utf-8").partition(MARK)
        DOCUMENT.write_text(f"{head}{MARK}\n{_machine(options.rounds)}\n\n{table}\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stages", type=lambda text: tuple(map(int, text.split(","))), default=SIZES)
    parser.add_argument("--peers", type=Path, default=Path(tempfile.gettempdir()) / "pipegen-peers")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def _write(peer: Peer, folder: Path, size: int) -> None:
    workspace = folder / peer.name
    workspace.mkdir()
    peer.write(workspace, stages(size))


def _round(peers: Sequence[Peer], programs: dict[Peer, Path], folder: Path) -> list[tuple[float, float]]:
    return [_run(peer, programs[peer], folder / peer.name) for peer in peers]


def _run(peer: Peer, programs: Path, folder: Path) -> tuple[float, float]:
    """Return the seconds and the megabytes of one run of *peer*."""
    for path in folder.glob("out*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    command = [word.format(bin=programs) for word in peer.command]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with (folder / "log").open("wb") as log:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or not any(folder.glob("out*")):
        raise SystemExit(f"{peer.name} failed:\n{(folder / 'log').read_text(errors='replace')[-2000:]}")
    return seconds, used.ru_maxrss / 1024


def _checking(programs: Path, rounds: int) -> str:
    """Return a paragraph about checking third-party configs in one process; empty if there are none."""
    files = [str(path) for path in sorted(CORPUS.glob("*/*.y*ml"))]
    if not files:
        return ""
    seconds, every = (
        median(_seconds([str(programs / "pipegen"), "check", *paths]) for _ in range(rounds))
        for paths in (files[:1], files)
    )
    each = (every - seconds) / (len(files) - 1) * 1_000
    return (
        f"\n\nWhen `pipegen check` checks {len(files)} third-party configs in one process, "
        f"each config after the first takes {each:.1f} ms."
    )


def _seconds(command: Sequence[str]) -> float:
    """Return how long *command* takes; it may exit with 1, for a config with errors."""
    start = time.perf_counter()
    process = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return time.perf_counter() - start


def _table(peers: Sequence[Peer], sizes: Sequence[int], measured: dict[tuple[Peer, int], tuple[float, float]]) -> str:
    """Return the table: seconds, megabytes, and the ratio to the time of the baseline."""
    lines = [
        "| | " + " | ".join(f"{size:,} stages" for size in sizes) + " |",
        "|---" * (len(sizes) + 1) + "|",
    ]
    for peer in peers:
        cells = [
            f"{_cell(measured[peer, size])}, {measured[peer, size][0] / measured[FLOOR, size][0]:.1f} ×"
            if (peer, size) in measured
            else "–"
            for size in sizes
        ]
        lines.append(f"| {peer.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(figures: tuple[float, float]) -> str:
    seconds, memory = figures
    return f"{seconds:.3f} s, {memory:.0f} MB"


def _machine(rounds: int) -> str:
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}"
    return f"{machine}, medians of {rounds} rounds; × is the ratio to the time of the baseline."


if __name__ == "__main__":
    main()
