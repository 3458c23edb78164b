"""The order of a declarative pipeline: sequential and parallel stages."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.groovy import GroovyTokens
from pipegen.readback.literals import GroovyValues
from pipegen.structs import Struct

_KINDS = ("stages", "parallel", "matrix", "steps")


class Leaf(Struct):
    """A stage with steps, or in `post`; *index* is that of its word `stage`."""

    name: str
    index: int


class Serial(Struct):
    """Sequential parts; *index* is that of the stage that contains them, None for the pipeline."""

    parts: tuple[Part, ...]
    index: int | None = None


class Parallel(Struct):
    """Parallel parts, which end together, like `Serial`."""

    parts: tuple[Part, ...]
    index: int | None = None


class MatrixPart(Struct):
    """Sequential parts that run for each cell of the matrix of the stage at *index*."""

    parts: tuple[Part, ...]
    index: int


Part = Leaf | Serial | Parallel | MatrixPart


def read(code: GroovyTokens, pipeline: int) -> Part:
    """Return the stages of the `pipeline` block at *pipeline*, with those in its `post`."""
    stages = read_stages(code, pipeline)
    post = _block(code, pipeline + 1, "post")
    final = _Reader(code).final(post) if post is not None else ()
    whole = Serial((*stages.parts, Parallel(final)) if final else stages.parts)
    seen: set[str] = set()
    for part in _inside(whole):
        if isinstance(part, MatrixPart):
            raise code.error(part.index, "the names of a matrix's stages are not in the file")
        if isinstance(part, Leaf):
            if part.name in seen:
                raise code.error(part.index, f'two stages are called "{part.name}"')
            seen.add(part.name)
    return whole


def read_stages(code: GroovyTokens, pipeline: int) -> Serial:
    """Return the stages in the block `stages` of the `pipeline` block at *pipeline*."""
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
    """Yield the stages with steps, in text order."""
    yield from (nested for nested in _inside(part) if isinstance(nested, Leaf))


def _inside(part: Part) -> Iterator[Part]:
    """Yield *part* and its parts at any depth, in text order."""
    pending = [part]
    while pending:
        current = pending.pop()
        yield current
        if not isinstance(current, Leaf):
            pending += reversed(current.parts)


def _join(part: Part, predecessors: tuple[str, ...], arcs: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Add the arcs of *part*, which directly follows the stages *predecessors*; return its last stages."""
    match part:
        case Leaf(name):
            arcs += [(name,), *((earlier, name) for earlier in predecessors)]
            return (name,)
        case Serial(parts) | MatrixPart(parts):
            for child in parts:
                predecessors = _join(child, predecessors, arcs)
            return predecessors
        case Parallel(parts):
            return tuple(end for child in parts for end in _join(child, predecessors, arcs))


class _Reader:
    def __init__(self, code: GroovyTokens) -> None:
        self._code = code
        self._values = GroovyValues(code, {})

    def parts(self, block: int) -> tuple[Part, ...]:
        """Return the stages in the block with its opening brace at *block*."""
        index, end, parts = block + 1, self._code.end_of(block), []
        while index < end:
            if self._code.is_sign(index, ";"):
                index += 1
                continue
            if not self._code.is_word(index, "stage"):
                token_text = self._code.tokens[index].text
                raise self._code.error(index, f'"{token_text}" where a stage is expected')
            parts.append(self._stage(index))
            index = self._code.skip(self._code.skip(index + 1))
        if not parts:
            raise self._code.error(block, "a block of stages is empty")
        return tuple(parts)

    def final(self, post: int) -> tuple[Part, ...]:
        """Return the stages in the scripts of the block `post` with its opening brace at *post*, which are parallel."""
        code, end = self._code, self._code.end_of(post)
        starts = [index for index in range(post, end) if code.is_word(index, "stage") and code.is_sign(index + 1, "(")]
        return tuple(Leaf(self._values.text(index + 2)[0], index) for index in starts)

    def _stage(self, index: int) -> Part:
        code = self._code
        if not code.is_sign(index + 1, "(") or not code.is_sign(code.skip(index + 1), "{"):
            raise code.error(index, "a stage has a name in parentheses, and a block")
        name, skip = self._values.text(index + 2)
        if skip != code.end_of(index + 1):
            raise code.error(skip, "a stage has only a name in its parentheses")
        body = code.skip(index + 1)
        blocks = {kind: content for kind in _KINDS if (content := _block(code, body, kind)) is not None}
        if len(blocks) != 1:
            raise code.error(index, f'stage "{name}" needs exactly one of "stages", "parallel" and "steps"')
        ((kind, block),) = blocks.items()
        match kind:
            case "stages":
                return Serial(self.parts(block), index)
            case "parallel":
                return Parallel(self.parts(block), index)
            case "matrix":
                stages = _block(code, block, "stages")
                if stages is None:
                    raise code.error(block - 1, 'the matrix has no "stages"')
                return MatrixPart(self.parts(stages), index)
        return Leaf(name, index)


def _block(code: GroovyTokens, brace: int, name: str) -> int | None:
    """Return the opening brace of the block *name* directly in the block at *brace*, None if there is none."""
    index, end = brace + 1, code.end_of(brace)
    while index < end:
        if code.is_word(index, name) and code.is_sign(index + 1, "{"):
            return index + 1
        index = code.skip(index)
    return None
