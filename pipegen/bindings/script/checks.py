"""References where a value would become part of a program: of another interpreter, or of the shell's own arithmetic."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pipegen.bindings.script.calls import Call, calls, speaks
from pipegen.bindings.script.interpreters import DECLARERS, EVALUATED_VARIABLES, NAME_OPTIONS, NAME_READERS
from pipegen.bindings.script.syntax import Command, Form, Found, Kind, Lexed, Obstacle, Word
from pipegen.structs import Struct

# Attributes that make bash work out what is assigned: number, name of another variable, arrays.
_EVALUATING = re.compile(r"-[A-Za-z]*[inaA]")
_COMPARISONS = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
_NAME_TESTS = {"-v", "-R"}
_SUBSCRIPT = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*)?\[[^\]]*\]\+?=")
_NAME_DECLARERS = DECLARERS - {"export", "readonly"}


class Program(Struct):
    """A reference in a program of *call*, whose name is the word *caller*."""

    found: Found
    call: Call
    caller: Word


def programs(lexed: Lexed) -> Iterator[Program]:
    """Yield the references in text that an interpreter takes for a program."""
    if not lexed.found:
        return
    commands = sorted(lexed.commands, key=_start)
    for pipeline in lexed.pipelines:
        # What an interpreter reads, the next one is not told of again.
        unread: list[Command] = []
        for command in pipeline:
            words = _words(command)
            for call in calls([word.text for word in words]) if command.form is Form.SIMPLE else ():
                caller = words[call.at]
                texts = [words[at] for at in call.programs if at < len(words)]
                if call.reads_input:
                    texts += command.documents
                    texts += _printed(unread, commands)
                    unread = []
                yield from (Program(found, call, caller) for found in _references(texts))
            unread.append(command)


def evaluated(lexed: Lexed) -> Iterator[Found]:
    """Yield the references that the shell works out as arithmetic, or as the name of a variable."""
    yield from (found for found in lexed.found if found.obstacle is Obstacle.EVALUATED)
    attributed = set(_attributed(lexed.commands))
    for command in lexed.commands:
        match command.form:
            case Form.CONDITION:
                yield from _in_condition(command)
            case Form.ARRAY:
                yield from _in_subscripts(command.words)
            case Form.SIMPLE:
                yield from _in_assignments(command, attributed)
                yield from _in_names(command)


def _words(command: Command) -> list[Word]:
    """Return the words of *command* without the assignments in front."""
    for at, word in enumerate(command.words):
        if word.assigned is None:
            return command.words[at:]
    return []


def _references(words: Iterable[Word]) -> list[Found]:
    return [found for word in words for found in word.references() if found.kind is Kind.REFERENCE]


def _start(command: Command) -> int:
    return command.start


def _printed(writers: Iterable[Command], commands: Sequence[Command]) -> Iterator[Word]:
    """Yield the words and texts that *writers*, earlier commands of a pipeline, print; *commands* are all, in order."""
    for writer in writers:
        for at in range(bisect_left(commands, writer.start, key=_start), len(commands)):
            command = commands[at]
            if command.start > writer.end:
                break
            if command.end <= writer.end and command.level == writer.level:
                yield from command.documents
                if speaks([word.text for word in _words(command)]):
                    yield from command.words


def _in_condition(command: Command) -> Iterator[Found]:
    """Yield what `[[ … ]]` compares as numbers, or takes for names of variables."""
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word.text in _COMPARISONS:
            yield from _references((words[at - 1], words[at + 1]))
        elif word.text in _NAME_TESTS:
            yield from _references((words[at + 1],))


def _in_subscripts(words: Iterable[Word]) -> Iterator[Found]:
    """Yield what stands in the subscript of an assignment."""
    for word in words:
        subscript = _SUBSCRIPT.match(word.text)
        if subscript:
            yield from (found for at, found in word.found if at < subscript.end() and found.kind is Kind.REFERENCE)


def _in_assignments(command: Command, attributed: set[str]) -> Iterator[Found]:
    """Yield what is assigned, in front of a command or by `declare`, where bash works it out."""
    rest = _words(command)
    front = command.words[: len(command.words) - len(rest)]
    yield from _in_subscripts(front)
    for word in front:
        if word.assigned in attributed | EVALUATED_VARIABLES:
            yield from _references((word,))
    if rest and rest[0].text in DECLARERS:
        yield from _declared(rest, attributed)


def _declared(words: list[Word], attributed: set[str]) -> Iterator[Found]:
    """Yield what `declare` and its like assign and bash works out, or take for names of variables."""
    evaluates = any(_EVALUATING.fullmatch(word.text) for word in words[1:])
    for word in words[1:]:
        if evaluates or word.assigned in attributed | EVALUATED_VARIABLES:
            yield from _references((word,))
        elif words[0].text in _NAME_DECLARERS:
            names = [found for at, found in word.found if at < word.value_start or not word.value_start]
            yield from (found for found in names if found.kind is Kind.REFERENCE)


def _attributed(commands: Iterable[Command]) -> Iterator[str]:
    """Yield the variables that a command of the script gives such an attribute."""
    for command in commands:
        words = _words(command)
        if words and words[0].text in DECLARERS and any(_EVALUATING.fullmatch(word.text) for word in words[1:]):
            yield from (word.assigned or word.text for word in words[1:])


def _in_names(command: Command) -> Iterator[Found]:
    """Yield what builtins take for arithmetic or for the name of a variable."""
    words = _words(command)
    name = words[0].text if words else ""
    if name == "let":
        yield from _references(words[1:])
    if name not in NAME_READERS and name not in NAME_OPTIONS:
        return
    valued, named = NAME_READERS.get(name, ((), NAME_OPTIONS.get(name, ())))
    for before, word in pairwise(words):
        is_operand = before.text not in valued and not word.text.startswith("-")
        if before.text in named or (name in NAME_READERS and is_operand):
            yield from _references((word,))
