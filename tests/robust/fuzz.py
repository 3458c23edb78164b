"""Coverage-guided fuzzing of reading, checking and compiling, by atheris; each run adds a line to fuzzed.tsv.

    PYTHONPATH=.:tests python tests/robust/fuzz.py --seconds 600 --runs 3

Configs that reach new code are stored in `.fuzz/corpus`, from which the next run continues; `.fuzz/faults` has one
for each fault.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from platform import python_version

from robust.arbitrary_input import answer, style_of
from robust.fuzz_seeds import ROOT, dictionary, seeds
from robust.trial_result import Figures

KEPT = Path(__file__).with_name("fuzzed.tsv")
FOUND = Path(__file__).with_name("found")
_LONGEST = 3_000  # length of a config in bytes
_INTERRUPTED = "libFuzzer: run interrupted"
_WHAT = "read, check, lint, compile for gitlab and jenkins"


@dataclass(frozen=True, slots=True)
class Run:
    """A line of fuzzed.tsv."""

    date: str
    commit: str
    python: str
    seconds: int
    executions: int
    crashes: int
    edges: int
    what: str

    def __str__(self) -> str:
        return "\t".join(str(getattr(self, field.name)) for field in fields(self))


def main() -> int:
    """Fuzz; return 1 if a run found a fault."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=600, help="how long a run takes")
    parser.add_argument("--runs", type=int, default=1, help="how many, one after the other, each with the code of then")
    parser.add_argument("--folder", type=Path, default=ROOT / ".fuzz", help="what is kept from run to run")
    arguments = parser.parse_args()
    crashes = 0
    for _ in range(arguments.runs):
        run = fuzzed(arguments.folder, arguments.seconds)
        crashes += run.crashes
        _keep(run)
        print(
            f"{run.executions:,} executions in {run.seconds} s, {run.edges:,} edges, {run.crashes} crashes", flush=True
        )
    return int(bool(crashes))


def figures(*, is_nightly: bool) -> Figures:
    """Return the results of all runs; with *is_nightly*, after another run of ten minutes if atheris is installed."""
    if is_nightly and find_spec("atheris") is not None:
        _keep(fuzzed(ROOT / ".fuzz", 600))
    runs = kept()
    paths = [path for path in sorted(FOUND.glob("*.yaml")) if _is_wrong(path.read_bytes(), FOUND)]
    clean = sum(run.executions for run in runs if not run.crashes)
    lines = (
        f"{sum(run.executions for run in runs):,} executions in {len(runs)} runs, {clean:,} in runs without a fault",
        f"{max((run.edges for run in runs), default=0):,} edges reached",
        f"{len(list(FOUND.glob('*.yaml')))} configs that once went wrong, {len(paths)} go wrong now",
        *(path.name for path in paths),
    )
    return Figures("Fuzzing by coverage", lines, len(paths))


def kept() -> list[Run]:
    """Return the recorded runs in order."""
    lines = KEPT.read_text(encoding="utf-8").splitlines()[1:]
    return [_run(line.split("\t")) for line in lines]


def _run(words: Sequence[str]) -> Run:
    date, commit, python, *numbers, what = words
    seconds, executions, crashes, edges = map(int, numbers)
    return Run(date, commit, python, seconds, executions, crashes, edges, what)


def _keep(run: Run) -> None:
    with KEPT.open("a", encoding="utf-8") as file:
        file.write(f"{run}\n")


def fuzzed(folder: Path, seconds: int) -> Run:
    """Return the result of a run of *seconds* that starts with the corpus in *folder*."""
    corpus = folder / "corpus"
    for path in (corpus, folder / "faults"):
        path.mkdir(parents=True, exist_ok=True)
    for text in seeds():
        data = text.encode()
        (corpus / sha256(data).hexdigest()[:40]).write_bytes(data)
    (folder / "words").write_text(dictionary(), encoding="ascii")
    now = datetime.now(UTC)
    faults = folder / "faults" / f"{now:%Y%m%dT%H%M%S}-{os.getpid()}"
    log = folder / f"log-{os.getpid()}"
    commit = _commit()
    started = time.monotonic()
    status = _run_target(log, faults, seconds, corpus, folder / "words")
    result = log.read_text(encoding="utf-8", errors="replace")
    crashes = len(confirmed(faults)) + (status != 0 and _INTERRUPTED not in result)
    return Run(
        date=f"{now:%Y-%m-%dT%H:%MZ}",
        commit=commit,
        python=python_version(),
        seconds=round(time.monotonic() - started),
        executions=_last(r"stat::number_of_executed_units: +(\d+)", result) or _last(r"^#(\d+)", result),
        crashes=crashes,
        edges=_last(r"cov: (\d+)", result),
        what=_WHAT,
    )


def confirmed(folder: Path) -> list[Path]:
    """Return the configs in *folder* whose faults are reproducible without instrumentation."""
    return [path for path in sorted(folder.glob("*.yaml")) if _is_wrong(path.read_bytes(), folder)]


def _is_wrong(data: bytes, folder: Path) -> bool:
    return bool(answer(data, folder / "pipegen.yaml", style_of(data)).faults)


def _run_target(log: Path, faults: Path, seconds: int, corpus: Path, words: Path) -> int:
    """Run the fuzzer; return its exit status, 0 if it was interrupted."""
    options = (
        *(f"-max_total_time={seconds}", f"-max_len={_LONGEST}", f"-dict={words}", f"-artifact_prefix={faults}-"),
        *("-rss_limit_mb=4096", "-timeout=120", "-print_final_stats=1"),
    )
    target = Path(__file__).with_name("fuzz_target.py")
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, str(target), str(faults), *options, str(corpus)],
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"},
            stdout=stream,
            stderr=stream,
        )
        before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        status = process.wait()
        signal.signal(signal.SIGTERM, before)
    return status


def _last(pattern: str, text: str) -> int:
    values = re.findall(pattern, text, re.MULTILINE)
    return int(values[-1]) if values else 0


def _commit() -> str:
    """Return the commit of the checkout, with a "+" if the package has uncommitted changes."""
    head, changed = (
        subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
        for words in (("rev-parse", "--short=10", "HEAD"), ("status", "--porcelain", "pipegen"))
    )
    return head + ("+" if changed else "")


if __name__ == "__main__":
    sys.exit(main())
