"""The order that a Jenkinsfile enforces, in either style."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, or_

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.groovy import Kind, Token, UnreadableError, tokens

_OPENING = {"(": ")", "[": "]", "{": "}"}
# What finally stages come after: the end of the one pipeline, or of that one among several.
_END = re.compile(r"all others(?: of (.+?))?(?: [0-9]+)?")


def order(text: str) -> ExecutionGraph:
    """Return which stage of a Jenkinsfile comes after which, by their names; raise `UnreadableError` for other text.

    Of a stage that holds stages only these count. The arcs say the whole order, not which of it is direct: blocks put
    all of one before all of the next.
    """
    found = tuple(tokens(text))
    body = _body_of(found, "pipeline")
    if body is not None:
        return _read_declarative(body)
    calls = [found[place + 1 :] for place in _calls(found, "addStage")]
    if not calls:
        raise UnreadableError("neither a pipeline block nor an addStage call")
    return _read_scripted(calls)


# Declarative


def _read_declarative(body: Sequence[Token]) -> ExecutionGraph:
    stages = _body_of(body, "stages")
    if stages is None:
        raise UnreadableError("the pipeline has no stages")
    return _in_sequence(stages)


def _in_sequence(body: Sequence[Token]) -> ExecutionGraph:
    return reduce(add, (_stage(stage) for stage in _stages(body)), ExecutionGraph())


def _side_by_side(body: Sequence[Token]) -> ExecutionGraph:
    return reduce(or_, (_stage(stage) for stage in _stages(body)), ExecutionGraph())


def _stage(stage: _Stage) -> ExecutionGraph:
    inner = _body_of(stage.body, "stages")
    if inner is not None:
        return _in_sequence(inner)
    inner = _body_of(stage.body, "parallel")
    return _side_by_side(inner) if inner is not None else ExecutionGraph([(stage.name,)])


@dataclass(frozen=True, slots=True)
class _Stage:
    """A `stage('name') {}`."""

    name: str
    body: Sequence[Token]


def _stages(body: Sequence[Token]) -> Iterator[_Stage]:
    place = 0
    while place < len(body):
        if body[place] != Token(Kind.WORD, "stage"):
            raise UnreadableError(f'"{body[place].text}" where a stage is expected')
        arguments, after = _bracketed(body, place + 1)
        inner, place = _bracketed(body, after)
        name, _ = _text(arguments, 0)
        yield _Stage(name, inner)


# Scripted


def _read_scripted(calls: Sequence[Sequence[Token]]) -> ExecutionGraph:
    arcs: list[tuple[str, ...]] = []
    for call in calls:
        arguments, _ = _bracketed(call, 0)
        name, place = _text(arguments, 0)
        arcs.append((name,))
        arcs += [(earlier, name) for earlier in _after(arguments, place)]
    told = {arc[0] for arc in arcs if len(arc) == 1}
    arcs = [one for arc in arcs for one in _through_ends(arc, arcs, told)]
    if unknown := sorted({arc[0] for arc in arcs} - told):
        raise UnreadableError(f'a stage comes after "{unknown[0]}", which is not there')
    return ExecutionGraph(arcs)


def _through_ends(arc: tuple[str, ...], arcs: Sequence[tuple[str, ...]], told: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield *arc*, or for one from the end of a pipeline, which is no stage, those from all stages that it ends."""
    end = _END.fullmatch(arc[0])
    if end is None or arc[0] in told:
        yield arc
        return
    final = {later for earlier, *rest in arcs for later in rest if _END.fullmatch(earlier) and earlier not in told}
    prefix = f"{end[1]}: " if end[1] else ""
    yield from ((name, arc[1]) for name in sorted(told - final) if name.startswith(prefix))


def _after(arguments: Sequence[Token], place: int) -> Iterator[str]:
    """Yield the names in the argument `after`, a list or a sum of lists."""
    while place < len(arguments):
        if arguments[place].text in _OPENING and arguments[place].kind is Kind.SIGN:
            _, place = _bracketed(arguments, place)
        elif arguments[place : place + 2] == (Token(Kind.WORD, "after"), Token(Kind.SIGN, ":")):
            place += 2
            while place < len(arguments) and arguments[place].text in {"[", "+"}:
                if arguments[place].text == "+":
                    place += 1
                items, place = _bracketed(arguments, place)
                yield from _texts(items)
        else:
            place += 1


def _texts(items: Sequence[Token]) -> Iterator[str]:
    place = 0
    while place < len(items):
        text, place = _text(items, place)
        yield text
        place += 1


# Tokens


def _text(found: Sequence[Token], place: int) -> tuple[str, int]:
    """Return the text at *place*, perhaps a sum of literals and characters, and the place behind it."""
    text = ""
    while True:
        piece, place = _piece(found, place)
        text += piece
        if place >= len(found) or found[place] != Token(Kind.SIGN, "+"):
            return text, place
        place += 1


def _piece(found: Sequence[Token], place: int) -> tuple[str, int]:
    if place < len(found) and found[place].kind is Kind.TEXT:
        return found[place].text, place + 1
    if [token.text for token in found[place : place + 3]] == ["(", "char", ")"]:
        return chr(int(found[place + 3].text)), place + 4
    raise UnreadableError("a text is expected")


def _body_of(found: Sequence[Token], name: str) -> Sequence[Token] | None:
    """Return what stands in the braces of the block *name* that stands in *found* itself, None when there is none."""
    place = 0
    while place < len(found):
        token = found[place]
        follows = found[place + 1] if place + 1 < len(found) else None
        if token == Token(Kind.WORD, name) and follows == Token(Kind.SIGN, "{"):
            return _bracketed(found, place + 1)[0]
        place = _bracketed(found, place)[1] if token.kind is Kind.SIGN and token.text in _OPENING else place + 1
    return None


def _calls(found: Sequence[Token], name: str) -> Iterator[int]:
    """Yield the places where the function *name* is called, not those where it is defined."""
    for place, token in enumerate(found):
        is_definition = place > 0 and found[place - 1] == Token(Kind.WORD, "def")
        if token == Token(Kind.WORD, name) and not is_definition:
            yield place


def _bracketed(found: Sequence[Token], place: int) -> tuple[Sequence[Token], int]:
    """Return what the bracket at *place* encloses, and the place behind the closing one."""
    if place >= len(found) or found[place].kind is not Kind.SIGN or found[place].text not in _OPENING:
        raise UnreadableError("a bracket is expected")
    closing: list[str] = []
    for end in range(place, len(found)):
        token = found[end]
        if token.kind is not Kind.SIGN:
            continue
        if token.text in _OPENING:
            closing.append(_OPENING[token.text])
        elif token.text == closing[-1]:
            closing.pop()
            if not closing:
                return found[place + 1 : end], end + 1
    raise UnreadableError("a bracket is not closed")
