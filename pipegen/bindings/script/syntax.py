"""What the lexer finds in a script: references, words, commands, pipelines. Places are offsets in the script."""

from __future__ import annotations

import re
from collections.abc import Sized
from enum import Enum

from pipegen.bindings.script.model import Context
from pipegen.structs import MutableStruct, field

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ASSIGNMENT = re.compile(rf"(?P<name>{_NAME})(?:\[[^\]]*\])?\+?=")
# Stands in a word's text for a reference.
REFERENCE = "\ufffc"


class ReferenceKind(Enum):
    """What was found: a reference, its escape `$${…}`, or what looks like one with a stage's name mistyped."""

    REFERENCE = "reference"
    ESCAPED = "escaped"
    SUGGESTION = "near miss"


class Obstacle(Enum):
    """What keeps a reference from being written as a quoted variable."""

    EVALUATED = "the shell evaluates it"
    PRINTED = "the shell evaluates what a command prints"
    DELIMITER = "a here-document's delimiter"
    PATTERN = "a pattern in a here-document"
    TICKED_DOCUMENT = "a quoted here-document in backticks"
    TICKED_ESCAPE = "an escape in backticks"
    ODD_DELIMITER = "a here-document whose delimiter needs its quotes"


class ScriptReference(MutableStruct, eq=False):
    """A reference or what looks like one; *match* holds its groups.

    *level* counts the command substitutions around it. *document* is the quoted here-document that it stands in.
    It *is_unprinted* where no output holds it: it names a file that is redirected, or its text is only counted.
    """

    kind: ReferenceKind
    start: int
    end: int
    match: re.Match[str]
    context: Context
    level: int
    obstacle: Obstacle | None = None
    document: HereDocument | None = None
    is_unprinted: bool = False


class HereDocument(MutableStruct, eq=False):
    """A quoted here-document: its delimiter as written, with its quotes off, and its body."""

    delimiter_start: int
    delimiter_end: int
    plain: str
    start: int = 0
    end: int = 0


class Expansion(MutableStruct, eq=False):
    """A `$NAME` or `${…}` that the shell expands; *name* is its variable, "" where it has none."""

    start: int
    end: int
    name: str


class Word(MutableStruct, eq=False):
    """A word without its quotes; the references that stand directly in it, with where in *text*.

    The first *plain* characters are not quoted. In *text*, a variable stands as `$NAME`. *printed* are the references
    in command substitutions of the word, *streamed* those in process substitutions; *commands* are what runs in both.
    *elements* are the words of the array that it assigns: `NAME=(…)`.
    """

    start: int
    end: int = 0
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    plain: int = 0
    found: list[tuple[int, ScriptReference]] = field(default_factory=list)
    printed: list[ScriptReference] = field(default_factory=list)
    streamed: list[ScriptReference] = field(default_factory=list)
    commands: list[ShellCommand] = field(default_factory=list)
    elements: list[Word] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add *text* at the end."""
        self.pieces.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)

    def mark(self) -> tuple[int, ...]:
        """Return how much was read so far."""
        lists: tuple[Sized, ...] = (self.pieces, self.found, self.printed, self.streamed, self.commands, self.elements)
        return (self.length, self.plain, *map(len, lists))

    def forget(self, mark: tuple[int, ...]) -> None:
        """Drop what was read since *mark*."""
        self.length, self.plain, pieces, found, printed, streamed, commands, elements = mark
        del self.pieces[pieces:]
        del self.found[found:]
        del self.printed[printed:]
        del self.streamed[streamed:]
        del self.commands[commands:]
        del self.elements[elements:]

    @property
    def assigned(self) -> str | None:
        """The variable that the word sets, where it is an assignment."""
        match = _ASSIGNMENT.match(self.text)
        return match["name"] if match and match.end("name") < self.plain else None

    @property
    def value_start(self) -> int:
        """Where in *text* the value of the assignment starts."""
        match = _ASSIGNMENT.match(self.text)
        return match.end() if match else 0

    def references(self) -> list[ScriptReference]:
        """Return the references in the word."""
        return [found for _, found in self.found]


class CommandForm(Enum):
    """What kind of command it is: simple, `[[ … ]]`, or the words of an array."""

    SIMPLE = "simple"
    CONDITION = "condition"
    ARRAY = "array"


class ShellCommand(MutableStruct, eq=False):
    """A command: its words, what its here-documents and here-strings hold, and what `<(…)` hands it as input.

    A command that ends a compound one (`done`, `}`) starts where that starts. It *reads_file* for its input.
    """

    start: int
    level: int
    form: CommandForm = CommandForm.SIMPLE
    end: int = 0
    words: list[Word] = field(default_factory=list)
    documents: list[Word] = field(default_factory=list)
    streams: list[Word] = field(default_factory=list)
    reads_file: bool = False

    @property
    def is_compound(self) -> bool:
        """Whether it ends a compound command: then its first word is no word of the script."""
        return bool(self.words) and not self.words[0].length and self.words[0].start == self.start


class Lexed(MutableStruct):
    """All that was found, in the order it was read."""

    found: list[ScriptReference] = field(default_factory=list)
    commands: list[ShellCommand] = field(default_factory=list)
    pipelines: list[tuple[ShellCommand, ...]] = field(default_factory=list)
    expansions: list[Expansion] = field(default_factory=list)
    # What `${NAME:=…}` gives a variable: its name, and the references.
    defaults: list[tuple[str, list[ScriptReference]]] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)

    def mark(self) -> tuple[int, int, int, int]:
        """Return how much was found so far."""
        return len(self.found), len(self.commands), len(self.pipelines), len(self.expansions)

    def forget(self, mark: tuple[int, int, int, int]) -> None:
        """Drop what was found since *mark*."""
        del self.found[mark[0] :]
        del self.commands[mark[1] :]
        del self.pipelines[mark[2] :]
        del self.expansions[mark[3] :]
