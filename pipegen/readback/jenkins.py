"""The order that a Jenkinsfile enforces, in either style."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, or_

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.groovy import Kind, Token, UnreadableError, tokens

_OPENING = {"(": ")", "[": "]", "{": "}"}


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
    return _read_scripted(calls, _ends(found))


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


def _read_scripted(calls: Sequence[Sequence[Token]], ends: frozenset[str]) -> ExecutionGraph:
    """Return the order of the stages that *calls* add; those after one of *ends* come after all before it."""
    after: dict[str, tuple[str, ...]] = {}
    for call in calls:
        arguments, _ = _bracketed(call, 0)
        name, place = _text(arguments, 0)
        after[name] = tuple(_after(arguments, place))
    if unknown := sorted({one for earlier in after.values() for one in earlier} - after.keys() - ends):
        raise UnreadableError(f'a stage comes after "{unknown[0]}", which is not there')
    others = [name for name, earlier in after.items() if ends.isdisjoint(earlier)]
    arcs = [
        (one, name)
        for name, earlier in after.items()
        for given in earlier
        for one in (_before_end(given, others) if given in ends else (given,))
    ]
    return ExecutionGraph([*((name,) for name in after), *arcs])


def _ends(found: Sequence[Token]) -> frozenset[str]:
    """Return what is done when stages are started by a call of their own."""
    calls = (found[place + 1 : place + 3] for place in _calls(found, "stagesReady"))
    return frozenset(call[1].text for call in calls if len(call) > 1 and call[1].kind is Kind.TEXT)


def _before_end(end: str, stages: Sequence[str]) -> Iterator[str]:
    """Yield those of *stages* that belong to the pipeline of *end*; in a file of one, all do."""
    _, of, pipeline = end.partition(" of ")
    return (name for name in stages if not of or name.startswith(f"{pipeline}: "))


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
