"""Phrases that several formats use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff

from pipegen.difference.model import ChangedStages, KeyChange, LongestPath, Pairs, Prompt, UnmatchedStage

# The value of an absent key.
NOTHING = "nothing"
# Texts that separate names; names of combinations, such as "unit: 3.11, linux", contain commas.
_SEPARATORS = (",", ";", " -> ", '"')


def quoted(name: str) -> str:
    """Return *name*, in quotes if it could be taken for several names in a list or in a path."""
    return json.dumps(name, ensure_ascii=False) if any(text in name for text in _SEPARATORS) else name


def listed(names: Iterable[str]) -> str:
    """Return *names* with commas between them."""
    return ", ".join(map(quoted, names))


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
    parts = [f"after {listed(stage.after)}"] if stage.after else []
    parts += [f"before {listed(stage.before)}"] if stage.before else []
    return f" ({'; '.join(parts)})" if parts else ""


def counted(changed: Sequence[ChangedStages]) -> int:
    """Return the number of stages in *changed*."""
    return sum(len(group.stages) for group in changed)
