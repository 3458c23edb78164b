"""Phrases that several formats use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff

from pipegen.difference.model import ChangedStages, KeyChange, LongestPath, Pairs, Prompt, UnmatchedStage

# The value of an absent key.
NOTHING = "nothing"


def stages(count: float) -> str:
    """Return *count* with the word "stages"."""
    return "1 stage" if count == 1 else f"{count:g} stages"


def length(path: LongestPath, *, is_timed: bool) -> str:
    """Return the length of *path* with its unit."""
    return f"{path.length:g} s" if is_timed else stages(path.length)


def pairs(ordered: Pairs) -> str:
    """Return the number of pairs in words."""
    return "1 pair" if ordered.count == 1 else f"{ordered.count} pairs"


def ask(prompt: Prompt) -> str:
    """Return the approval of *prompt* in words that follow the name of its stage."""
    return f'reads the secret "{prompt.secret}"' if prompt.secret else "waits for approval"


def is_long(change: KeyChange) -> bool:
    """Return whether a value of *change* has several lines."""
    return "\n" in (change.old or "") or "\n" in (change.new or "")


def lines(change: KeyChange) -> Iterator[str]:
    """Yield the removed and added lines of *change* with signs, and their context."""
    diff = unified_diff((change.old or "").splitlines(), (change.new or "").splitlines(), lineterm="", n=1)
    # The diff starts with two header lines and has one before each hunk.
    yield from (f"{line[0]} {line[1:]}" for line in list(diff)[2:] if not line.startswith("@@"))


def order_of(stage: UnmatchedStage) -> str:
    """Return the predecessors and successors of *stage* in words; "" if it has none."""
    parts = [f"after {', '.join(stage.after)}"] if stage.after else []
    parts += [f"before {', '.join(stage.before)}"] if stage.before else []
    return f" ({'; '.join(parts)})" if parts else ""


def counted(changed: Sequence[ChangedStages]) -> int:
    """Return the number of stages in *changed*."""
    return sum(len(group.stages) for group in changed)
