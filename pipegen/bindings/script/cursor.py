"""A place in a script, and the references that begin there."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pipegen.bindings.script.model import RESERVED_NAMESPACES, Context
from pipegen.bindings.script.syntax import REFERENCE, Lexed, Obstacle, ReferenceKind, ScriptReference, Word
from pipegen.diagnostics.report import closest
from pipegen.structs import MutableStruct, Struct, field

_REFERENCE = re.compile(
    r"(?P<escape>\$?)\$\{(?P<namespace>[A-Za-z0-9_-]*)"
    r"(?:\[(?P<combinations>[^\]{}$\"'`\\\n]*)\])?"
    r"\.(?P<name>[A-Za-z0-9._-]+)(?:\|(?P<default>[^}]*))?\}"
)
# Half of the letters in place would make `${project.version}` of Maven a stage "product".
_NEAR = 0.75


class UnterminatedError(Exception):
    """Raised where the script cannot be followed: what was opened at *place* does not end."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.place = place
        self.what = what


class View(Struct):
    """Text as the shell reads it, and where each character, and the end, stand in the script.

    Backticks take backslashes off what they hold; then the two differ.
    """

    text: str
    places: Sequence[int]
    ticks: int = 0

    def part(self, start: int, end: int) -> View:
        """Return the view of a stretch."""
        return View(self.text[start:end], self.places[start : end + 1], self.ticks)

    def unticked(self, start: int, end: int, *, is_quoted: bool) -> View:
        """Return what the command between two backticks is; *is_quoted* if double quotes hold them."""
        escapes = '$`\\"' if is_quoted else "$`\\"
        kept = []
        at = start
        while at < end:
            at += self.text[at] == "\\" and at + 1 < end and self.text[at + 1] in escapes
            kept.append(at)
            at += 1
        text = "".join(self.text[at] for at in kept)
        return View(text, [self.places[at] for at in (*kept, end)], self.ticks + 1)


class LexerState(MutableStruct, eq=False):
    """What the lexers of all views of a script share."""

    script: str
    stages: Collection[str]
    lexed: Lexed = field(default_factory=Lexed)
    # Whether `((` at a place of the script begins arithmetic: worked out once, so that nesting costs no time.
    arithmetic: dict[tuple[int, int], bool] = field(default_factory=dict)
    nearest: dict[str, str | None] = field(default_factory=dict)

    def near(self, namespace: str) -> str | None:
        """Return the stage that *namespace* most likely means; it may stand there a thousand times."""
        if namespace not in self.nearest:
            self.nearest[namespace] = near_namespace(namespace, self.stages)
        return self.nearest[namespace]


class Cursor:
    """A place in a view: *at*; *word* is the word that is being read."""

    def __init__(self, view: View, shared: LexerState, *, level: int = 0, depth: int = 0) -> None:
        self.view = view
        self.text = view.text
        self.shared = shared
        self.lexed = shared.lexed
        self.level = level
        self.depth = depth
        self.at = 0
        self.word = Word(view.places[0])
        self.evaluation: Obstacle | None = None
        self.is_file = False

    @property
    def place(self) -> int:
        """Where the cursor stands in the script."""
        return self.view.places[self.at]

    @property
    def is_at_end(self) -> bool:
        """Whether all is read."""
        return self.at >= len(self.text)

    def sees(self, text: str) -> bool:
        """Return whether *text* comes next."""
        return self.text.startswith(text, self.at)

    def take(self, length: int = 1, *, plain: bool = False) -> None:
        """Take characters into the word; *plain* ones are not quoted."""
        self._take(self.text[self.at : self.at + length], plain=plain)

    def take_run(self, run: re.Pattern[str], *, plain: bool = False) -> bool:
        """Take the characters that *run* matches here, if it matches; return whether."""
        found = run.match(self.text, self.at)
        if found is not None:
            self._take(found[0], plain=plain)
        return found is not None

    def _take(self, taken: str, *, plain: bool) -> None:
        word = self.word
        if plain and word.plain == word.length:
            word.plain += len(taken)
        word.add(taken)
        self.at += len(taken)

    def reference(self, context: Context, obstacle: Obstacle | None = None, *, expands: bool = False) -> bool:
        """Take the reference that begins here, if one does; return whether.

        Where the shell *expands* what is not ours, a near miss is an expansion that it refuses.
        """
        match = _REFERENCE.match(self.text, self.at)
        if match is None or self._is_backslashed():
            return False
        kind = self._kind(match)
        if kind is None or (expands and kind is ReferenceKind.SUGGESTION):
            return False
        if self.evaluation is not None and kind is ReferenceKind.REFERENCE:
            obstacle = self.evaluation
        if kind is ReferenceKind.ESCAPED and self.view.ticks:
            obstacle = Obstacle.TICKED_ESCAPE
        # Not the place of what comes after: where that is in backticks, a backslash stands between.
        end = self.view.places[match.end() - 1] + 1
        found = ScriptReference(kind, self.place, end, match, context, self.level, obstacle, is_unprinted=self.is_file)
        self.lexed.found.append(found)
        self.word.found.append((self.word.length, found))
        self.word.add(REFERENCE)
        self.at = match.end()
        return True

    def _kind(self, match: re.Match[str]) -> ReferenceKind | None:
        """Return what *match* is; None for what is the shell's."""
        namespace = match["namespace"]
        if namespace in RESERVED_NAMESPACES or namespace in self.shared.stages:
            return ReferenceKind.ESCAPED if match["escape"] else ReferenceKind.REFERENCE
        if match["escape"] or not self.shared.near(namespace):
            return None
        return ReferenceKind.SUGGESTION

    def _is_backslashed(self) -> bool:
        """Return whether a backslash stands before it that only backticks take away."""
        before = self.place - 1
        is_kept = self.at > 0 and self.view.places[self.at - 1] == before
        return self.view.ticks > 0 and not is_kept and self.shared.script[before] == "\\"


def written(match: re.Match[str]) -> str:
    """Return the reference as written, without its default."""
    combinations = f"[{match['combinations']}]" if match["combinations"] is not None else ""
    return f"${{{match['namespace']}{combinations}.{match['name']}}}"


def near_namespace(namespace: str, stages: Collection[str]) -> str | None:
    """Return the stage, or the name of ours, that *namespace* most likely means."""
    known = [*stages, *(name for name in RESERVED_NAMESPACES if name)]
    return closest(namespace, known, cutoff=_NEAR)


def has_references(text: str) -> bool:
    """Return whether *text* may hold a reference: where it does not, no way to read it finds one."""
    return "${" in text and _REFERENCE.search(text) is not None


def references_in(text: str, start: int, stages: Collection[str]) -> list[re.Match[str]]:
    """Return what would be references in *text* from *start* on, wherever they stand."""
    known = {*RESERVED_NAMESPACES, *stages}
    return [match for match in _REFERENCE.finditer(text, start) if match["namespace"] in known and not match["escape"]]
