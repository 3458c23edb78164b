"""Compiled files, read back: the order of stages, and every text.

    PYTHONPATH=.:tests python tests/robust/roundtrip.py [--nightly]

prints the figures.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from engines import jenkins_harness
from robust.configs import known
from robust.order_relations import Compared, of_drawn, of_known, of_wide
from robust.positions.all import MIXED, answers, counted, hostile
from robust.positions.table import positions
from robust.trial_result import Figures

_SEED = 1
_PARTS = 6


def main() -> int:
    """Print the figures; return 1 if anything was read back differently."""
    result = figures(is_nightly="--nightly" in sys.argv[1:])
    print(result.title, *result.lines, sep="\n")
    return int(bool(result.wrong))


def figures(*, is_nightly: bool) -> Figures:
    """Return the figures of all compiled files that were read back."""
    orders, texts = _of_orders(is_nightly=is_nightly), _of_texts(is_nightly=is_nightly)
    return Figures("Compiled and read back", (*orders.lines, *texts.lines), orders.wrong + texts.wrong)


def _of_texts(*, is_nightly: bool) -> Figures:
    if not shutil.which("ruby") or jenkins_harness.available():
        return Figures("Texts", ("texts: ruby or the Jenkins harness is missing",), 0)
    texts = hostile() if is_nightly else (MIXED,)
    with ProcessPoolExecutor() as workers:
        parts = workers.map(partial(answers, texts), [slice(part, None, _PARTS) for part in range(_PARTS)])
        values = [error for part in parts for error in part]
    wrong = [error for error in values if error.is_wrong]
    lines = (
        f"{len(positions()):,} positions, {len(texts)} hostile texts, {len(values):,} compilations: {counted(values)}",
        f"readers: Psych, ruamel 1.2 and PyYAML, Groovy 2.4's parser, dash for words; {len(wrong):,} mismatches",
        *(
            f"{each.trial.target} {each.trial.position} {each.trial.text[:80]!r}: {each.differs or each.outcome.value}"
            for each in wrong[:10]
        ),
    )
    return Figures("Texts", lines, len(wrong))


def _of_orders(*, is_nightly: bool) -> Figures:
    small, large = (3000, 40) if is_nightly else (30, 2)
    with ProcessPoolExecutor() as workers:
        rows = [
            *workers.map(of_known, known(), chunksize=4),
            *workers.map(partial(of_drawn, seed=_SEED), range(small), chunksize=20),
            *workers.map(partial(of_wide, seed=_SEED), range(large)),
        ]
    compared = [comparison for each in rows for comparison in each]
    wrong = [comparison for comparison in compared if comparison.faults]
    configs = sum(bool(each) for each in rows)
    split, pairs, added = (
        sum(getattr(comparison, key) for comparison in compared) for key in ("is_split", "pairs", "added")
    )
    lines = (
        f"{configs:,} configs, {len(compared):,} files read back: {_ways(compared)}; {split:,} with child pipelines",
        f"{pairs:,} pairs of stages in order, {added:,} of them added waits that were told of",
        f"{len(wrong):,} say another order",
        *(f"{comparison.way}: {'; '.join(comparison.faults)}" for comparison in wrong[:10]),
    )
    return Figures("Order read back", lines, len(wrong))


def _ways(compared: Iterable[Compared]) -> str:
    return ", ".join(f"{way} {count:,}" for way, count in Counter(comparison.way for comparison in compared).items())


if __name__ == "__main__":
    sys.exit(main())
