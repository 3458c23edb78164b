"""A graph as text for a terminal: its frames from top to bottom, and the predecessors of each node."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.columns import columns, padded
from pipegen.visible import visible

_WIDEST_COLUMN = 40
_FEW = 2  # this many names are listed in place of "all of frame 7"


def render_text(graph: ExecutionGraph, title: str = "", width: int = 100) -> str:
    """Return a line for each node of *graph*, wrapped at *width*; raise `CycleError` if it has a cycle.

    A frame's first node is preceded by the number of the frame. A node that comes after the whole previous frame says
    so without the names.
    """
    labels = {node: visible(node) for node in graph.nodes}
    frames = graph.stack()
    margin = len(str(len(frames))) + 2
    column = min(max(map(columns, labels.values()), default=0), _WIDEST_COLUMN)
    lines = [visible(title), ""] if title else []
    previous: tuple[str, ...] = ()
    for number, frame in enumerate(frames, start=1):
        heads = chain([f"{number:>{margin - 2}}  "], iter(lambda: " " * margin, None))
        for head, node in zip(heads, frame, strict=False):
            after = _after(graph.predecessors(node), previous, number - 1, labels.__getitem__)
            lines += _row(head + padded(labels[node], column), after, margin + column, width)
        previous = frame
    return "\n".join([*lines, ""]) if lines else "(empty)\n"


def _after(predecessors: tuple[str, ...], frame: tuple[str, ...], number: int, show: Callable[[str], str]) -> list[str]:
    """Return the names of *predecessors*; *frame* is the previous frame, with *number*."""
    if len(frame) <= _FEW or not set(frame) <= set(predecessors):
        return [show(node) for node in predecessors]
    frame_nodes = set(frame)
    return [f"all of frame {number}", *(show(node) for node in predecessors if node not in frame_nodes)]


def _row(head: str, after: list[str], indent: int, width: int) -> Iterator[str]:
    """Yield *head* and its predecessors *after*, wrapped at *width* with *indent*."""
    if not after:
        yield head.rstrip()
        return
    first, *rest = _wrapped(after, width - indent - len("  after "))
    yield f"{head}  after {first}"
    for line in rest:
        yield " " * (indent + len("  after ")) + line


def _wrapped(words: Iterable[str], width: int) -> Iterator[str]:
    """Yield *words* separated by commas, as many per line as fit *width*, but at least one."""
    line = ""
    for word in words:
        if line and columns(line) + len(", ") + columns(word) >= width:
            yield f"{line},"
            line = word
        else:
            line = f"{line}, {word}" if line else word
    yield line
