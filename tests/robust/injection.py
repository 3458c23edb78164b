"""Hostile texts in every position of configs, executed: each arrives byte for byte, and none is executed.

    PYTHONPATH=.:tests python tests/robust/injection.py --turns 3

executes the given number of configs of each kind on each engine, and prints the figures and the faults; `--nightly`
tries more than 20,000 texts. The turn, `--first`, selects the texts: the same turn has the same texts.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import SubprocessError
from tempfile import TemporaryDirectory

from engines.gitlab_local import RefusedError
from robust.hostile.engines import ENGINES, Ran, executed
from robust.hostile.round import Round
from robust.hostile.rounds import KINDS
from robust.trial_result import Figures

NIGHTLY = 4


@dataclass(frozen=True, slots=True)
class Trial:
    """One config that is executed on one engine."""

    kind: str
    engine: str
    turn: int
    size: int


def trials(
    turns: Sequence[int], size: int, engines: Sequence[str] = tuple(ENGINES), kinds: Sequence[str] = tuple(KINDS)
) -> Iterator[Trial]:
    """Yield a config of each kind on each engine for each of *turns*."""
    for turn in turns:
        for kind in kinds:
            yield from (Trial(kind, engine, turn, size) for engine in engines)


def tried(trial: Trial) -> Ran:
    """Return the result of *trial*."""
    with TemporaryDirectory(prefix="pipegen-injecting-") as name:
        folder = Path(name)
        turn = Round(trial.turn, trial.size, folder / "canaries", trial.engine)
        for part in KINDS[trial.kind]:
            part(turn)
        try:
            return executed(turn, trial.engine, folder)
        except (AssertionError, RefusedError, RuntimeError, SubprocessError) as error:
            return Ran(len(turn.expected), turn.tried, (f"not executed: {error}",), turn.left())


def sample() -> Iterator[Trial]:
    """Yield a small config of each kind, on the engines in turn."""
    engines = tuple(ENGINES)
    for number, kind in enumerate(KINDS):
        yield Trial(kind, engines[number % len(engines)], 0, 6)


def figures(*, is_nightly: bool) -> Figures:
    """Return the results of all kinds on all engines, or of a sample."""
    return summed(list(trials(range(NIGHTLY), 40) if is_nightly else sample()))


def summed(wanted: Sequence[Trial]) -> Figures:
    """Return the sum of the results of the *wanted* trials."""
    positions, compiled, faults, canaries = Counter[str](), 0, list[str](), list[str]()
    for trial in wanted:
        ran = tried(trial)
        positions[trial.engine] += ran.positions
        compiled += ran.compiled
        faults += [f"{trial}: {fault}" for fault in ran.wrong]
        canaries += [f"{trial}: text {number} was executed" for number in ran.canaries]
    wrong = f"{len(faults)} mismatches, {len(canaries)} canaries"
    lines = (
        f"{positions.total():,} positions in {len(wanted)} executions: {wrong}",
        ", ".join(f"{engine} {number:,}" for engine, number in positions.items()),
        f"{compiled:,} texts more at all places of the language: compiled and parsed, or refused at their place",
    )
    return Figures("Injection", (*lines, *faults, *canaries), len(faults) + len(canaries))


def main() -> int:
    """Print the figures; return 1 if a trial failed."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--size", type=int, default=40)
    parser.add_argument("--nightly", action="store_true")
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--kind", action="append", choices=KINDS)
    arguments = parser.parse_args()
    turns = range(NIGHTLY) if arguments.nightly else range(arguments.first, arguments.first + arguments.turns)
    engines, kinds = arguments.engine or tuple(ENGINES), arguments.kind or tuple(KINDS)
    figures = summed(list(trials(turns, arguments.size, engines, kinds)))
    print("\n".join(line[:1_000] for line in figures.lines))
    return int(figures.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
