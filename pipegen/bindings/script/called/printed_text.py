"""The references that commands print, or pass to other commands as input."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from pipegen.bindings.script.called.builtins import NAMES
from pipegen.bindings.script.called.calls import command_at, prints_arguments
from pipegen.bindings.script.syntax import Lexed, ReferenceKind, ScriptReference, ShellCommand, Word


class PrintedText:
    """The text that the commands of a script print."""

    def __init__(self, lexed: Lexed) -> None:
        self._lexed = lexed
        self._commands = sorted(lexed.commands, key=_start)

    def printed(self, writers: Iterable[ShellCommand]) -> Iterator[Word]:
        """Yield the words and here-documents that *writers*, earlier commands of a pipeline, print."""
        for writer in writers:
            for at in range(bisect_left(self._commands, writer.start, key=_start), len(self._commands)):
                command = self._commands[at]
                if command.start > writer.end:
                    break
                if command.end <= writer.end and command.level == writer.level:
                    yield from _printed_words(command)
                    yield from self.printed_by_functions((command,))

    def printed_by_functions(self, commands: Iterable[ShellCommand]) -> list[Word]:
        """Return the words that functions called by *commands* may print: their arguments and all printed words."""
        names = self._lexed.functions
        called = [words for words in map(builtin_words, commands) if words and words[0].text in names] if names else []
        return [*(word for words in called for word in words), *(self.words if called else ())]

    def printed_among(self, references: Iterable[ScriptReference]) -> list[ScriptReference]:
        """Return the *references* that some command prints."""
        return [reference for reference in references if id(reference) in self._printed_ids]

    def all_references(self) -> list[ScriptReference]:
        """Return all references that a command prints or reads from a here-document."""
        return [reference for reference in self._lexed.references if id(reference) in self._printed_ids]

    @cached_property
    def _printed_ids(self) -> frozenset[int]:
        return frozenset(id(reference) for reference in values(self.words))

    @cached_property
    def words(self) -> list[Word]:
        """All words that a command prints or reads from a here-document."""
        return [word for command in self._commands for word in _printed_words(command)]

    def within(self, compound: ShellCommand) -> Iterator[ShellCommand]:
        """Yield the commands inside the compound command that ends at *compound*."""
        for at in range(bisect_left(self._commands, compound.start, key=_start), len(self._commands)):
            command = self._commands[at]
            if command.start > compound.end:
                return
            if command is not compound and command.end <= compound.end:
                yield command


def command_words(command: ShellCommand) -> list[Word]:
    """Return the words of *command* without leading assignments."""
    for at, word in enumerate(command.words):
        if word.assigned is None:
            return command.words[at:]
    return []


def builtin_words(command: ShellCommand) -> list[Word]:
    """Return the words of *command* from its name on, without assignments, `command`, `builtin` and similar words."""
    words = command_words(command)
    return words[command_at([word.text for word in words]) :]


def targets(command: ShellCommand) -> Iterator[str]:
    """Yield the variables that a loop or a builtin sets."""
    words = [word.text for word in builtin_words(command)]
    match words:
        case ["for" | "select", name, *_]:
            yield name
        case [name, *_] if name in NAMES:
            # Options among them are not names, and match no variable.
            yield from words[1:]


def references(words: Iterable[Word]) -> list[ScriptReference]:
    """Return the references in *words*."""
    return [reference for word in words for reference in word.references() if reference.kind is ReferenceKind.REFERENCE]


def values(words: Iterable[Word]) -> list[ScriptReference]:
    """Return the references whose values *words* may contain, including those printed by command substitutions."""
    words = list(words)
    printed = (reference for word in words for reference in word.printed if not reference.is_unprinted)
    return [*references(words), *(reference for reference in printed if reference.kind is ReferenceKind.REFERENCE)]


def _printed_words(command: ShellCommand) -> Sequence[Word]:
    """Return the words that *command* prints, and its here-documents."""
    words = command_words(command)
    return (*command.documents, *(words if prints_arguments([word.text for word in words]) else ()))


def _start(command: ShellCommand) -> int:
    return command.start
