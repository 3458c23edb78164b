"""The lexer for a shell script: commands, as far as they decide how their text is read."""

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
# Words that open and close compound commands.
_OPENERS = {"if", "while", "until", "{"}
_LOOPS = {"for", "select"}
_CLOSERS = {"fi", "done", "}"}
# A command begins after these, as after an opener.
_CONTINUERS = {"then", "elif", "else", "do", "!", "time", "coproc"}
# Only compound commands can be coprocesses with a name.
_NAMED_COPROCESSES = {"if", "while", "until", "for", "select", "case", "{", "[["}
_BRANCH_ENDS = {";;", ";&", ";;&"}
_PIPES = {"|", "|&"}
_CONNECTIVES = {"|", "|&", "&&", "||"}
_DUPLICATIONS = {">&", "<&"}


def lex(script: str, stages: Collection[str]) -> tuple[Lexed, UnterminatedError | None]:
    """Return the tokens of *script*, and the error where the lexer cannot continue."""
    shared = LexerState(script, stages)
    lexer = ScriptLexer(View(script, range(len(script) + 1)), shared)
    try:
        lexer.program("", 0)
    except UnterminatedError as error:
        return shared.lexed, error
    return shared.lexed, None


class _Line(MutableStruct):
    """The command that is being read, and its pipeline.

    *opened* has the start of each open compound command, and the pipeline that contains it. With
    *is_coprocess*, the command follows `coproc`, and its first word may be a name. A line that *is_continued* ends
    with an operator or the head of a function, so that its command continues on the next line.
    """

    command: ShellCommand
    pipeline: list[ShellCommand] = field(default_factory=list)
    opened: list[tuple[int, list[ShellCommand]]] = field(default_factory=list)
    is_piped: bool = False
    is_coprocess: bool = False
    is_continued: bool = False


class ScriptLexer(Documents):
    """Reads commands with their words, `case` patterns, comments and here-documents."""

    def __init__(self, view: View, shared: LexerState, *, level: int = 0, depth: int = 0) -> None:
        super().__init__(view, shared, level=level, depth=depth)
        self.line = _Line(self._command())
        self._is_new_line = True

    def inner(self, view: View, *, level: int) -> ScriptLexer:
        """Return a lexer for *view*, a part of this one."""
        return ScriptLexer(view, self.shared, level=level, depth=self.depth)

    def program(self, closer: str, opened: int) -> None:
        """Read the commands of a command substitution, or of the script."""
        start, outer = self.at, (self.word, self.pending, self.is_element, self.evaluation, self.is_file)
        self.word, self.pending, self.is_element, self.is_file = Word(self.offset), [], False, False
        self.evaluation = None if self.evaluation is None else Obstacle.PRINTED
        self.level += 1
        try:
            self._commands(closer, opened)
            if closer and self.pending:
                raise UnterminatedError(self.pending[0].offset, "this here-document has no body")
            if outer[1] and "\n" in self.text[start : self.at]:
                raise UnterminatedError(
                    outer[1][0].offset, "a command substitution comes between this here-document and its body"
                )
        finally:
            self.level -= 1
            self.word, self.pending, self.is_element, self.evaluation, self.is_file = outer

    def array(self) -> None:
        """Read the `( … )` of an array assignment."""
        command = self._command(form=CommandForm.ARRAY)
        with self.nested(command.start):
            self.at += 1
            self._lines(command.start)
            while not self.starts_with(")"):
                self.is_element = True
                command.words.append(self._some_word(command.start))
                self.is_element = False
                self._lines(command.start)
            self.at += 1
        self.word.elements += command.words
        self.lexed.arrays.add(self.word.assigned or "")
        self.lexed.commands.append(command)

    def _command(self, start: int | None = None, form: CommandForm = CommandForm.SIMPLE) -> ShellCommand:
        return ShellCommand(self.offset if start is None else start, self.level, form)

    def _commands(self, closer: str, opened: int) -> str:
        """Read commands up to and including *closer* (`)`, `esac`, or the end); return the token that ended them."""
        outer, self.line = self.line, _Line(self._command())
        try:
            with self.nested(opened):
                terminator = None
                while terminator is None:
                    terminator = self._token(closer, opened)
                return terminator
        finally:
            # Also after an error: the shell may run the commands before it.
            self._end_pipeline()
            for _, pipeline in reversed(self.line.opened):
                self.line.pipeline = pipeline
                self._end_pipeline()
            self.line = outer

    def _token(self, closer: str, opened: int) -> str | None:
        """Read a word, redirection or operator; return it if it ends the commands."""
        self.blanks()
        if self.is_at_end:
            if closer:
                raise UnterminatedError(opened, "this is not closed")
            return ""
        if self._is_new_line and not self.starts_with("\n"):
            self._begin_line(closer)
        if redirection := _REDIRECTION.match(self.text, self.at):
            self.at = redirection.end()
            self._redirection(redirection["operator"], redirection["descriptor"])
        elif operator := _OPERATOR.match(self.text, self.at):
            return self._operator(operator[0], closer)
        else:
            return self._word(closer)
        return None

    def _begin_line(self, closer: str) -> None:
        """Record the start of a line on which a command of the script itself begins."""
        self._is_new_line = False
        if not closer and self.level == 1 and not self.line.opened and not self.line.is_continued:
            self.lexed.line_starts.append(self.offset)

    def _operator(self, operator: str, closer: str) -> str | None:
        if operator != "\n":
            self.line.is_continued = operator in _CONNECTIVES
        if operator == "(":
            self._parenthesis()
            return None
        if operator == ")":
            if closer != ")":
                raise UnterminatedError(self.offset, "this parenthesis closes nothing")
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
        """Read the `()` of a function, `(( … ))`, or a subshell."""
        if parentheses := _PARENTHESES.match(self.text, self.at):
            self.at = parentheses.end()
            self.lexed.functions.update(word.text for word in self.line.command.words)
            self.line.command = self._command()
            self.line.is_continued = True
            return
        start = self.offset
        if self.starts_with("((") and self.arithmetic(2):
            self._closed(start)
            return
        self.at += 1
        self._commands(")", start)
        self._closed(start)

    def _word(self, closer: str) -> str | None:
        """Read a word; return it if it is the *closer*."""
        words = self.line.command.words
        self.line.is_continued = False
        self.is_assignable = not words or words[-1].assigned is not None
        word = self.read_word()
        self.is_assignable = False
        text = word.text
        is_plain = word.plain == word.length and not word.offset_references
        if self.line.is_coprocess and len(words) == 1 and text in _NAMED_COPROCESSES:
            # The word before it is the name of the coprocess.
            words.clear()
            self.line.is_coprocess = False
        if not is_plain or (words and not (text == "do" and words[0].text in _LOOPS)):
            words.append(word)
            return None
        self.line.is_coprocess |= text == "coproc"
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
            self.line.is_continued = True
        else:
            words.append(word)
        return None

    def _closed(self, start: int) -> None:
        """Begin the part after a compound command that started at *start*: redirections, a pipe."""
        self.line.command = self._command(start)
        self.line.command.words.append(Word(start, self.offset))

    def _case(self, start: int) -> None:
        self._lines(start)
        self._some_word(start)
        self._lines(start)
        if self._some_word(start).text != "in":
            raise UnterminatedError(start, 'this "case" has no "in"')
        terminator = ";;"
        while terminator != "esac":
            self._lines(start)
            terminator = self._branch(start)
        self._closed(start)

    def _branch(self, start: int) -> str:
        """Read a branch of the `case` that began at *start*; return the token that ended it."""
        is_open = self.starts_with("(")
        self.at += is_open
        self.blanks()
        word = self._some_word(start)
        if word.text == "esac" and word.plain and not is_open:
            return "esac"
        self.blanks()
        while self.starts_with("|"):
            self.at += 1
            self.blanks()
            self._some_word(start)
            self.blanks()
        if not self.starts_with(")"):
            raise UnterminatedError(start, 'a pattern in this "case" does not end')
        self.at += 1
        return self._commands("esac", start)

    def _condition(self, opening: Word) -> None:
        """Read the rest of a `[[ … ]]`."""
        words = [opening]
        while words[-1].text != "]]":
            self._lines(opening.start)
            if words[-1].text == "=~":
                words.append(self.read_regex())
            elif operator := _CONDITION_OPERATOR.match(self.text, self.at):
                words.append(Word(self.offset, self.offset, [operator[0]]))
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
            # Bash takes a word that is not a number as a file name, and expands it again.
            with self.reading(is_evaluated=True):
                self.read_word()
        elif self.starts_with("<(") or self.starts_with(">("):
            command.streams.append(self.read_word())
        else:
            command.reads_file |= operator in {"<", "<>"} and descriptor in {None, "0"}
            with self.reading(is_file=True):
                self.read_word()

    def _lines(self, opened: int) -> None:
        """Skip blanks, comments and line breaks within the construct opened at *opened*."""
        self.blanks()
        while self.starts_with("\n"):
            self.at += 1
            self.documents()
            self.blanks()
        if self.is_at_end:
            raise UnterminatedError(opened, "this is not closed")

    def _some_word(self, opened: int) -> Word:
        word = self.read_word()
        if word.end == word.start:
            raise UnterminatedError(opened, "this is not complete by the shell's grammar")
        return word

    def _end_of_line(self) -> None:
        self.documents()
        self._is_new_line = True
        if not self.line.is_piped:
            self._end_pipeline()

    def _finish(self) -> None:
        """Add the command that was read to its pipeline."""
        command = self.line.command
        command.end = self.offset
        if command.words or command.documents:
            self.lexed.commands.append(command)
            self.line.pipeline.append(command)
            self.line.is_piped = False
        self.line.command = self._command()
        self.line.is_coprocess = False

    def _count(self, pipeline: list[ShellCommand]) -> None:
        """Mark the references of a pipeline that ends in a command such as `wc -l` as unprinted: it prints a number."""
        last = [word.text for word in pipeline[-1].words]
        if last[:1] != ["wc"] or any(not text.startswith("-") for text in last[1:]):
            return
        for reference in reversed(self.lexed.references):
            if reference.start < pipeline[0].start:
                return
            if reference.level == pipeline[0].level:
                reference.is_unprinted = True
                reference.obstacle = None if reference.obstacle is Obstacle.PRINTED else reference.obstacle

    def _end_pipeline(self) -> None:
        self._finish()
        if self.line.pipeline:
            self.lexed.pipelines.append(tuple(self.line.pipeline))
            if len(self.line.pipeline) > 1:
                self._count(self.line.pipeline)
        self.line.pipeline = []
