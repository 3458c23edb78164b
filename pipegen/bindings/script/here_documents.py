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
# A delimiter that needs no quotes; a leading hyphen would belong to `<<`.
_BARE = r"[A-Za-z0-9_.!][A-Za-z0-9_.+:@%/,=!-]*"
_TEXT = re.compile(r"[^$]+")
_ENDS_IN_BACKSLASH = r"(?<!\\)(?:\\\\)*\\$"


class Pending(MutableStruct):
    """A here-document whose body is not read yet; *document* is None unless its delimiter is quoted."""

    offset: int
    command: ShellCommand
    plain: str
    strips_tabs: bool
    document: HereDocument | None


class Documents(Words):
    """Reads here-documents: the delimiter in its line, the body after the end of the line."""

    def __init__(self, view: View, shared: LexerState, *, level: int = 0, depth: int = 0) -> None:
        super().__init__(view, shared, level=level, depth=depth)
        self.pending: list[Pending] = []

    def delimiter(self, command: ShellCommand, *, strips_tabs: bool) -> None:
        """Read the delimiter of a here-document of *command*."""
        match = _DELIMITER.match(self.text, self.at)
        if match is None or _ODD_DELIMITER.search(match[0]) or self.text[match.end() : match.end() + 1] == "(":
            raise UnterminatedError(self.offset, "this here-document has no plain delimiter")
        start = self.offset
        self._report_references(match.end())
        self.at = match.end()
        plain = _QUOTE.sub(r"\1", match[0])
        document = HereDocument(start, self.offset, plain) if plain != match[0] else None
        self.pending.append(Pending(start, command, plain, strips_tabs, document))

    def documents(self) -> None:
        """Read the bodies of the here-documents of the line that has just ended."""
        pending, self.pending = self.pending, []
        for pending_document in pending:
            self._document(pending_document)

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
            pending.document.start, pending.document.end = view.offsets[0], view.offsets[-1]
            obstacle = self._obstacle(pending.document)
            while not lexer.is_at_end:
                if not (lexer.consume_run(_TEXT) or lexer.reference(Context.DOCUMENT, obstacle)):
                    lexer.consume()
            for _, reference in lexer.word.offset_references:
                reference.document = pending.document

    def _end(self, pending: Pending) -> tuple[int, int]:
        """Return where the body ends and where the script continues; without a delimiter, the end of the text."""
        at, previous_line = self.at, ""
        while at < len(self.text):
            newline = self.text.find("\n", at)
            end = len(self.text) if newline < 0 else newline
            line = self.text[at:end]
            if (line.lstrip("\t") if pending.strips_tabs else line) == pending.plain:
                if pending.document is None and re.search(_ENDS_IN_BACKSLASH, previous_line):
                    raise UnterminatedError(
                        pending.offset,
                        "shells differ on where this here-document ends: a backslash stands before its last line",
                    )
                return at, min(end + 1, len(self.text))
            at, previous_line = end + 1, line
        return len(self.text), len(self.text)

    def _obstacle(self, document: HereDocument) -> Obstacle | None:
        if self.view.backtick_depth:
            return Obstacle.BACKTICK_DOCUMENT
        return None if re.fullmatch(_BARE, document.plain) else Obstacle.ODD_DELIMITER

    def _report_references(self, end: int) -> None:
        """Record references in a delimiter, where the shell expands nothing."""
        outer, self.word = self.word, Word(self.offset)
        while self.at < end:
            if not (self.starts_with("$") and self.reference(Context.WORD, Obstacle.DELIMITER)):
                self.at += 1
        self.word = outer
