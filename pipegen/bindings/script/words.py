"""The lexer for words, and for what stands between them."""

from __future__ import annotations

import re

from pipegen.bindings.script.cursor import UnterminatedError
from pipegen.bindings.script.expansions import Expansions
from pipegen.bindings.script.syntax import Word

_BLANKS = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_ENDS_WORD = " \t\n;&|<>()"


class Words(Expansions):
    """Reads words, blanks and comments."""

    # Where a word may be `NAME[…]=…`, and where it may be `[…]=…`.
    is_assignable = is_element = False

    def read_word(self) -> Word:
        """Take a word; one without characters where none begins."""
        outer, self.word = self.word, Word(self.place)
        try:
            while self.at < len(self.text):
                if self.text[self.at] == "[" and self._is_subscript():
                    self._subscript()
                elif self.text[self.at] not in _ENDS_WORD:
                    self.word_character()
                elif self.sees("<(") or self.sees(">("):
                    self.substitution(2)
                elif self.sees("(") and self._is_pattern_list():
                    self._group()
                elif self.sees("(") and self._is_array():
                    self.array()
                else:
                    break
            self.word.end = self.place
            return self.word
        finally:
            self.word = outer

    def read_regex(self) -> Word:
        """Take the word after `=~`, in which `|` and parentheses may stand bare."""
        outer, self.word = self.word, Word(self.place)
        try:
            while not self.is_at_end and self.text[self.at] not in " \t\n":
                if self.sees("("):
                    self._group()
                else:
                    self.word_character()
            self.word.end = self.place
            return self.word
        finally:
            self.word = outer

    def blanks(self) -> None:
        """Skip blanks and a comment."""
        found = _BLANKS.match(self.text, self.at)
        self.at = found.end() if found is not None else self.at

    def _is_pattern_list(self) -> bool:
        """Return whether the parenthesis here is bash's `@(a|b)`; `!(a)` alone is a negated subshell elsewhere."""
        word = self.word
        ends_so = bool(word.pieces) and word.pieces[-1].endswith(("?", "*", "+", "@", "!"))
        return ends_so and word.plain == word.length and (word.length > 1 or word.text != "!")

    def _is_array(self) -> bool:
        word = self.word
        is_empty = bool(word.pieces) and word.pieces[-1].endswith("=")
        return is_empty and word.assigned is not None and word.value_start == word.length

    def _is_subscript(self) -> bool:
        """Return whether the `[` here begins a subscript: behind a name, or in front of all, as in `([1 + 1]=a)`."""
        word = self.word
        if not word.length:
            return self.is_element
        return self.is_assignable and word.plain == word.length and word.text.isidentifier()

    def _subscript(self) -> None:
        """Take a subscript up to its `]`: what ends words elsewhere ends none there."""
        opened, open_brackets = self.place, 0
        with self.reading(is_evaluated=True):
            while not self.is_at_end:
                open_brackets += self.sees("[") - self.sees("]")
                if not open_brackets:
                    return
                if self.text[self.at] in _ENDS_WORD:
                    self.take(plain=True)
                else:
                    self.word_character()
        raise UnterminatedError(opened, "this bracket is not closed")

    def _group(self) -> None:
        """Take text in parentheses that ends no word."""
        opened, open_parentheses = self.place, 0
        while not self.is_at_end:
            open_parentheses += self.sees("(") - self.sees(")")
            self.word_character()
            if not open_parentheses:
                return
        raise UnterminatedError(opened, "this parenthesis is not closed")
