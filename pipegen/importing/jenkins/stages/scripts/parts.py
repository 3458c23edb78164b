"""The division of a `script` block: commands, and what stays Groovy before and after them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from pipegen.importing.jenkins.reading.syntax import (
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    GroovyConstant,
    GroovyText,
    OtherGroovy,
    Statement,
)
from pipegen.importing.jenkins.stages.kept import ScriptPart, in_block, words
from pipegen.readback.groovy import GroovyTokens, lines_in_strings
from pipegen.source.text import Span
from pipegen.structs import Struct

# Words that leave a block before its end.
_LEAVING = frozenset({"return", "break", "continue"})
_DEFINITION = re.compile(
    r"(?:def|final|boolean|int|long|float|double|[A-Z][\w.]*(?:<[^=]*>)?(?:\[\])?)\s+(?P<names>[\w\s,()]+?)\s*(?:=(?!=)|\Z)"
)
_LINE_END = re.compile(r"[ \t]*;?[ \t]*(?://[^\n]*|/\*[^\n]*\*/[ \t]*)?(?=\n|\Z)")
_ASSIGNED = re.compile(r"(\w+)\s*(?:[-+*/]?=(?![=~])|<<|\+\+|--)")


class ScriptDivision(Struct, kw_only=True):
    """The statements of *block* from *start* up to, but not including, *end* are commands; others stay Groovy.

    *changing* are the names that the block assigns several times.
    """

    block: GroovyBlock
    start: int
    end: int
    changing: Collection[str]

    @property
    def _before(self) -> Sequence[Statement]:
        return self.block.statements[: self.start]

    @property
    def _after(self) -> Sequence[Statement]:
        return self.block.statements[self.end :]

    @property
    def definitions_before(self) -> Sequence[Statement]:
        """The definitions of texts before the commands, which may read them."""
        return [statement for statement in self._before if self._constant(statement)]

    def _constant(self, statement: Statement) -> str:
        """Return the text of *statement* if it defines a text that does not change; "" for another one."""
        definition = statement.definition if isinstance(statement, OtherGroovy) else None
        if definition is None or not isinstance(definition.value, GroovyText | GroovyConstant):
            return ""
        return "" if definition.name in self.changing else statement.span.text

    @property
    def is_connected(self) -> bool:
        """Whether a part reads what only another one defines, or sets what a text was put together from."""
        before, after = ("\n".join(map(text_of, part)) for part in (self._before, self._after))
        commands = "\n".join(map(text_of, self.block.statements[self.start : self.end]))
        others = [statement for statement in self._before if not self._constant(statement)]
        local = {name for statement in others for name in _defined(statement)}
        texts = [self._constant(statement) for statement in self.block.statements]
        assigned = {name for text in (before, commands, after) for name in _ASSIGNED.findall(text)}
        own = {name for statement in self.definitions_before for name in _defined(statement)}
        read = {name for text in texts for name in re.findall(r"\w+", text)} - own
        return bool(local & (words(commands) | words(after)) or assigned & read)

    def part(self, *, is_before: bool) -> tuple[ScriptPart | None, Collection[str]]:
        """Return the part before or after the commands with the texts that it reads, and their names."""
        statements, first = (self._before, 0) if is_before else (self._after, self.end)
        positions = [at for at, statement in enumerate(statements) if not self._constant(statement)]
        if not positions:
            return None, ()
        start, end = positions[0], positions[-1] + 1
        definitions, statements = self.block.statements[: first + start], statements[start:end]
        whole = Span(self.block.span.file, span_of(statements[0]).start, _end_of_line(span_of(statements[-1])))
        read = self._read_definitions(definitions, whole.text)
        name = re.match(r"\w*", whole.text)
        part = ScriptPart(
            name="script",
            arguments=(),
            block=GroovyBlock(tuple(statements), self.block.index, Span(whole.file, whole.start - 1, whole.end + 1)),
            span=Span(whole.file, whole.start, whole.start + (name.end() if name else 0)),
            whole=whole,
            text=in_block("script", "\n".join(map(_without_margin, (*map(span_of, read), whole)))),
        )
        return part, {name for statement in read for name in _defined(statement)}

    def _read_definitions(self, statements: Sequence[Statement], text: str) -> Sequence[Statement]:
        """Return those of *statements* that define a text which the Groovy *text*, or another one of them, reads."""
        needed, definitions = words(text), list[Statement]()
        for statement in reversed(statements):
            defining = self._constant(statement)
            if defining and not needed.isdisjoint(_defined(statement)):
                definitions.insert(0, statement)
                needed |= words(defining)
        return definitions


def changing_names(block: GroovyBlock) -> Collection[str]:
    """Return the names that *block* assigns several times."""
    return {name for name, number in Counter(_ASSIGNED.findall(block.span.text)).items() if number > 1}


def is_divisible(block: GroovyBlock) -> bool:
    """Return whether each statement of *block* is in it, on lines of its own, and none leaves the block.

    The statements of a function that the block calls are elsewhere.
    """
    span, spans = block.span, [*map(span_of, block.statements)]
    is_whole = all(each.file.use == span.file.use and span.start < each.start < span.end for each in spans)
    leaves = any(token.text in _LEAVING for token in GroovyTokens(span.text).tokens)
    return is_whole and not leaves and all(map(_is_on_own_lines, spans))


def span_of(statement: Statement) -> Span:
    """Return the location of all of *statement*."""
    return statement.whole if isinstance(statement, GroovyCall | GroovyAssignment) else statement.span


def text_of(statement: Statement) -> str:
    """Return the text of *statement*."""
    return span_of(statement).text


def _is_on_own_lines(span: Span) -> bool:
    is_first = not span.file.line(span.first.line)[: span.first.column - 1].strip()
    return is_first and _LINE_END.match(span.file.text, span.end) is not None


def _end_of_line(span: Span) -> int:
    """Return the end of the line in which *span* ends: a comment may follow it there."""
    end = span.file.text.find("\n", span.end)
    return len(span.file.text[: end if end >= 0 else None].rstrip())


def _defined(statement: Statement) -> frozenset[str]:
    """Return the names that only the block of *statement* knows after it."""
    match = _DEFINITION.match(text_of(statement)) if isinstance(statement, OtherGroovy) else None
    return frozenset(re.findall(r"\w+", match["names"])) if match else frozenset()


def _without_margin(span: Span) -> str:
    margin = " " * (span.first.column - 1)
    inside = lines_in_strings(span.text)
    return "\n".join(
        line if number in inside else line.removeprefix(margin).rstrip()
        for number, line in enumerate(span.text.split("\n"))
    )
