"""A graph as lines for a terminal: its frames from top to bottom, and what each node comes after."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.columns import columns, padded
from pipegen.visible import visible

_NO_LABELS: Mapping[str, str] = MappingProxyType({})
_WIDEST_COLUMN = 40
_FEW = 2  # so many names are said sooner than "all of frame 7"


def render_text(
    graph: ExecutionGraph, labels: Mapping[str, str] = _NO_LABELS, title: str = "", width: int = 100
) -> str:
    """Return a line for each node of *graph*, longer ones broken to fit *width*; `CycleError` when it has no frames.

    The number in front of a frame's first node is that of the frame. A node that comes after all of the frame before it
    says so, instead of all those names.
    """
    shown = {node: visible(labels.get(node, node)) for node in graph.nodes}
    frames = graph.stack()
    margin = len(str(len(frames))) + 2
    column = min(max(map(columns, shown.values()), default=0), _WIDEST_COLUMN)
    lines = [visible(title), ""] if title else []
    before: tuple[str, ...] = ()
    for number, frame in enumerate(frames, start=1):
        heads = chain([f"{number:>{margin - 2}}  "], iter(lambda: " " * margin, None))
        for head, node in zip(heads, frame, strict=False):
            after = _after(graph.predecessors(node), before, number - 1, shown.__getitem__)
            lines += _row(head + padded(shown[node], column), after, margin + column, width)
        before = frame
    return "\n".join([*lines, ""]) if lines else "(empty)\n"


def _after(predecessors: tuple[str, ...], frame: tuple[str, ...], number: int, show: Callable[[str], str]) -> list[str]:
    """Return the words for *predecessors*; *frame*, the one before, has *number*."""
    if len(frame) <= _FEW or not set(frame) <= set(predecessors):
        return [show(node) for node in predecessors]
    whole = set(frame)
    return [f"all of frame {number}", *(show(node) for node in predecessors if node not in whole)]


def _row(head: str, after: list[str], indent: int, width: int) -> Iterator[str]:
    """Yield *head* and, broken to *width* and set in by *indent*, what it comes after."""
    if not after:
        yield head.rstrip()
        return
    first, *rest = _broken(after, width - indent - len("  after "))
    yield f"{head}  after {first}"
    for line in rest:
        yield " " * (indent + len("  after ")) + line


def _broken(words: Iterable[str], width: int) -> Iterator[str]:
    """Yield *words* with commas between, as many on a line as fit *width*, but at least one."""
    line = ""
    for word in words:
        if line and columns(line) + len(", ") + columns(word) >= width:
            yield f"{line},"
            line = word
        else:
            line = f"{line}, {word}" if line else word
    yield line
