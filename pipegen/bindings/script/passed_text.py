"""The references that commands print, or that are handed on as input: what other commands then read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from pipegen.bindings.script.builtins import NAMES
from pipegen.bindings.script.calls import command_at, speaks
from pipegen.bindings.script.syntax import Lexed, ReferenceKind, ScriptReference, ShellCommand, Word


class Spoken:
    """What the commands of a script print."""

    def __init__(self, lexed: Lexed) -> None:
        self._lexed = lexed
        self._commands = sorted(lexed.commands, key=_start)

    def printed(self, writers: Iterable[ShellCommand]) -> Iterator[Word]:
        """Yield the words and texts that *writers*, earlier commands of a pipeline, print."""
        for writer in writers:
            for at in range(bisect_left(self._commands, writer.start, key=_start), len(self._commands)):
                command = self._commands[at]
                if command.start > writer.end:
                    break
                if command.end <= writer.end and command.level == writer.level:
                    yield from _said(command)
                    yield from self.said_by_functions((command,))

    def said_by_functions(self, commands: Iterable[ShellCommand]) -> list[Word]:
        """Return what functions that *commands* call may print: their arguments, and what any command prints."""
        names = self._lexed.functions
        called = [words for words in map(builtin_words, commands) if words and words[0].text in names] if names else []
        return [*(word for words in called for word in words), *(self.words if called else ())]

    def only(self, references: Iterable[ScriptReference]) -> list[ScriptReference]:
        """Return those of *references* that some command prints as they are."""
        return [found for found in references if id(found) in self._said]

    def fed(self) -> list[ScriptReference]:
        """Return all references that any command prints, or reads from a text."""
        return [found for found in self._lexed.found if id(found) in self._said]

    @cached_property
    def _said(self) -> frozenset[int]:
        return frozenset(id(found) for found in values(self.words))

    @cached_property
    def words(self) -> list[Word]:
        """All that any command prints, or reads from a text."""
        return [word for command in self._commands for word in _said(command)]

    def within(self, compound: ShellCommand) -> Iterator[ShellCommand]:
        """Yield the commands of *compound*, in which a command ends that holds others."""
        for at in range(bisect_left(self._commands, compound.start, key=_start), len(self._commands)):
            command = self._commands[at]
            if command.start > compound.end:
                return
            if command is not compound and command.end <= compound.end:
                yield command


def command_words(command: ShellCommand) -> list[Word]:
    """Return the words of *command* without the assignments in front."""
    for at, word in enumerate(command.words):
        if word.assigned is None:
            return command.words[at:]
    return []


def builtin_words(command: ShellCommand) -> list[Word]:
    """Return the words of *command* from its name on: without assignments, `command`, `builtin` and their like."""
    words = command_words(command)
    return words[command_at([word.text for word in words]) :]


def targets(command: ShellCommand) -> Iterator[str]:
    """Yield the variables that a loop or a builtin sets."""
    words = [word.text for word in builtin_words(command)]
    match words:
        case ["for" | "select", name, *_]:
            yield name
        case [name, *_] if name in NAMES:
            # Options among them are no names.
            yield from words[1:]


def references(words: Iterable[Word]) -> list[ScriptReference]:
    """Return the references that stand in *words*."""
    return [found for word in words for found in word.references() if found.kind is ReferenceKind.REFERENCE]


def values(words: Iterable[Word]) -> list[ScriptReference]:
    """Return the references whose values *words* may have: those in commands whose output they are, too."""
    words = list(words)
    printed = (found for word in words for found in word.printed if not found.is_unprinted)
    return [*references(words), *(found for found in printed if found.kind is ReferenceKind.REFERENCE)]


def _said(command: ShellCommand) -> Sequence[Word]:
    """Return what *command* prints, or hands on."""
    words = command_words(command)
    return (*command.documents, *(words if speaks([word.text for word in words]) else ()))


def _start(command: ShellCommand) -> int:
    return command.start
