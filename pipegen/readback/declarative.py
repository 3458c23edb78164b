"""The order of a declarative pipeline: stages one after the other, and side by side."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.groovy import GroovyTokens
from pipegen.readback.literals import GroovyValues
from pipegen.structs import Struct

_KINDS = ("stages", "parallel", "matrix", "steps")


class Leaf(Struct):
    """A stage with steps."""

    name: str


class Serial(Struct):
    """Parts one after the other."""

    parts: tuple[Part, ...]


class Parallel(Struct):
    """Parts side by side, which end when all of them have."""

    parts: tuple[Part, ...]


Part = Leaf | Serial | Parallel


def read(code: GroovyTokens, pipeline: int) -> Part:
    """Return what the block `pipeline` at *pipeline* runs."""
    block = _block(code, pipeline + 1, "stages")
    if block is None:
        raise code.error(pipeline, 'the pipeline has no "stages"')
    return Serial(_Reader(code).parts(block))


def graph_of(part: Part) -> ExecutionGraph:
    """Return the order of the leaves of *part*."""
    arcs: list[tuple[str, ...]] = []
    _join(part, (), arcs)
    return ExecutionGraph(arcs)


def leaves(part: Part) -> Iterator[Leaf]:
    """Yield the stages with steps, in the order of the text."""
    waiting = [part]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Leaf):
            yield one
        else:
            waiting += reversed(one.parts)


def _join(part: Part, before: tuple[str, ...], arcs: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Add the arcs of *part*, which comes directly after the stages *before*; return the stages that end it."""
    match part:
        case Leaf(name):
            arcs += [(name,), *((earlier, name) for earlier in before)]
            return (name,)
        case Serial(parts):
            for one in parts:
                before = _join(one, before, arcs)
            return before
        case Parallel(parts):
            return tuple(end for one in parts for end in _join(one, before, arcs))


class _Reader:
    def __init__(self, code: GroovyTokens) -> None:
        self._code = code
        self._values = GroovyValues(code, {})
        self._seen: set[str] = set()

    def parts(self, block: int) -> tuple[Part, ...]:
        """Return the stages in the block whose brace is at *block*."""
        place, end, found = block + 1, self._code.end_of(block), []
        while place < end:
            if not self._code.is_word(place, "stage"):
                shown = self._code.tokens[place].text
                raise self._code.error(place, f'"{shown}" where a stage is expected')
            found.append(self._stage(place))
            place = self._code.behind(self._code.behind(place + 1))
        if not found:
            raise self._code.error(block, "a block of stages is empty")
        return tuple(found)

    def _stage(self, place: int) -> Part:
        code = self._code
        if not code.is_sign(place + 1, "(") or not code.is_sign(code.behind(place + 1), "{"):
            raise code.error(place, "a stage has its name in brackets, and then a block")
        name, behind = self._values.text(place + 2)
        if behind != code.end_of(place + 1):
            raise code.error(behind, "a stage has a name and nothing else in its brackets")
        body = code.behind(place + 1)
        blocks = {kind: found for kind in _KINDS if (found := _block(code, body, kind)) is not None}
        if len(blocks) != 1:
            raise code.error(place, f'stage "{name}" has not one of "stages", "parallel" and "steps"')
        ((kind, block),) = blocks.items()
        match kind:
            case "stages":
                return Serial(self.parts(block))
            case "parallel":
                return Parallel(self.parts(block))
            case "steps":
                return self._leaf(name, place)
            case _:
                raise code.error(block - 1, "a matrix makes stages whose names are not in the text")

    def _leaf(self, name: str, place: int) -> Leaf:
        if name in self._seen:
            raise self._code.error(place, f'two stages are called "{name}"')
        self._seen.add(name)
        return Leaf(name)


def _block(code: GroovyTokens, brace: int, name: str) -> int | None:
    """Return the brace of the block *name* that stands right in the block at *brace*, None when there is none."""
    place, end = brace + 1, code.end_of(brace)
    while place < end:
        if code.is_word(place, name) and code.is_sign(place + 1, "{"):
            return place + 1
        place = code.behind(place)
    return None
