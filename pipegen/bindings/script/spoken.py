"""The references that commands print, or that are handed on as input: what other commands then read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from pipegen.bindings.script.calls import speaks
from pipegen.bindings.script.syntax import Command, Found, Kind, Lexed, Word


class Spoken:
    """What the commands of a script print."""

    def __init__(self, lexed: Lexed) -> None:
        self._lexed = lexed
        self._commands = sorted(lexed.commands, key=_start)

    def printed(self, writers: Iterable[Command]) -> Iterator[Word]:
        """Yield the words and texts that *writers*, earlier commands of a pipeline, print."""
        for writer in writers:
            for at in range(bisect_left(self._commands, writer.start, key=_start), len(self._commands)):
                command = self._commands[at]
                if command.start > writer.end:
                    break
                if command.end <= writer.end and command.level == writer.level:
                    yield from _said(command)

    def only(self, references: Iterable[Found]) -> list[Found]:
        """Return those of *references* that some command prints as they are."""
        return [found for found in references if id(found) in self._said]

    def fed(self) -> list[Found]:
        """Return all references that any command prints, or reads from a text."""
        return [found for found in self._lexed.found if id(found) in self._said]

    @cached_property
    def _said(self) -> frozenset[int]:
        words = (word for command in self._commands for word in _said(command))
        return frozenset(id(found) for found in values(words))


def command_words(command: Command) -> list[Word]:
    """Return the words of *command* without the assignments in front."""
    for at, word in enumerate(command.words):
        if word.assigned is None:
            return command.words[at:]
    return []


def references(words: Iterable[Word]) -> list[Found]:
    """Return the references that stand in *words*."""
    return [found for word in words for found in word.references() if found.kind is Kind.REFERENCE]


def values(words: Iterable[Word]) -> list[Found]:
    """Return the references whose values *words* may have: those in commands whose output they are, too."""
    words = list(words)
    printed = (found for word in words for found in word.printed if not found.is_unprinted)
    return [*references(words), *(found for found in printed if found.kind is Kind.REFERENCE)]


def _said(command: Command) -> Sequence[Word]:
    """Return what *command* prints, or hands on."""
    words = command_words(command)
    return (*command.documents, *(words if speaks([word.text for word in words]) else ()))


def _start(command: Command) -> int:
    return command.start
