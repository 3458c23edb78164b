"""The lexer for a shell script: commands, as far as they decide how the text inside them is read."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.bindings.script.cursor import LexerState, UnterminatedError, View
from pipegen.bindings.script.here_documents import Documents
from pipegen.bindings.script.syntax import CommandForm, Lexed, Obstacle, ShellCommand, Word
from pipegen.structs import MutableStruct, field

_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|[;&|()\n]")
_REDIRECTION = re.compile(
    r"(?P<descriptor>[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(?P<operator><<<|<<-?|<>|<&|<|&>>|&>|>>|>&|>\||>)(?!\()"
)
_PARENTHESES = re.compile(r"\([ \t]*\)")
_CONDITION_OPERATOR = re.compile(r"&&|\|\||[()<>]")
# Compound commands: what opens one, and what closes one.
_OPENERS = {"if", "while", "until", "{"}
_LOOPS = {"for", "select"}
_CLOSERS = {"fi", "done", "}"}
# After these a command begins, as after an opener.
_CONTINUERS = {"then", "elif", "else", "do", "!", "time", "coproc"}
_BRANCH_ENDS = {";;", ";&", ";;&"}
_PIPES = {"|", "|&"}
_DUPLICATIONS = {">&", "<&"}


def lex(script: str, stages: Collection[str]) -> tuple[Lexed, UnterminatedError | None]:
    """Return what is in *script*, and where it cannot be followed further."""
    shared = LexerState(script, stages)
    lexer = ScriptLexer(View(script, range(len(script) + 1)), shared)
    try:
        lexer.program("", 0)
    except UnterminatedError as lost:
        return shared.lexed, lost
    return shared.lexed, None


class _Line(MutableStruct):
    """The command that is being read and its pipeline.

    Of each open compound command, *opened* has the start, and the pipeline that it stands in.
    """

    command: ShellCommand
    pipeline: list[ShellCommand] = field(default_factory=list)
    opened: list[tuple[int, list[ShellCommand]]] = field(default_factory=list)
    is_piped: bool = False


class ScriptLexer(Documents):
    """Reads commands: which words they have, where `case` patterns, comments and here-documents stand."""

    def __init__(self, view: View, shared: LexerState, *, level: int = 0, depth: int = 0) -> None:
        super().__init__(view, shared, level=level, depth=depth)
        self.line = _Line(self._command())

    def inner(self, view: View, *, level: int) -> ScriptLexer:
        """Return a lexer for *view*, which stands in this one."""
        return ScriptLexer(view, self.shared, level=level, depth=self.depth)

    def program(self, closer: str, opened: int) -> None:
        """Read the commands of a command substitution, or of the script."""
        start, outer = self.at, (self.word, self.pending, self.is_element, self.evaluation, self.is_file)
        self.word, self.pending, self.is_element, self.is_file = Word(self.place), [], False, False
        self.evaluation = None if self.evaluation is None else Obstacle.PRINTED
        self.level += 1
        try:
            self._commands(closer, opened)
            if closer and self.pending:
                raise UnterminatedError(self.pending[0].place, "this here-document has no text")
            if outer[1] and "\n" in self.text[start : self.at]:
                raise UnterminatedError(
                    outer[1][0].place, "a command substitution stands between this here-document and its text"
                )
        finally:
            self.level -= 1
            self.word, self.pending, self.is_element, self.evaluation, self.is_file = outer

    def array(self) -> None:
        """Take the `( … )` of an array that is assigned."""
        command = self._command(form=CommandForm.ARRAY)
        with self.nested(command.start):
            self.at += 1
            self._lines(command.start)
            while not self.sees(")"):
                self.is_element = True
                command.words.append(self._some_word(command.start))
                self.is_element = False
                self._lines(command.start)
            self.at += 1
        self.word.elements += command.words
        self.lexed.commands.append(command)

    def _command(self, start: int | None = None, form: CommandForm = CommandForm.SIMPLE) -> ShellCommand:
        return ShellCommand(self.place if start is None else start, self.level, form)

    def _commands(self, closer: str, opened: int) -> str:
        """Read commands up to and with *closer* (`)`, `esac`, or the end); return what ended them."""
        outer, self.line = self.line, _Line(self._command())
        try:
            with self.nested(opened):
                ended = None
                while ended is None:
                    ended = self._token(closer, opened)
                return ended
        finally:
            # Also where the script cannot be followed: the shell may run what stands in front.
            self._end_pipeline()
            for _, pipeline in reversed(self.line.opened):
                self.line.pipeline = pipeline
                self._end_pipeline()
            self.line = outer

    def _token(self, closer: str, opened: int) -> str | None:
        """Take a word, redirection or operator; return what ends the commands, if it does."""
        self.blanks()
        if self.is_at_end:
            if closer:
                raise UnterminatedError(opened, "this is not closed")
            return ""
        if redirection := _REDIRECTION.match(self.text, self.at):
            self.at = redirection.end()
            self._redirection(redirection["operator"], redirection["descriptor"])
        elif operator := _OPERATOR.match(self.text, self.at):
            return self._operator(operator[0], closer)
        else:
            return self._word(closer)
        return None

    def _operator(self, operator: str, closer: str) -> str | None:
        if operator == "(":
            self._parenthesis()
            return None
        if operator == ")":
            if closer != ")":
                raise UnterminatedError(self.place, "this parenthesis closes nothing")
            self._finish()
            self.at += 1
            return operator
        self._finish()
        self.at += len(operator)
        if operator == "\n":
            self._end_of_line()
        elif operator in _BRANCH_ENDS and closer == "esac":
            return operator
        elif operator not in _PIPES:
            self._end_pipeline()
        else:
            self.line.is_piped = True
        return None

    def _parenthesis(self) -> None:
        """Take the `()` of a function, `(( … ))`, or a subshell."""
        if parentheses := _PARENTHESES.match(self.text, self.at):
            self.at = parentheses.end()
            self.lexed.functions.update(word.text for word in self.line.command.words)
            self.line.command = self._command()
            return
        start = self.place
        if self.sees("((") and self.arithmetic(2):
            self._closed(start)
            return
        self.at += 1
        self._commands(")", start)
        self._closed(start)

    def _word(self, closer: str) -> str | None:
        """Take a word; return it if it is the *closer*."""
        words = self.line.command.words
        self.is_assignable = not words or words[-1].assigned is not None
        word = self.read_word()
        self.is_assignable = False
        text = word.text
        is_plain = word.plain == word.length and not word.found
        if not is_plain or (words and not (text == "do" and words[0].text in _LOOPS)):
            words.append(word)
            return None
        if text == closer == "esac":
            return closer
        if text in _OPENERS | _LOOPS:
            self.line.opened.append((word.start, self.line.pipeline))
            self.line.pipeline, self.line.is_piped = [], False
        if text in _OPENERS | _CONTINUERS:
            self.line.command = self._command()
        elif text in _CLOSERS:
            self._end_pipeline()
            start, self.line.pipeline = self.line.opened.pop() if self.line.opened else (word.start, [])
            self._closed(start)
        elif text == "case":
            self._case(word.start)
        elif text == "[[":
            self._condition(word)
        elif text == "function":
            self.blanks()
            self.lexed.functions.add(self.read_word().text)
            self.line.command = self._command()
        else:
            words.append(word)
        return None

    def _closed(self, start: int) -> None:
        """Begin what follows the end of a compound command that started at *start*: redirections, a pipe."""
        self.line.command = self._command(start)
        self.line.command.words.append(Word(start, self.place))

    def _case(self, start: int) -> None:
        self._lines(start)
        self._some_word(start)
        self._lines(start)
        if self._some_word(start).text != "in":
            raise UnterminatedError(start, "this case has no in")
        ended = ";;"
        while ended != "esac":
            self._lines(start)
            ended = self._branch(start)
        self._closed(start)

    def _branch(self, start: int) -> str:
        """Take a branch of a `case` that began at *start*; return what ended it."""
        is_open = self.sees("(")
        self.at += is_open
        self.blanks()
        word = self._some_word(start)
        if word.text == "esac" and word.plain and not is_open:
            return "esac"
        self.blanks()
        while self.sees("|"):
            self.at += 1
            self.blanks()
            self._some_word(start)
            self.blanks()
        if not self.sees(")"):
            raise UnterminatedError(start, "a pattern in this case does not end")
        self.at += 1
        return self._commands("esac", start)

    def _condition(self, opening: Word) -> None:
        """Take the rest of a `[[ … ]]`."""
        words = [opening]
        while words[-1].text != "]]":
            self._lines(opening.start)
            if words[-1].text == "=~":
                words.append(self.read_regex())
            elif operator := _CONDITION_OPERATOR.match(self.text, self.at):
                words.append(Word(self.place, self.place, [operator[0]]))
                self.at = operator.end()
            else:
                words.append(self._some_word(opening.start))
        self.line.command.form = CommandForm.CONDITION
        self.line.command.words.extend(words)

    def _redirection(self, operator: str, descriptor: str | None) -> None:
        self.blanks()
        command = self.line.command
        if operator in {"<<", "<<-"}:
            self.delimiter(command, strips_tabs=operator == "<<-")
        elif operator == "<<<":
            command.documents.append(self.read_word())
        elif operator in _DUPLICATIONS:
            # Bash takes what is no number for the name of a file, and expands that again.
            with self.reading(is_evaluated=True):
                self.read_word()
        elif self.sees("<(") or self.sees(">("):
            command.streams.append(self.read_word())
        else:
            command.reads_file |= operator in {"<", "<>"} and descriptor in {None, "0"}
            with self.reading(is_file=True):
                self.read_word()

    def _lines(self, opened: int) -> None:
        """Skip blanks, comments and ends of lines within what was opened at *opened*."""
        self.blanks()
        while self.sees("\n"):
            self.at += 1
            self.documents()
            self.blanks()
        if self.is_at_end:
            raise UnterminatedError(opened, "this is not closed")

    def _some_word(self, opened: int) -> Word:
        word = self.read_word()
        if word.end == word.start:
            raise UnterminatedError(opened, "this does not go on as the shell's grammar asks")
        return word

    def _end_of_line(self) -> None:
        self.documents()
        if not self.line.is_piped:
            self._end_pipeline()

    def _finish(self) -> None:
        """Put the command that was read into its pipeline."""
        command = self.line.command
        command.end = self.place
        if command.words or command.documents:
            self.lexed.commands.append(command)
            self.line.pipeline.append(command)
            self.line.is_piped = False
        self.line.command = self._command()

    def _count(self, pipeline: list[ShellCommand]) -> None:
        """Note that a pipeline which ends in `wc -l`, or the like, prints a number and nothing of what it reads."""
        last = [word.text for word in pipeline[-1].words]
        if last[:1] != ["wc"] or any(not text.startswith("-") for text in last[1:]):
            return
        for found in reversed(self.lexed.found):
            if found.start < pipeline[0].start:
                return
            if found.level == pipeline[0].level:
                found.is_unprinted = True
                found.obstacle = None if found.obstacle is Obstacle.PRINTED else found.obstacle

    def _end_pipeline(self) -> None:
        self._finish()
        if self.line.pipeline:
            self.lexed.pipelines.append(tuple(self.line.pipeline))
            if len(self.line.pipeline) > 1:
                self._count(self.line.pipeline)
        self.line.pipeline = []
