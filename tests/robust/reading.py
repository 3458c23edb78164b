"""All bad inputs, each in a process of its own: the slowest answer, and the largest memory.

PYTHONPATH=.:tests python tests/robust/reading.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from robust.inputs import INPUTS
from robust.measured import MEGABYTES, SECONDS, measured
from robust.readers import inputs


def main() -> int:
    """Print each answer, then the figures; return 1 when one is not as it should be."""
    chosen = [one for one in (*INPUTS, *inputs()) if not sys.argv[1:] or one.name in sys.argv[1:]]
    answers = []
    for one in chosen:
        with tempfile.TemporaryDirectory() as name:
            found = measured(one, Path(name))
        answers.append((found, one.name))
        faults = "; ".join(found.faults(one))
        first = found.told.split("\n", 1)[0][:80]
        print(f"{found.seconds:6.2f} s {found.megabytes:5.0f} MB  {one.name}: {faults or 'fine'} ({first})", flush=True)
        if faults and "-v" in sys.argv:
            print(found.told[:2000])
    wrong = sum(bool(found.faults(one)) for (found, _), one in zip(answers, chosen, strict=True))
    slowest = max(answers, key=lambda one: one[0].seconds)
    largest = max(answers, key=lambda one: one[0].megabytes)
    print(f"{len(answers)} inputs, {wrong} not answered as they should be, within {SECONDS} s and {MEGABYTES:.0f} MB")
    print(f"slowest: {slowest[0].seconds:.2f} s of the processor: {slowest[1]}")
    print(f"largest: {largest[0].megabytes:.0f} MB: {largest[1]}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
