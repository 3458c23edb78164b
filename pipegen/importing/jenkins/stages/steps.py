"""The steps of a stage: commands of its script, keys of the stage, or steps of Jenkins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.source import comment_above
from pipegen.importing.jenkins.reading.syntax import (
    GroovyBlock,
    GroovyCall,
    GroovyList,
    GroovyMap,
    GroovyPart,
    GroovyText,
    Statement,
    Value,
)
from pipegen.importing.jenkins.stages.shell import command_of
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.jenkins.stages.work import StageWork
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import Struct, replace

_TRIPLE = re.compile(r"(\'\'\'|\"\"\")(.*?)(?<!\\)\1", re.DOTALL)
# Steps without an effect on other commands and on the result.
_LIGHT = frozenset(
    {"deleteDir", "cleanWs", "checkout", "unstash", "echo", "junit", "archiveArtifacts", "stash", "input"}
)


class StepPlace(Struct, kw_only=True):
    """Where steps are: blocks around them, and the result of the stage for which they run."""

    directory: str = ""
    exports: tuple[tuple[str, str], ...] = ()
    when: str = "success"
    is_after: bool = False
    is_whole: bool = True
    # Whether other steps follow.
    is_early: bool = False


class StepReader:
    """Reads the steps of a stage into its work."""

    def __init__(
        self,
        title: str,
        names: JenkinsNames,
        work: StageWork,
        marks: Marks,
        handlers: Mapping[str, Handler],
    ) -> None:
        self._title = title
        self._handlers = handlers
        # Whether the workspace has nothing but the checkout, and whether nothing reads it afterwards.
        self.is_fresh = True
        self.is_last = False
        # Whether steps can stay Groovy.
        self.keeps_groovy = True
        self.names = names
        self.work = work
        self.marks = marks

    def read(self, block: GroovyBlock, place: StepPlace) -> None:
        """Read the steps of *block*."""
        effective = [one for one in block.statements if not _is_needless(one)]
        for statement in block.statements:
            inner = replace(
                place,
                is_whole=place.is_whole and (len(effective) == 1 or _is_needless(statement)),
                is_early=statement is not block.statements[-1] or not self.is_last,
            )
            if isinstance(statement, GroovyCall):
                self._step(statement, inner)
            else:
                self.marks.left_out(statement, "a config has no Groovy")

    def _step(self, call: GroovyCall, place: StepPlace) -> None:
        try:
            handler = self._handlers.get(call.name)
            if handler is None:
                self._unknown(call, place)
            else:
                handler(self, call, place)
        except UntranslatableError as error:
            if call.block is not None or place.is_after:
                self.marks.left_out(call, str(error))
            else:
                self._plugin(call, place, str(error))

    def _unknown(self, call: GroovyCall, place: StepPlace) -> None:
        """Keep a step that a config does not know: its text, or the block steps around those of the stage."""
        if call.block is None:
            self._plugin(call, place, "")
            return
        head = _head(call)
        if head is None or not place.is_whole or place.is_after:
            self.marks.left_out(
                call if head is None else replace(call, block=None),
                "only steps around all of a stage can stay",
                hint='split the stage, and put the step into "raw"',
            )
        else:
            self.work.wrap.append(head)
            self.marks.raw(replace(call, block=None), f'stage "{self._title}"')
        if head is not None:
            self.read(call.block, place)

    def _plugin(self, call: GroovyCall, place: StepPlace, reason: str) -> None:
        """Keep *call* as a step of Jenkins, before or after the script."""
        text = one_line(call)
        if text is not None and (name := _read_name(call, self.names)):
            self.marks.left_out(call, f'it reads "{name}", which Groovy of this file sets')
            return
        if text is None or place.is_after or place.directory or place.exports or not self.keeps_groovy:
            self.marks.left_out(call, reason or "this step of Jenkins cannot stay here")
            return
        steps = self.work.steps_after if self.work.commands else self.work.steps_before
        if self.work.steps_after and steps is self.work.steps_before:
            steps = self.work.steps_after
        steps.append(text)
        self.marks.raw(call, f'stage "{self._title}"', reason)

    def handles(self, name: str) -> bool:
        """Return whether a config knows the step *name*."""
        return name in self._handlers

    def command(self, call: GroovyCall, text: str, place: StepPlace) -> None:
        """Add the command *text*, which *call* runs."""
        command = command_of(text, comment_above(call.span))
        if self.work.steps_after and not place.is_after:
            raise UntranslatableError("it follows a step that stays Groovy")
        command = replace(command, directory=place.directory, exports=place.exports)
        (self.work.after if place.is_after else self.work.commands).append(command)


Handler = Callable[[StepReader, GroovyCall, StepPlace], None]


def _read_name(call: GroovyCall, names: JenkinsNames) -> str | None:
    """Return the first name of Groovy in *call* that the file sets, which the config does not."""
    unknown = {*names.computed, *names.defined} - names.environment.keys()
    words = (word for code in (call.name, *_codes(call)) for word in re.findall(r"(?<![\w.'\"])[A-Za-z_]\w*", code))
    return next((word for word in words if word in unknown), None)


def _codes(call: GroovyCall) -> Iterator[str]:
    """Yield the expressions in the arguments of *call*."""
    values: list[Value] = [argument.value for argument in call.arguments]
    while values:
        match values.pop(0):
            case GroovyPart() as part:
                yield part.text
            case GroovyText() as text:
                yield from (part.text for part in text.parts if isinstance(part, GroovyPart))
            case GroovyList() as several:
                values += several.items
            case GroovyMap() as several:
                values += (entry.value for entry in several.entries)
            case GroovyCall() as inner:
                yield inner.name
                values += (argument.value for argument in inner.arguments)


def _is_needless(statement: Statement) -> bool:
    """Return whether *statement* has no effect on the other commands."""
    return isinstance(statement, GroovyCall) and statement.name in _LIGHT


def one_line(call: GroovyCall) -> str | None:
    """Return *call* as Groovy on one line; None if it has a block, or a text that cannot be on one line."""
    if call.block is not None:
        return None
    text = _TRIPLE.sub(_on_one_line, call.whole.text)
    lines = [re.sub(r"(?<!:)//.*", "", line).strip() for line in text.split("\n")]
    joined = " ".join(line for line in lines if line)
    return None if "'''" in joined or '"""' in joined else joined


def _on_one_line(match: re.Match[str]) -> str:
    """Return a text in triple quotes in single ones; unchanged if an expression in it has quotes."""
    quote, body = match[1][0], match[2]
    if any(quote in one for one in re.findall(r"\$\{[^}]*\}", body)):
        return match[0]
    body = re.sub(r"\\\n", "", body)
    escaped = re.sub(rf"\\.|{quote}", lambda match: match[0] if match[0] != quote else f"\\{quote}", body)
    return quote + escaped.replace("\n", "\\n") + quote


def _head(call: GroovyCall) -> str | None:
    """Return the call of a block step without its block."""
    if call.block is None:
        return None
    text = " ".join(call.whole.text[: call.block.span.start - call.whole.start].split())
    return None if "\\" in text or "{" in text else re.sub(r"^(\w+) \(", r"\1(", text)
