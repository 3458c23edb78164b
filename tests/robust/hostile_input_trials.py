"""All bad inputs, each in a separate process: the longest time, and the largest memory.

PYTHONPATH=.:tests python tests/robust/hostile_input_trials.py
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from robust.hostile_files import inputs
from robust.hostile_inputs import INPUTS, Input
from robust.hostile_pipelines import conditional_inputs
from robust.hostile_pipelines import inputs as pipelines
from robust.measured_process import MEGABYTES, SECONDS, Measured, measured
from robust.trial_result import Figures


def main() -> int:
    """Print each result and the figures; return 1 if a result is unexpected."""
    chosen = [item for item in _every() if not sys.argv[1:] or item.name in sys.argv[1:]]
    figures = _figures(chosen, is_shown=True)
    print("\n".join(figures.lines))
    return int(bool(figures.wrong))


def figures(*, is_nightly: bool) -> Figures:
    """Return the results of all bad inputs; without *is_nightly*, of the quick ones."""
    return _figures([item for item in _every() if is_nightly or not item.large], is_shown=False)


def _every() -> tuple[Input, ...]:
    return (*INPUTS, *inputs(), *pipelines(), *conditional_inputs())


def _figures(chosen: Sequence[Input], *, is_shown: bool) -> Figures:
    """Return the results of the inputs *chosen*, each in a separate process."""
    answers: list[tuple[Measured, Input]] = []
    for item in chosen:
        with tempfile.TemporaryDirectory() as name:
            answers.append((measured(item, Path(name)), item))
        if is_shown:
            _show(*answers[-1])
    wrong = [
        f"{item.name}: {'; '.join(measurement.faults(item))}"
        for measurement, item in answers
        if measurement.faults(item)
    ]
    slowest = max(answers, key=lambda answer: answer[0].seconds)
    largest = max(answers, key=lambda answer: answer[0].megabytes)
    lines = (
        f"{len(answers)} inputs, {len(wrong)} not answered as they should be in {SECONDS} s and {MEGABYTES:.0f} MB",
        f"slowest: {slowest[0].seconds:.2f} s of the processor: {slowest[1].name}",
        f"largest: {largest[0].megabytes:.0f} MB: {largest[1].name}",
        *wrong,
    )
    return Figures("Bad inputs", lines, len(wrong))


def _show(result: Measured, item: Input) -> None:
    faults = "; ".join(result.faults(item)) or "fine"
    first = result.output.split("\n", 1)[0][:80]
    print(f"{result.seconds:6.2f} s {result.megabytes:5.0f} MB  {item.name}: {faults} ({first})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
