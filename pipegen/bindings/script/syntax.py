"""The syntax that the lexer finds in a script: references, words, commands, pipelines. Positions are offsets."""

from __future__ import annotations

import re
from collections.abc import Sized
from enum import Enum

from pipegen.bindings.script.model import Context
from pipegen.structs import MutableStruct, field

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ASSIGNMENT = re.compile(rf"(?P<name>{_NAME})(?:\[[^\]]*\])?\+?=")
# Represents a reference in the text of a word.
PLACEHOLDER = "\ufffc"


class ReferenceKind(Enum):
    """A reference, an escaped one (`$${…}`), or text that looks like a reference with a misspelled stage."""

    REFERENCE = "reference"
    ESCAPED = "escaped"
    SUGGESTION = "possible typo"


class Obstacle(Enum):
    """The reason why a reference cannot be written as a quoted variable."""

    EVALUATED = "the shell evaluates it"
    PRINTED = "the shell evaluates what a command prints"
    DELIMITER = "a here-document's delimiter"
    PATTERN = "a pattern in a here-document"
    BACKTICK_DOCUMENT = "a quoted here-document in backticks"
    BACKTICK_ESCAPE = "an escape in backticks"
    ODD_DELIMITER = "a here-document whose delimiter needs its quotes"


class ScriptReference(MutableStruct, eq=False):
    """A reference, or text that looks like one; *match* has its groups.

    *level* counts the enclosing command substitutions. *document* is the quoted here-document that contains it.
    It *is_unprinted* if no output contains it: it names the file of a redirection, or its text is only counted.
    """

    kind: ReferenceKind
    start: int
    end: int
    match: re.Match[str]
    context: Context
    level: int
    obstacle: Obstacle | None
    document: HereDocument | None = None
    is_unprinted: bool = False


class HereDocument(MutableStruct, eq=False):
    """A quoted here-document: its delimiter as written and without quotes, and its body."""

    delimiter_start: int
    delimiter_end: int
    plain: str
    start: int = 0
    end: int = 0


class Expansion(MutableStruct, eq=False):
    """A `$NAME` or `${…}` that the shell expands; *name* is its variable, "" for none."""

    start: int
    end: int
    name: str


class Word(MutableStruct, eq=False):
    """A word without its quotes, and the references directly in it, each with its offset in *text*.

    The first *plain* characters are not quoted. In *text*, a variable is `$NAME`. *printed* are the references in
    command substitutions of the word, *streamed* those in process substitutions; *commands* are the commands in both.
    *elements* are the words of the array that it assigns: `NAME=(…)`.
    """

    start: int
    end: int = 0
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    plain: int = 0
    offset_references: list[tuple[int, ScriptReference]] = field(default_factory=list)
    printed: list[ScriptReference] = field(default_factory=list)
    streamed: list[ScriptReference] = field(default_factory=list)
    commands: list[ShellCommand] = field(default_factory=list)
    elements: list[Word] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Append *text*."""
        self.pieces.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """The text without quotes."""
        return "".join(self.pieces)

    def mark(self) -> tuple[int, ...]:
        """Return the current state, for `forget`."""
        lists: tuple[Sized, ...] = (
            self.pieces,
            self.offset_references,
            self.printed,
            self.streamed,
            self.commands,
            self.elements,
        )
        return (self.length, self.plain, *map(len, lists))

    def forget(self, mark: tuple[int, ...]) -> None:
        """Drop everything read since *mark*."""
        self.length, self.plain, pieces, references, printed, streamed, commands, elements = mark
        del self.pieces[pieces:]
        del self.offset_references[references:]
        del self.printed[printed:]
        del self.streamed[streamed:]
        del self.commands[commands:]
        del self.elements[elements:]

    @property
    def assigned(self) -> str | None:
        """The variable that the word sets; None if it is not an assignment."""
        match = _ASSIGNMENT.match(self.text)
        return match["name"] if match and match.end("name") < self.plain else None

    @property
    def value_start(self) -> int:
        """The offset in *text* where the value of the assignment starts."""
        match = _ASSIGNMENT.match(self.text)
        return match.end() if match else 0

    def references(self) -> list[ScriptReference]:
        """Return the references in the word."""
        return [reference for _, reference in self.offset_references]


class CommandForm(Enum):
    """The kind of a command: simple, `[[ … ]]`, or the words of an array."""

    SIMPLE = "simple"
    CONDITION = "condition"
    ARRAY = "array"


class ShellCommand(MutableStruct, eq=False):
    """A command: its words, the bodies of its here-documents and here-strings, and the `<(…)` that it reads as input.

    The end of a compound command (`done`, `}`) counts as a command that starts where the compound command starts.
    With *reads_file*, its input is a file.
    """

    start: int
    level: int
    form: CommandForm
    end: int = 0
    words: list[Word] = field(default_factory=list)
    documents: list[Word] = field(default_factory=list)
    streams: list[Word] = field(default_factory=list)
    reads_file: bool = False

    @property
    def is_compound(self) -> bool:
        """Whether it ends a compound command: then its first word is not a word of the script."""
        return bool(self.words) and not self.words[0].length and self.words[0].start == self.start


class Lexed(MutableStruct):
    """Everything that the lexer found, in the order it was read."""

    references: list[ScriptReference] = field(default_factory=list)
    commands: list[ShellCommand] = field(default_factory=list)
    pipelines: list[tuple[ShellCommand, ...]] = field(default_factory=list)
    expansions: list[Expansion] = field(default_factory=list)
    # The variables that `${NAME:=…}` sets, with the references in their values.
    defaults: list[tuple[str, list[ScriptReference]]] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    # The variables that are set to `( … )`.
    arrays: set[str] = field(default_factory=set)
    # The offsets of the commands outside all others that are the first on their line.
    line_starts: list[int] = field(default_factory=list)

    def mark(self) -> tuple[int, int, int, int]:
        """Return the current state, for `forget`."""
        return len(self.references), len(self.commands), len(self.pipelines), len(self.expansions)

    def forget(self, mark: tuple[int, int, int, int]) -> None:
        """Drop everything found since *mark*."""
        del self.references[mark[0] :]
        del self.commands[mark[1] :]
        del self.pipelines[mark[2] :]
        del self.expansions[mark[3] :]
