"""A position in a script, and the references that begin there."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pipegen.bindings.grammar import REFERENCE
from pipegen.bindings.script.model import RESERVED_NAMESPACES, Context
from pipegen.bindings.script.syntax import PLACEHOLDER, Lexed, Obstacle, ReferenceKind, ScriptReference, Word
from pipegen.diagnostics.report import closest
from pipegen.structs import MutableStruct, Struct, field

_REFERENCE = re.compile(r"(?P<escape>\$?)\$\{" + REFERENCE)
# With the usual cutoff, Maven's `${project.version}` would be taken for a stage "product".
_CUTOFF = 0.75


class UnterminatedError(Exception):
    """Raised where the lexer cannot continue: the construct opened at *offset* does not end."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


class View(Struct):
    """Text as the shell reads it, with the offset of each character, and of the end, in the script.

    The text differs from the script inside backticks, which remove a level of backslashes.
    """

    text: str
    offsets: Sequence[int]
    backtick_depth: int = 0

    def part(self, start: int, end: int) -> View:
        """Return the view of a part of the text."""
        return View(self.text[start:end], self.offsets[start : end + 1], self.backtick_depth)

    def without_backticks(self, start: int, end: int, *, is_quoted: bool) -> View:
        """Return the command between two backticks; *is_quoted* if they are inside double quotes."""
        escapes = '$`\\"' if is_quoted else "$`\\"
        positions = []
        at = start
        while at < end:
            at += self.text[at] == "\\" and at + 1 < end and self.text[at + 1] in escapes
            positions.append(at)
            at += 1
        text = "".join(self.text[at] for at in positions)
        return View(text, [self.offsets[at] for at in (*positions, end)], self.backtick_depth + 1)


class LexerState(MutableStruct, eq=False):
    """State shared by the lexers of all views of a script."""

    script: str
    stages: Collection[str]
    lexed: Lexed = field(default_factory=Lexed)
    # Whether `((` at an offset begins arithmetic: decided once, so that nesting stays linear.
    arithmetic: dict[tuple[int, int], bool] = field(default_factory=dict)
    suggestions: dict[str, str | None] = field(default_factory=dict)

    def suggest(self, namespace: str) -> str | None:
        """Return the stage that *namespace* is probably a typo of, cached."""
        if namespace not in self.suggestions:
            self.suggestions[namespace] = suggest_namespace(namespace, self.stages)
        return self.suggestions[namespace]


class Cursor:
    """A position *at* in a view; *word* is the word that is being read."""

    def __init__(self, view: View, shared: LexerState, *, level: int = 0, depth: int = 0) -> None:
        self.view = view
        self.text = view.text
        self.shared = shared
        self.lexed = shared.lexed
        self.level = level
        self.depth = depth
        self.at = 0
        self.word = Word(view.offsets[0])
        self.evaluation: Obstacle | None = None
        self.is_file = False

    @property
    def offset(self) -> int:
        """The position as an offset in the script."""
        return self.view.offsets[self.at]

    @property
    def is_at_end(self) -> bool:
        """Whether the whole text is read."""
        return self.at >= len(self.text)

    def starts_with(self, text: str) -> bool:
        """Return whether *text* starts at the cursor."""
        return self.text.startswith(text, self.at)

    def consume(self, length: int = 1, *, plain: bool = False) -> None:
        """Append the next characters to the word; *plain* ones are not quoted."""
        self._consume(self.text[self.at : self.at + length], plain=plain)

    def consume_run(self, run: re.Pattern[str], *, plain: bool = False) -> bool:
        """Append the characters that *run* matches here; return whether it matches."""
        match = run.match(self.text, self.at)
        if match is not None:
            self._consume(match[0], plain=plain)
        return match is not None

    def _consume(self, taken: str, *, plain: bool) -> None:
        word = self.word
        if plain and word.plain == word.length:
            word.plain += len(taken)
        word.add(taken)
        self.at += len(taken)

    def reference(self, context: Context, obstacle: Obstacle | None = None, *, expands: bool = False) -> bool:
        """Append the reference that begins here, if any; return whether there is one.

        If the shell *expands* the text, a possible typo is an expansion that the shell refuses.
        """
        match = _REFERENCE.match(self.text, self.at)
        if match is None or self._is_backslashed():
            return False
        kind = self._kind(match)
        if kind is None or (expands and kind is ReferenceKind.SUGGESTION):
            return False
        if self.evaluation is not None and kind is ReferenceKind.REFERENCE:
            obstacle = self.evaluation
        if kind is ReferenceKind.ESCAPED and self.view.backtick_depth:
            obstacle = Obstacle.BACKTICK_ESCAPE
        # Not the offset of the next character: inside backticks, a backslash may come between.
        end = self.view.offsets[match.end() - 1] + 1
        reference = ScriptReference(
            kind, self.offset, end, match, context, self.level, obstacle, is_unprinted=self.is_file
        )
        self.lexed.references.append(reference)
        self.word.offset_references.append((self.word.length, reference))
        self.word.add(PLACEHOLDER)
        self.at = match.end()
        return True

    def _kind(self, match: re.Match[str]) -> ReferenceKind | None:
        """Return the kind of *match*; None for an expansion of the shell."""
        namespace = match["namespace"]
        if namespace in RESERVED_NAMESPACES or namespace in self.shared.stages:
            return ReferenceKind.ESCAPED if match["escape"] else ReferenceKind.REFERENCE
        if match["escape"] or not self.shared.suggest(namespace):
            return None
        return ReferenceKind.SUGGESTION

    def _is_backslashed(self) -> bool:
        """Return whether a backslash that backticks remove comes before the cursor."""
        previous_offset = self.offset - 1
        is_in_view = self.at > 0 and self.view.offsets[self.at - 1] == previous_offset
        return self.view.backtick_depth > 0 and not is_in_view and self.shared.script[previous_offset] == "\\"


def written(match: re.Match[str]) -> str:
    """Return the reference as written, without its default."""
    combinations = f"[{match['combinations']}]" if match["combinations"] is not None else ""
    return f"${{{match['namespace']}{combinations}.{match['name']}}}"


def suggest_namespace(namespace: str, stages: Collection[str]) -> str | None:
    """Return the stage or reserved namespace that *namespace* is probably a typo of."""
    known = [*stages, *(name for name in RESERVED_NAMESPACES if name)]
    return closest(namespace, known, cutoff=_CUTOFF)


def has_references(text: str) -> bool:
    """Return whether *text* may contain a reference, however the shell reads it."""
    return "${" in text and _REFERENCE.search(text) is not None


def references_in(text: str, start: int, stages: Collection[str]) -> list[re.Match[str]]:
    """Return the matches of references in *text* from *start* on, in any context."""
    known = {*RESERVED_NAMESPACES, *stages}
    return [match for match in _REFERENCE.finditer(text, start) if match["namespace"] in known and not match["escape"]]
