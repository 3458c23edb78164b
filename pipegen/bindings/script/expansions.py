"""The lexer for the inside of words: expansions, backticks and quotes."""

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
# bash 5.3 and ksh run the commands in these.
_COMMANDS = re.compile(r"\$\{[ \t\n|]")
_SIMPLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_DEFAULT_OPERATOR = re.compile(r":?[-=?+]")
_SETS = re.compile(r":?=")
_PATTERN_OPERATOR = re.compile(r"[#%/^,~]")
# Deeper than real scripts, and within Python's recursion limit.
_MAX_DEPTH = 60
# Characters without special meaning: in single quotes, in double quotes, in an unquoted word.
_SINGLE_RUN = re.compile(r"[^'$]+")
_QUOTED_RUN = re.compile(r"""[^"'$\\`()}\]]+""")
_PLAIN_RUN = re.compile(r"[A-Za-z0-9_./:=@%+,-]+")
# Escapes of ASCII characters by code.
_ANSI_CODE = r"\\(?:x|[uU]0*)(?P<hex>[0-7]?[0-9A-Fa-f])(?![0-9A-Fa-f])|\\(?P<octal>[01]?[0-7]{1,2})"
# Up to the next one, so that many open ones take linear time.
_OLD_ARITHMETIC = r"""\$\[(?:[^]"'\n$]|\$(?!\[))*\]"""
_ODD_ARITHMETIC = r"\$\[(?:[^]\n$]|\$(?![\[{]))*\$\{"


class Expansions(Cursor, ABC):
    """Reads quotes and expansions; the text in `$( )` is read as commands."""

    @abstractmethod
    def program(self, closer: str, opened: int) -> None:
        """Read commands up to and including *closer*, which ends the construct opened at *opened*."""

    @abstractmethod
    def array(self) -> None:
        """Read the `( … )` of an array assignment."""

    @abstractmethod
    def inner(self, view: View, *, level: int) -> Expansions:
        """Return a lexer for *view*, a part of this one."""

    def dollar(self, context: Context) -> None:
        """Read the expansion at this `$`."""
        if self.reference(context, expands=True):
            return
        if self.starts_with("${"):
            self._braced(context)
        elif self.starts_with("$(("):
            self._double_parenthesis()
        elif self.starts_with("$("):
            self.substitution()
        elif match := re.compile(_OLD_ARITHMETIC).match(self.text, self.at):
            self._arithmetic_up_to(match.end())
        elif re.compile(_ODD_ARITHMETIC).match(self.text, self.at):
            raise UnterminatedError(self.offset, "shells differ on where this arithmetic ends: write $(( … ))")
        elif context is Context.WORD and self.starts_with("$'"):
            self.at += 1
            self.ansi()
        elif context is Context.WORD and self.starts_with('$"'):
            # Translated text: the `$` is not part of it.
            self.at += 1
        elif match := _PARAMETER.match(self.text, self.at):
            start = self.offset
            self.consume(match.end() - match.start())
            self._expanded(start, match[0][1:])
        else:
            self.consume()

    def _expanded(self, start: int, name: str) -> None:
        """Record the expansion of the variable *name* from *start* to here."""
        # Not the offset of the next character: inside backticks, a backslash may come between.
        self.lexed.expansions.append(Expansion(start, self.view.offsets[self.at - 1] + 1, name))

    def substitution(self) -> None:
        """Read a `$( … )`, `<( … )` or `>( … )`."""
        opened, first, is_stream = self.offset, len(self.lexed.references), not self.starts_with("$")
        first_command = len(self.lexed.commands)
        with self.nested(opened):
            self.at += len("$(")
            self.program(")", opened)
        (self.word.streamed if is_stream else self.word.printed).extend(self.lexed.references[first:])
        self.word.commands += self.lexed.commands[first_command:]
        self.word.add("$")

    def backticks(self, context: Context) -> None:
        """Read the command between two backticks, which remove one level of backslashes."""
        opened, start, first = self.offset, self.at + 1, len(self.lexed.references)
        first_command = len(self.lexed.commands)
        end = start
        while end < len(self.text) and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise UnterminatedError(opened, "this backtick is not closed")
        view = self.view.without_backticks(start, end, is_quoted=context is Context.DOUBLE)
        with self.nested(opened):
            inner = self.inner(view, level=self.level)
            inner.evaluation = self.evaluation
            inner.program("", opened)
        self.word.printed += self.lexed.references[first:]
        self.word.commands += self.lexed.commands[first_command:]
        self.word.add("$")
        self.at = end + 1

    def single(self) -> None:
        """Read text in single quotes."""
        opened = self.offset
        self.at += 1
        while not self.is_at_end:
            if self.starts_with("'"):
                self.at += 1
                return
            if not (self.consume_run(_SINGLE_RUN) or self.reference(Context.SINGLE)):
                self.consume()
        raise UnterminatedError(opened, "this quote is not closed")

    def ansi(self) -> None:
        """Read the rest of a `$'…'`."""
        opened = self.offset
        self.at += 1
        while not self.is_at_end:
            if self.starts_with("'"):
                self.at += 1
                return
            if code := re.compile(_ANSI_CODE).match(self.text, self.at):
                self.word.add(chr(int(code["hex"] or code["octal"], 16 if code["hex"] else 8)))
                self.at = code.end()
            elif self.starts_with("\\"):
                self.consume(2)
            elif not (self.starts_with("$") and self.reference(Context.ANSI)):
                self.consume()
        raise UnterminatedError(opened, "this quote is not closed")

    def double(self, context: Context = Context.DOUBLE) -> None:
        """Read text in double quotes."""
        opened = self.offset
        self.at += 1
        while self.at < len(self.text):
            if self.text[self.at] == '"':
                self.at += 1
                return
            self.quoted_character(context)
        raise UnterminatedError(opened, "this quote is not closed")

    def quoted_character(self, context: Context) -> None:
        """Read one character, run or expansion where blanks and quotes have no meaning."""
        if self.consume_run(_QUOTED_RUN):
            return
        match self.text[self.at]:
            case "\\":
                self.consume(2)
            case "$":
                self.dollar(context)
            case "`":
                self.backticks(context)
            case _:
                self.consume()

    def word_character(self) -> None:
        """Read one character, run, quote or expansion of a word."""
        if self.consume_run(_PLAIN_RUN, plain=True):
            return
        match self.text[self.at]:
            case "\\" if self.starts_with("\\\n"):
                self.at += 2
            case "\\":
                self.at += 1
                self.consume()
            case "'":
                self.single()
            case '"':
                self.double()
            case "$":
                self.dollar(Context.WORD)
            case "`":
                self.backticks(Context.WORD)
            case _:
                self.consume(plain=True)

    def arithmetic(self, opening: int) -> bool:
        """Read arithmetic up to its `))`; *opening* is the length of its opening. Return whether it is arithmetic.

        `((` may also begin a subshell in a subshell: then the last two parentheses are not adjacent.
        """
        key = (self.offset, self.view.backtick_depth)
        if self.at > self._last_end or not self.shared.arithmetic.get(key, True):
            return False
        start, mark, word_mark = self.at, self.lexed.mark(), self.word.mark()
        try:
            self.shared.arithmetic[key] = self._arithmetic_body(opening)
        except UnterminatedError:
            self.shared.arithmetic[key] = False
        if not self.shared.arithmetic[key]:
            self.at = start
            self.lexed.forget(mark)
            self.word.forget(word_mark)
        return self.shared.arithmetic[key]

    @cached_property
    def _last_end(self) -> int:
        """The position of the last `))`."""
        return self.text.rfind("))")

    def _arithmetic_body(self, opening: int) -> bool:
        opened, open_parentheses = self.offset, 0
        with self.nested(opened), self.reading(is_evaluated=True):
            self.at += opening
            while not self.is_at_end:
                if self.starts_with("))") and not open_parentheses:
                    self.at += 2
                    return True
                if self.starts_with(")") and not open_parentheses:
                    return False
                open_parentheses += self.starts_with("(") - self.starts_with(")")
                if self.starts_with("'"):
                    self.single()
                else:
                    self.quoted_character(Context.DOUBLE)
        return False

    def _double_parenthesis(self) -> None:
        if self.arithmetic(3):
            self.word.add("$")
        else:
            self.substitution()

    def _arithmetic_up_to(self, end: int) -> None:
        with self.reading(is_evaluated=True):
            self.consume(2)
            while self.at < end:
                self.quoted_character(Context.DOUBLE)

    def _braced(self, context: Context) -> None:
        """Read a shell expansion: `${x}`, `${x:-word}`, `${x#pattern}`, `${x[1]}`."""
        opened = self.offset
        if simple := _SIMPLE.match(self.text, self.at):
            self.word.add(f"${simple[1]}")
            self.at = simple.end()
            self._expanded(opened, simple[1])
            return
        match = _BRACED.match(self.text, self.at)
        if match is None and _COMMANDS.match(self.text, self.at):
            raise UnterminatedError(opened, "pipegen does not know this expansion")
        with self.nested(opened), self._separate_word():
            self.at = match.end() if match is not None else self.at + 2
            if self.starts_with("["):
                self.evaluated_up_to("]", opened)
                self.at += 1
            first, sets = len(self.lexed.references), _SETS.match(self.text, self.at)
            self._operand(context, opened)
            if sets and match is not None:
                self.lexed.defaults.append((match[0].lstrip("${"), self.lexed.references[first:]))
            self.at += 1
        self._expanded(opened, match[1] if match is not None else "")
        self.word.add("$")

    def _operand(self, context: Context, opened: int) -> None:
        """Read an expansion from the end of its name up to its `}`."""
        if _DEFAULT_OPERATOR.match(self.text, self.at):
            self._up_to_brace(context, opened, are_quotes_open=context is Context.WORD)
        elif _PATTERN_OPERATOR.match(self.text, self.at):
            first = len(self.lexed.references)
            self._up_to_brace(Context.WORD, opened, are_quotes_open=True)
            if context is Context.DOCUMENT:
                for reference in self.lexed.references[first:]:
                    reference.obstacle = reference.obstacle or (
                        Obstacle.PATTERN if reference.level == self.level else None
                    )
        elif self.starts_with(":"):
            self.evaluated_up_to("}", opened)
        else:
            self._up_to_brace(context, opened, are_quotes_open=context is Context.WORD)

    def _up_to_brace(self, context: Context, opened: int, *, are_quotes_open: bool) -> None:
        while not self.starts_with("}"):
            if self.is_at_end:
                raise UnterminatedError(opened, "this expansion is not closed")
            if are_quotes_open:
                self.word_character()
            elif self.starts_with('"'):
                self.double(context)
            else:
                self.quoted_character(context)

    def evaluated_up_to(self, closer: str, opened: int) -> None:
        """Read the text before *closer*, which the shell evaluates or expands again."""
        with self.reading(is_evaluated=True):
            while not self.starts_with(closer):
                if self.is_at_end:
                    raise UnterminatedError(opened, "this expansion is not closed")
                if self.starts_with('"'):
                    self.double()
                else:
                    self.quoted_character(Context.DOUBLE)

    @contextmanager
    def nested(self, opened: int) -> Iterator[None]:
        """Count a nesting level, opened at *opened*."""
        self.depth += 1
        try:
            if self.depth > _MAX_DEPTH:
                raise UnterminatedError(opened, "this is nested too deeply")
            yield
        finally:
            self.depth -= 1

    @contextmanager
    def reading(self, *, is_evaluated: bool = False, is_file: bool = False) -> Iterator[None]:
        """Read text that the shell evaluates, or takes as a file name."""
        outer = self.evaluation, self.is_file
        self.evaluation, self.is_file = Obstacle.EVALUATED if is_evaluated else None, is_file
        try:
            yield
        finally:
            self.evaluation, self.is_file = outer

    @contextmanager
    def _separate_word(self) -> Iterator[None]:
        """Read into a separate word; its references belong to the enclosing word."""
        outer, self.word = self.word, Word(self.offset)
        try:
            yield
        finally:
            outer.offset_references += [(outer.length, reference) for _, reference in self.word.offset_references]
            outer.printed += self.word.printed
            outer.streamed += self.word.streamed
            outer.commands += self.word.commands
            self.word = outer
