"""What `$`, backticks and quotes begin: the lexer for the inside of words."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from pipegen.bindings.script.cursor import Cursor, UnterminatedError, View
from pipegen.bindings.script.model import Context
from pipegen.bindings.script.syntax import Expansion, Obstacle, Word

_PARAMETER = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED = re.compile(r"\$\{[#!]?([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])")
# bash 5.3 and ksh run what stands in these.
_COMMANDS = re.compile(r"\$\{[ \t\n|]")
_SIMPLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_DEFAULT_OPERATOR = re.compile(r":?[-=?+]")
_SETS = re.compile(r":?=")
_PATTERN_OPERATOR = re.compile(r"[#%/^,~]")
# Deeper than anyone nests, and within what Python's stack takes.
_DEEPEST = 60
# Characters that mean themselves and end nothing: in single quotes, where quotes mean nothing, in a bare word.
_SINGLE_RUN = re.compile(r"[^'$]+")
_QUOTED_RUN = re.compile(r"""[^"'$\\`()}\]]+""")
_PLAIN_RUN = re.compile(r"[A-Za-z0-9_./:=@%+,-]+")
# Characters of ASCII by their codes.
_ANSI_CODE = re.compile(r"\\(?:x|[uU]0*)(?P<hex>[0-7]?[0-9A-Fa-f])(?![0-9A-Fa-f])|\\(?P<octal>[01]?[0-7]{1,2})")
_OLD_ARITHMETIC = re.compile(r"""\$\[[^]"'\n]*\]""")
_ODD_ARITHMETIC = re.compile(r"\$\[[^]\n]*\$\{")


class Expansions(Cursor, ABC):
    """Reads quotes and expansions; what stands in `$( )` is read as commands."""

    @abstractmethod
    def program(self, closer: str, opened: int) -> None:
        """Read commands up to and with *closer*, which ends what was opened at *opened*."""

    @abstractmethod
    def array(self) -> None:
        """Take the `( … )` of an array that is assigned."""

    @abstractmethod
    def inner(self, view: View, *, level: int) -> Expansions:
        """Return a lexer for *view*, which stands in this one."""

    def dollar(self, context: Context) -> None:
        """Take what the `$` here begins."""
        if self.reference(context, expands=True):
            return
        if self.sees("${"):
            self._braced(context)
        elif self.sees("$(("):
            self._double_parenthesis()
        elif self.sees("$("):
            self.substitution(2)
        elif found := _OLD_ARITHMETIC.match(self.text, self.at):
            self._arithmetic_up_to(found.end())
        elif _ODD_ARITHMETIC.match(self.text, self.at):
            raise UnterminatedError(self.place, "shells differ on where this arithmetic ends: write $(( … ))")
        elif context is Context.WORD and self.sees("$'"):
            self.at += 1
            self.ansi()
        elif context is Context.WORD and self.sees('$"'):
            # A text to be translated; its `$` is no part of it.
            self.at += 1
        elif found := _PARAMETER.match(self.text, self.at):
            start = self.place
            self.take(found.end() - found.start())
            self._expanded(start, found[0][1:])
        else:
            self.take()

    def _expanded(self, start: int, name: str) -> None:
        """Note the expansion of the variable *name* from *start* to here."""
        # Not the place of what comes after: where that is in backticks, a backslash stands between.
        self.lexed.expansions.append(Expansion(start, self.view.places[self.at - 1] + 1, name))

    def substitution(self, opening: int) -> None:
        """Take a `$( … )`, `<( … )` or `>( … )`; its opening has so many characters."""
        opened, first, is_stream = self.place, len(self.lexed.found), not self.sees("$")
        first_command = len(self.lexed.commands)
        with self.nested(opened):
            self.at += opening
            self.program(")", opened)
        (self.word.streamed if is_stream else self.word.printed).extend(self.lexed.found[first:])
        self.word.commands += self.lexed.commands[first_command:]
        self.word.add("$")

    def backticks(self, context: Context) -> None:
        """Take what stands between two backticks, read as the shell does: first a level of backslashes goes."""
        opened, start, first = self.place, self.at + 1, len(self.lexed.found)
        first_command = len(self.lexed.commands)
        end = start
        while end < len(self.text) and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise UnterminatedError(opened, "this backtick is not closed")
        view = self.view.unticked(start, end, is_quoted=context is Context.DOUBLE)
        with self.nested(opened):
            inner = self.inner(view, level=self.level)
            inner.evaluation = self.evaluation
            inner.program("", opened)
        self.word.printed += self.lexed.found[first:]
        self.word.commands += self.lexed.commands[first_command:]
        self.word.add("$")
        self.at = end + 1

    def single(self) -> None:
        """Take a text in single quotes."""
        opened = self.place
        self.at += 1
        while not self.is_at_end:
            if self.sees("'"):
                self.at += 1
                return
            if not (self.take_run(_SINGLE_RUN) or self.reference(Context.SINGLE)):
                self.take()
        raise UnterminatedError(opened, "this quote is not closed")

    def ansi(self) -> None:
        """Take the rest of a `$'…'`."""
        opened = self.place
        self.at += 1
        while not self.is_at_end:
            if self.sees("'"):
                self.at += 1
                return
            if code := _ANSI_CODE.match(self.text, self.at):
                self.word.add(chr(int(code["hex"] or code["octal"], 16 if code["hex"] else 8)))
                self.at = code.end()
            elif self.sees("\\"):
                self.take(2)
            elif not (self.sees("$") and self.reference(Context.ANSI)):
                self.take()
        raise UnterminatedError(opened, "this quote is not closed")

    def double(self, context: Context = Context.DOUBLE) -> None:
        """Take a text in double quotes."""
        opened = self.place
        self.at += 1
        while self.at < len(self.text):
            if self.text[self.at] == '"':
                self.at += 1
                return
            self.quoted_character(context)
        raise UnterminatedError(opened, "this quote is not closed")

    def quoted_character(self, context: Context) -> None:
        """Take characters, or what the one here begins, where blanks and quotes mean nothing."""
        if self.take_run(_QUOTED_RUN):
            return
        match self.text[self.at]:
            case "\\":
                self.take(2)
            case "$":
                self.dollar(context)
            case "`":
                self.backticks(context)
            case _:
                self.take()

    def word_character(self) -> None:
        """Take characters of a word, or what the one here begins."""
        if self.take_run(_PLAIN_RUN, plain=True):
            return
        match self.text[self.at]:
            case "\\" if self.sees("\\\n"):
                self.at += 2
            case "\\":
                self.at += 1
                self.take()
            case "'":
                self.single()
            case '"':
                self.double()
            case "$":
                self.dollar(Context.WORD)
            case "`":
                self.backticks(Context.WORD)
            case _:
                self.take(plain=True)

    def arithmetic(self, opening: int) -> bool:
        """Take arithmetic that begins with so many characters and ends with `))`; return whether it is any.

        `((` may also begin a subshell in a subshell: then the last two parentheses do not touch.
        """
        key = (self.place, self.view.ticks)
        if self.at > self._last_end or not self.shared.arithmetic.get(key, True):
            return False
        start, mark, held = self.at, self.lexed.mark(), self.word.mark()
        try:
            self.shared.arithmetic[key] = self._arithmetic_body(opening)
        except UnterminatedError:
            self.shared.arithmetic[key] = False
        if not self.shared.arithmetic[key]:
            self.at = start
            self.lexed.forget(mark)
            self.word.forget(held)
        return self.shared.arithmetic[key]

    @cached_property
    def _last_end(self) -> int:
        """Where arithmetic may end for the last time."""
        return self.text.rfind("))")

    def _arithmetic_body(self, opening: int) -> bool:
        opened, open_parentheses = self.place, 0
        with self.nested(opened), self.reading(is_evaluated=True):
            self.at += opening
            while not self.is_at_end:
                if self.sees("))") and not open_parentheses:
                    self.at += 2
                    return True
                if self.sees(")") and not open_parentheses:
                    return False
                open_parentheses += self.sees("(") - self.sees(")")
                if self.sees("'"):
                    self.single()
                else:
                    self.quoted_character(Context.DOUBLE)
        return False

    def _double_parenthesis(self) -> None:
        if self.arithmetic(3):
            self.word.add("$")
        else:
            self.substitution(2)

    def _arithmetic_up_to(self, end: int) -> None:
        with self.reading(is_evaluated=True):
            self.take(2)
            while self.at < end:
                self.quoted_character(Context.DOUBLE)

    def _braced(self, context: Context) -> None:
        """Take an expansion of the shell's own: `${x}`, `${x:-word}`, `${x#pattern}`, `${x[1]}`."""
        opened = self.place
        if simple := _SIMPLE.match(self.text, self.at):
            self.word.add(f"${simple[1]}")
            self.at = simple.end()
            self._expanded(opened, simple[1])
            return
        found = _BRACED.match(self.text, self.at)
        if found is None and _COMMANDS.match(self.text, self.at):
            raise UnterminatedError(opened, "this is no expansion that pipegen knows")
        with self.nested(opened), self._apart():
            self.at = found.end() if found is not None else self.at + 2
            if self.sees("["):
                self.evaluated_up_to("]", opened)
                self.at += 1
            first, sets = len(self.lexed.found), _SETS.match(self.text, self.at)
            self._operand(context, opened)
            if sets and found is not None:
                self.lexed.defaults.append((found[0].lstrip("${"), self.lexed.found[first:]))
            self.at += 1
        self._expanded(opened, found[1] if found is not None else "")
        self.word.add("$")

    def _operand(self, context: Context, opened: int) -> None:
        """Take what follows the name in an expansion, up to its `}`."""
        if _DEFAULT_OPERATOR.match(self.text, self.at):
            self._up_to_brace(context, opened, are_quotes_open=context is Context.WORD)
        elif _PATTERN_OPERATOR.match(self.text, self.at):
            first = len(self.lexed.found)
            self._up_to_brace(Context.WORD, opened, are_quotes_open=True)
            if context is Context.DOCUMENT:
                for found in self.lexed.found[first:]:
                    found.obstacle = found.obstacle or (Obstacle.PATTERN if found.level == self.level else None)
        elif self.sees(":"):
            self.evaluated_up_to("}", opened)
        else:
            self._up_to_brace(context, opened, are_quotes_open=context is Context.WORD)

    def _up_to_brace(self, context: Context, opened: int, *, are_quotes_open: bool) -> None:
        while not self.sees("}"):
            if self.is_at_end:
                raise UnterminatedError(opened, "this expansion is not closed")
            if are_quotes_open:
                self.word_character()
            elif self.sees('"'):
                self.double(context)
            else:
                self.quoted_character(context)

    def evaluated_up_to(self, closer: str, opened: int) -> None:
        """Take what stands in front of *closer*, which the shell works out, or expands again."""
        with self.reading(is_evaluated=True):
            while not self.sees(closer):
                if self.is_at_end:
                    raise UnterminatedError(opened, "this expansion is not closed")
                if self.sees('"'):
                    self.double()
                else:
                    self.quoted_character(Context.DOUBLE)

    @contextmanager
    def nested(self, opened: int) -> Iterator[None]:
        """Count a level of what was opened at *opened*."""
        self.depth += 1
        try:
            if self.depth > _DEEPEST:
                raise UnterminatedError(opened, "this is nested too deep to be followed")
            yield
        finally:
            self.depth -= 1

    @contextmanager
    def reading(self, *, is_evaluated: bool = False, is_file: bool = False) -> Iterator[None]:
        """Read what the shell evaluates, or takes for the name of a file."""
        outer = self.evaluation, self.is_file
        self.evaluation, self.is_file = Obstacle.EVALUATED if is_evaluated else None, is_file
        try:
            yield
        finally:
            self.evaluation, self.is_file = outer

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """Read into a word of its own; its references belong to the word around it."""
        outer, self.word = self.word, Word(self.place)
        try:
            yield
        finally:
            outer.found += [(outer.length, found) for _, found in self.word.found]
            outer.printed += self.word.printed
            outer.streamed += self.word.streamed
            outer.commands += self.word.commands
            self.word = outer
