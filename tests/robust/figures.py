"""All that is counted about hostile input and faults, by one command.

    PYTHONPATH=.:tests python tests/robust/figures.py [--nightly] [PART ...]

Each part runs its trials and tells what they came to: without `--nightly` a sample that takes minutes, with it the
amounts that docs/security.md states. Ends with 1 when any trial went wrong.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from importlib import import_module

from robust.figure import Figures

PARTS = (
    "injecting",
    "words.trial",
    "doublings",
    "roundtrip",
    "reading",
    "mutate",
    "fuzz",
    "writing",
    "keeping",
    "damage",
    "forging",
    "secrecy",
    "approving",
)
"""The modules of this folder that count: each has a function `figures(*, is_nightly)`."""


def main() -> int:
    """Print the figures of each part; return 1 when a trial went wrong."""
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}; without any, all")
    parser.add_argument("--nightly", action="store_true", help="the whole amount, which takes an hour or more")
    given = parser.parse_args()
    if unknown := [part for part in given.parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    wrong = [_told(part, is_nightly=given.nightly) for part in given.parts or PARTS]
    return int(any(wrong))


def _told(part: str, *, is_nightly: bool) -> int:
    started = time.monotonic()
    found: Figures = import_module(f"robust.{part}").figures(is_nightly=is_nightly)
    verdict = f"{found.wrong:,} WRONG" if found.wrong else "fine"
    print(f"{found.title}: {verdict} ({time.monotonic() - started:.0f} s)")
    for line in found.lines:
        print(f"  {line}")
    sys.stdout.flush()
    return found.wrong


if __name__ == "__main__":
    sys.exit(main())
