"""The lexer for words, blanks and comments."""

from __future__ import annotations

import re

from pipegen.bindings.script.cursor import UnterminatedError
from pipegen.bindings.script.expansions import Expansions
from pipegen.bindings.script.syntax import Word

_BLANKS = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_ENDS_WORD = " \t\n;&|<>()"


class Words(Expansions):
    """Reads words, blanks and comments."""

    # Whether the word may be `NAME[…]=…`, and whether it may be `[…]=…`.
    is_assignable = is_element = False

    def read_word(self) -> Word:
        """Read and return a word; an empty one if none begins here."""
        outer, self.word = self.word, Word(self.offset)
        try:
            while self.at < len(self.text):
                if self.text[self.at] == "[" and self._is_subscript():
                    self._subscript()
                elif self.text[self.at] not in _ENDS_WORD:
                    self.word_character()
                elif self.starts_with("<(") or self.starts_with(">("):
                    self.substitution()
                elif self.starts_with("(") and self._is_pattern_list():
                    self._group()
                elif self.starts_with("(") and self._is_array():
                    self.array()
                else:
                    break
            self.word.end = self.offset
            return self.word
        finally:
            self.word = outer

    def read_regex(self) -> Word:
        """Read the word after `=~`, in which `|` and parentheses need no quotes."""
        outer, self.word = self.word, Word(self.offset)
        try:
            while not self.is_at_end and self.text[self.at] not in " \t\n":
                if self.starts_with("("):
                    self._group()
                else:
                    self.word_character()
            self.word.end = self.offset
            return self.word
        finally:
            self.word = outer

    def blanks(self) -> None:
        """Skip blanks and a comment."""
        match = _BLANKS.match(self.text, self.at)
        self.at = match.end() if match is not None else self.at

    def _is_pattern_list(self) -> bool:
        """Return whether the parenthesis here is bash's `@(a|b)`; `!(a)` alone is a negated subshell."""
        word = self.word
        has_pattern_operator = bool(word.pieces) and word.pieces[-1].endswith(("?", "*", "+", "@", "!"))
        return has_pattern_operator and word.plain == word.length and (word.length > 1 or word.text != "!")

    def _is_array(self) -> bool:
        word = self.word
        is_empty = bool(word.pieces) and word.pieces[-1].endswith("=")
        return is_empty and word.assigned is not None and word.value_start == word.length

    def _is_subscript(self) -> bool:
        """Return whether the `[` here begins a subscript: after a name, or at the start, as in `([1 + 1]=a)`."""
        word = self.word
        if not word.length:
            return self.is_element
        return self.is_assignable and word.plain == word.length and word.text.isidentifier()

    def _subscript(self) -> None:
        """Read a subscript up to its `]`, in which blanks and operators do not end the word."""
        opened, open_brackets = self.offset, 0
        with self.reading(is_evaluated=True):
            while not self.is_at_end:
                open_brackets += self.starts_with("[") - self.starts_with("]")
                if not open_brackets:
                    return
                if self.text[self.at] in _ENDS_WORD:
                    self.consume(plain=True)
                else:
                    self.word_character()
        raise UnterminatedError(opened, "this bracket is not closed")

    def _group(self) -> None:
        """Read text in parentheses that is part of the word."""
        opened, open_parentheses = self.offset, 0
        while not self.is_at_end:
            open_parentheses += self.starts_with("(") - self.starts_with(")")
            self.word_character()
            if not open_parentheses:
                return
        raise UnterminatedError(opened, "this parenthesis is not closed")
