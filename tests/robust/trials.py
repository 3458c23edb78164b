"""Run all trials with hostile input and faults, and print their figures.

    PYTHONPATH=.:tests python tests/robust/trials.py [--nightly] [PART ...]

Each part runs its trials and prints the results: without `--nightly` a sample that takes minutes, with it the
numbers of trials in docs/security.md. The exit code is 1 if any trial failed.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from importlib import import_module

from robust.trial_result import Figures

PARTS = (
    "injection",
    "words.trial",
    "exponential_configs",
    "roundtrip",
    "hostile_input_trials",
    "mutate",
    "fuzz",
    "interrupted_writes",
    "stored_state",
    "corruption",
    "forged_state",
    "secret_leaks",
    "sandbox_permissions",
)
"""The modules of this folder with trials; each has a function `figures(*, is_nightly)`."""


def main() -> int:
    """Print the figures of each part; return 1 if a trial failed."""
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}; without any, all")
    parser.add_argument("--nightly", action="store_true", help="all trials, which takes an hour or more")
    arguments = parser.parse_args()
    if unknown := [part for part in arguments.parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    wrong = [_run_part(part, is_nightly=arguments.nightly) for part in arguments.parts or PARTS]
    return int(any(wrong))


def _run_part(part: str, *, is_nightly: bool) -> int:
    started = time.monotonic()
    figures: Figures = import_module(f"robust.{part}").figures(is_nightly=is_nightly)
    verdict = f"{figures.wrong:,} WRONG" if figures.wrong else "fine"
    print(f"{figures.title}: {verdict} ({time.monotonic() - started:.0f} s)")
    for line in figures.lines:
        print(f"  {line}")
    sys.stdout.flush()
    return figures.wrong


if __name__ == "__main__":
    sys.exit(main())
