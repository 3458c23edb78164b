"""Random edits of configs by the thousand: each is compiled, or rejected with a diagnostic, quickly.

    PYTHONPATH=.:tests python tests/robust/mutate.py 20000 --seed 1

prints the figures, and the number of each edit that failed; `--show NUMBER` prints the edited config.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from robust.arbitrary_input import Answer, attempt, seeds
from robust.trial_result import Figures


def main() -> int:
    """Print the figures; return 1 if an edit failed."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print what this edit made")
    parser.add_argument("--without-corpus", action="store_true", help="edit examples and goldens instead")
    arguments = parser.parse_args()
    paths = seeds(has_corpus=not arguments.without_corpus)
    if arguments.show is not None:
        sys.stdout.buffer.write(attempt(arguments.show, arguments.seed, paths)[0])
        return 0
    answers = _tried(arguments.count, arguments.seed, has_corpus=not arguments.without_corpus)
    print("\n".join(answers.lines))
    return int(bool(answers.wrong))


def figures(*, is_nightly: bool) -> Figures:
    """Return the results of 20,000 edits with *is_nightly*, otherwise of 2,000."""
    return _tried(20_000 if is_nightly else 2_000, 1, has_corpus=True)


def _tried(count: int, seed: int, *, has_corpus: bool) -> Figures:
    """Return the results of *count* edits."""
    with ProcessPoolExecutor() as workers:
        work = partial(_answer, seed=seed, has_corpus=has_corpus)
        answers = list(workers.map(work, range(count), chunksize=50))
    statuses = Counter(answer.status for _, answer in answers)
    slowest = max(answers, key=lambda pair: pair[1].seconds)
    wrong = [f"{what}: status {answer.status}: {'; '.join(answer.faults)}" for what, answer in answers if answer.faults]
    lines = (
        f"{count:,} edits of {len(seeds(has_corpus=has_corpus))} configs, seed {seed}: {len(wrong)} went wrong",
        ", ".join(f"status {status}: {number:,}" for status, number in sorted(statuses.items())),
        f"slowest: {slowest[1].seconds:.2f} s of the processor: {slowest[0]}",
        *wrong,
    )
    return Figures("The corpus edited at random", lines, len(wrong))


def _answer(number: int, seed: int, *, has_corpus: bool) -> tuple[str, Answer]:
    _, what, answer = attempt(number, seed, seeds(has_corpus=has_corpus))
    return f"{number} {what}", answer


if __name__ == "__main__":
    sys.exit(main())
