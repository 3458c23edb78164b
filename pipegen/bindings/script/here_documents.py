"""The lexer for here-documents."""

from __future__ import annotations

import re

from pipegen.bindings.script.cursor import LexerState, UnterminatedError, View
from pipegen.bindings.script.model import Context
from pipegen.bindings.script.syntax import HereDocument, Obstacle, ShellCommand, Word
from pipegen.bindings.script.words import Words
from pipegen.structs import MutableStruct

_DELIMITER = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;&|<>()'"\\])+""")
_ODD_DELIMITER = re.compile(r"""`|\$['"]|\n|\\.*['"]|['"].*\\""", re.DOTALL)
_QUOTE = re.compile(r"""\\(.)|['"]""")
# What stands bare as a delimiter; a dash in front would belong to `<<`.
_BARE = re.compile(r"[A-Za-z0-9_.!][A-Za-z0-9_.+:@%/,=!-]*")
_TEXT = re.compile(r"[^$]+")
_ENDS_IN_BACKSLASH = re.compile(r"(?<!\\)(?:\\\\)*\\$")


class Pending(MutableStruct):
    """A here-document whose text has not come yet; *document* is there when its delimiter is quoted."""

    place: int
    command: ShellCommand
    plain: str
    strips_tabs: bool
    document: HereDocument | None


class Documents(Words):
    """Reads here-documents: the delimiter where it stands, the text after the end of the line."""

    def __init__(self, view: View, shared: LexerState, *, level: int = 0, depth: int = 0) -> None:
        super().__init__(view, shared, level=level, depth=depth)
        self.pending: list[Pending] = []

    def delimiter(self, command: ShellCommand, *, strips_tabs: bool) -> None:
        """Take the delimiter of a here-document for *command*."""
        found = _DELIMITER.match(self.text, self.at)
        if found is None or _ODD_DELIMITER.search(found[0]) or self.text[found.end() : found.end() + 1] == "(":
            raise UnterminatedError(self.place, "this here-document has no plain delimiter")
        place = self.place
        self._report_references(found.end())
        self.at = found.end()
        plain = _QUOTE.sub(r"\1", found[0])
        document = HereDocument(place, self.place, plain) if plain != found[0] else None
        self.pending.append(Pending(place, command, plain, strips_tabs, document))

    def documents(self) -> None:
        """Take the texts of the here-documents of the line that has just ended."""
        pending, self.pending = self.pending, []
        for one in pending:
            self._document(one)

    def _document(self, pending: Pending) -> None:
        start = self.at
        end, after = self._end(pending)
        view = self.view.part(start, end)
        self.at = after
        lexer = self.inner(view, level=self.level)
        pending.command.documents.append(lexer.word)
        if pending.document is None:
            while not lexer.is_at_end:
                lexer.quoted_character(Context.DOCUMENT)
        else:
            pending.document.start, pending.document.end = view.places[0], view.places[-1]
            obstacle = self._obstacle(pending.document)
            while not lexer.is_at_end:
                if not (lexer.take_run(_TEXT) or lexer.reference(Context.DOCUMENT, obstacle)):
                    lexer.take()
            for _, found in lexer.word.found:
                found.document = pending.document

    def _end(self, pending: Pending) -> tuple[int, int]:
        """Return where the text ends and where the script goes on: with no delimiter, where everything ends."""
        at, before = self.at, ""
        while at < len(self.text):
            newline = self.text.find("\n", at)
            end = len(self.text) if newline < 0 else newline
            line = self.text[at:end]
            if (line.lstrip("\t") if pending.strips_tabs else line) == pending.plain:
                if pending.document is None and _ENDS_IN_BACKSLASH.search(before):
                    raise UnterminatedError(
                        pending.place,
                        "shells differ on where this here-document ends: a backslash stands before its last line",
                    )
                return at, min(end + 1, len(self.text))
            at, before = end + 1, line
        return len(self.text), len(self.text)

    def _obstacle(self, document: HereDocument) -> Obstacle | None:
        if self.view.ticks:
            return Obstacle.TICKED_DOCUMENT
        return None if _BARE.fullmatch(document.plain) else Obstacle.ODD_DELIMITER

    def _report_references(self, end: int) -> None:
        """Find references in a delimiter, where the shell expands nothing."""
        outer, self.word = self.word, Word(self.place)
        while self.at < end:
            if not (self.sees("$") and self.reference(Context.WORD, Obstacle.DELIMITER)):
                self.at += 1
        self.word = outer
