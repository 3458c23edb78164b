"""Where statements of Groovy end, which no sign needs to show."""

from __future__ import annotations

from pipegen.readback.groovy import GroovyTokens, TokenKind

# A line that ends or begins with one of these signs continues in the next line, or from the one before.
_OPEN_SIGNS = frozenset(",+-*:?=&|<>!([.%")
_CONTINUING = frozenset(".?:&|+")
# Words before a head in parentheses and a body, which can be a statement on the next line.
_WITH_BODY = frozenset({"if", "for", "while"})
_AFTER_BLOCK = frozenset({"else", "catch", "finally"})
# Bodies without braces in each other, from which they are not read.
_DEEPEST = 50


class StatementEnds:
    """The ends of the statements in a file with this *text*; all positions are indexes of tokens."""

    def __init__(self, text: str, code: GroovyTokens) -> None:
        self._text = text
        self._code = code

    def of_statement(self, start: int, end: int, depth: int = 0) -> int:
        """Return the index after the statement at *start*: a line break ends it where it can."""
        code, index = self._code, start
        if code.word(start) in _WITH_BODY and code.is_sign(start + 1, "("):
            return min(self._end_of_compound(start, end, depth), end)
        while True:
            previous = index
            index = code.skip(index)
            if index >= end or code.is_sign(index, ";") or code.closes(index):
                return min(index, end)
            gap = self._text[code.tokens[index - 1].end : code.tokens[index].start]
            if "\n" not in gap or self._goes_on(index, previous):
                continue
            return index

    def of_body(self, start: int, end: int, depth: int = 0) -> int:
        """Return the index after the body at *start*, a block or a statement."""
        code = self._code
        if start >= end or code.is_sign(start, ";"):
            return start
        if depth > _DEEPEST:
            raise code.error(start, "too many statements are in each other without braces")
        return code.skip(start) if code.is_sign(start, "{") else self.of_statement(start, end, depth + 1)

    def other_branch(self, end: int, stop: int) -> int | None:
        """Return where the branch after `else` begins, which follows the one that ends at *end*; None without one."""
        at = end + self._code.is_sign(end, ";")
        return at + 1 if at < stop and self._code.is_word(at, "else") else None

    def _end_of_compound(self, start: int, end: int, depth: int) -> int:
        """Return the index after the `if` or loop at *start*, whose body need not have braces."""
        while True:
            stop = self.of_body(self._code.skip(start + 1), end, depth)
            other = self.other_branch(stop, end) if self._code.is_word(start, "if") else None
            if other is None:
                return stop
            if not self._code.is_word(other, "if") or not self._code.is_sign(other + 1, "("):
                return self.of_body(other, end, depth)
            start = other

    def _goes_on(self, index: int, previous: int) -> bool:
        """Return whether the statement continues at *index*, which begins a line, after the part at *previous*."""
        code = self._code
        last = code.tokens[index - 1]
        if last.kind is TokenKind.SIGN and last.text in _OPEN_SIGNS:
            # `import name.*` ends there.
            return last.text != "*" or not code.is_sign(index - 2, ".")
        token = code.tokens[index]
        if token.kind is TokenKind.SIGN and token.text in _CONTINUING:
            return True
        if code.is_sign(index, "{"):
            return last.text == ")" or last.kind is TokenKind.WORD
        return code.is_sign(previous, "{") and token.text in _AFTER_BLOCK
