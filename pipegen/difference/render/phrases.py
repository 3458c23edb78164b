"""Phrases that every form of a difference uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff

from pipegen.difference.model import ChangedStages, KeyChange, LongestPath, Pairs, PlacedStage, Prompt

# Where a key says nothing.
NOTHING = "nothing"


def stages(count: float) -> str:
    """Return so many stages in words."""
    return "1 stage" if count == 1 else f"{count:g} stages"


def length(path: LongestPath, *, is_timed: bool) -> str:
    """Return how long *path* is."""
    return f"{path.length:g} s" if is_timed else stages(path.length)


def pairs(found: Pairs) -> str:
    """Return how many pairs there are."""
    return "1 pair" if found.count == 1 else f"{found.count} pairs"


def ask(one: Prompt) -> str:
    """Return what *one* asks of people, after the name of its stage."""
    return f'reads the secret "{one.secret}"' if one.secret else "waits for approval"


def is_long(change: KeyChange) -> bool:
    """Return whether *change* is one of lines."""
    return "\n" in (change.old or "") or "\n" in (change.new or "")


def lines(change: KeyChange) -> Iterator[str]:
    """Yield the lines that *change* takes away and adds, with a sign, and what stands around them."""
    told = unified_diff((change.old or "").splitlines(), (change.new or "").splitlines(), lineterm="", n=1)
    # Two lines of headings come first, and one before each stretch.
    yield from (f"{line[0]} {line[1:]}" for line in list(told)[2:] if not line.startswith("@@"))


def place(one: PlacedStage) -> str:
    """Return where *one* stands in the order; "" where nothing is before or after it."""
    said = [f"after {', '.join(one.after)}"] if one.after else []
    said += [f"before {', '.join(one.before)}"] if one.before else []
    return f" ({'; '.join(said)})" if said else ""


def counted(changed: Sequence[ChangedStages]) -> int:
    """Return how many stages *changed*."""
    return sum(len(one.stages) for one in changed)
