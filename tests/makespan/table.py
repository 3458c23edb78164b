"""Writes the table of makespans for each form of a pipeline in `docs/order.md`.

Run it as `python tests/makespan/table.py` in the folder of the checkout, with PYTHONPATH=.:tests. It takes some
minutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

from graph.families import family as deep
from makespan.measure import FORMS, FRAMES, Sample
from readback.families import FAMILIES

DOCUMENT = Path(__file__).parents[2] / "docs/order.md"
# Stages, and how many graphs of that size.
SIZES = {12: 20, 40: 10, 300: 2}
# Graphs of up to 1,200 stages, whose blocks would be deep; declarative pipelines do not support this number of stages.
DEEP = ("60 layers of 20", "100 layers of 10", "1,000 near each other", "trellis", "ladder", "diamonds", "wide joins")
_PART = re.compile(r"(<!-- makespan -->\n).*?(<!-- end -->)", re.DOTALL)
_COLUMNS = (FRAMES, *FORMS)


def table() -> str:
    """Return the table, in Markdown."""
    lines = [
        f"| graphs | stages | {' | '.join(_COLUMNS)} |",
        f"|---|---:|{'---|' * len(_COLUMNS)}",
        *(row(family, size, range(seeds)) for family in FAMILIES for size, seeds in SIZES.items()),
        *(row(family, 0, range(2)) for family in DEEP),
    ]
    return "\n".join(lines) + "\n"


def row(family: str, size: int, seeds: Iterable[int]) -> str:
    """Return the row of *family* at *size*: the mean and the worst ratio of each form."""
    forms = tuple(FORMS) if size else ("scripted", "needs")
    entries = [Sample(family, size, seed).ratios(forms=forms) for seed in seeds]
    cells = (_cell([entry[form] for entry in entries if form in entry]) for form in _COLUMNS)
    stages = size or len(deep(0)[family].nodes)
    return f"| {family} | {stages:,} | {' | '.join(cells)} |"


def _cell(ratios: list[float]) -> str:
    return f"{mean(ratios):.2f}, {max(ratios):.2f}" if ratios else "–"


def main() -> None:
    """Write the table."""
    text = DOCUMENT.read_text(encoding="utf-8")
    result = table()
    DOCUMENT.write_text(_PART.sub(lambda part: part[1] + result + part[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
