"""What was compiled, read back: the order of stages, and every text.

    PYTHONPATH=.:tests python tests/robust/roundtrip.py [--nightly]

prints the figures.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from robust.configs import known
from robust.figure import Figures
from robust.relations import Compared, of_drawn, of_known, of_wide

_SEED = 1


def main() -> int:
    """Print the figures; return 1 when something came back as something else."""
    found = figures(is_nightly="--nightly" in sys.argv[1:])
    print(found.title, *found.lines, sep="\n")
    return int(bool(found.wrong))


def figures(*, is_nightly: bool) -> Figures:
    """Return what came back of all that was compiled."""
    return _of_orders(is_nightly=is_nightly)


def _of_orders(*, is_nightly: bool) -> Figures:
    small, large = (3000, 40) if is_nightly else (30, 2)
    with ProcessPoolExecutor() as workers:
        found = [
            *workers.map(of_known, known(), chunksize=4),
            *workers.map(partial(of_drawn, seed=_SEED), range(small), chunksize=20),
            *workers.map(partial(of_wide, seed=_SEED), range(large)),
        ]
    compared = [one for each in found for one in each]
    wrong = [one for one in compared if one.faults]
    configs = sum(bool(each) for each in found)
    split, pairs, added = (sum(getattr(one, key) for one in compared) for key in ("is_split", "pairs", "added"))
    lines = (
        f"{configs:,} configs, {len(compared):,} files read back: {_ways(compared)}; {split:,} with child pipelines",
        f"{pairs:,} pairs of stages in order, {added:,} of them added waits that were told of",
        f"{len(wrong):,} say another order",
        *(f"{one.way}: {'; '.join(one.faults)}" for one in wrong[:10]),
    )
    return Figures("Order read back", lines, len(wrong))


def _ways(compared: Iterable[Compared]) -> str:
    return ", ".join(f"{way} {count:,}" for way, count in Counter(one.way for one in compared).items())


if __name__ == "__main__":
    sys.exit(main())
