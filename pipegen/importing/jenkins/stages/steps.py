"""The steps of a stage: commands of its script, keys of the stage, or steps of Jenkins."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from pipegen.importing.jenkins.marks import Marks, StaysGroovyError
from pipegen.importing.jenkins.reading.functions import calls_function
from pipegen.importing.jenkins.reading.source import comment_about, comment_around
from pipegen.importing.jenkins.reading.syntax import (
    GroovyBlock,
    GroovyCall,
    GroovyTry,
    Statement,
    all_calls,
    calls_in,
    tried_by,
)
from pipegen.importing.jenkins.reading.syntax import Value as GroovyValue
from pipegen.importing.jenkins.stages.kept import ScriptPart, assigned, first_read, groovy_of
from pipegen.importing.jenkins.stages.shell import ScriptCommand, command_of
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.jenkins.stages.work import StageWork
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.readback.groovy import GroovyTokens
from pipegen.structs import Struct, replace

# Steps that read files of the workspace.
_OF_FILES = frozenset({"archiveArtifacts", "junit"})
_TRIPLE = re.compile(r"(\'\'\'|\"\"\")(.*?)(?<!\\)\1", re.DOTALL)
# Steps without an effect on other commands and on the result.
_LIGHT = frozenset(
    {
        *("deleteDir", "cleanWs", "checkout", "unstash", "echo", "junit", "archiveArtifacts", "stash", "input"),
        "docker.image.pull",
    }
)
# Steps that only send messages.
_NOTIFYING = frozenset({"emailext", "mail", "slackSend"})
# Steps that can change the files of the workspace, if they have no block.
_CHANGING = frozenset({"sh", "bat", "powershell", "pwsh", "script", "unstash", "writeFile"})
# Methods that run their block for each of several values.
_LOOPS = frozenset({"collect", "each", "eachWithIndex", "step", "times", "upto"})
# Blocks that only set variables or concern the log: steps after the stage may be in them, too.
_NEUTRAL_BLOCKS = (
    *("if (", "withEnv(", "withCredentials(", "withAWS(", "withKubeConfig(", "withVault(", "withMaven"),
    *("withSonarQubeEnv", "sshagent", "ansiColor", "timestamps", "nodejs"),
)


class SourceStepContext(Struct, kw_only=True):
    """Where steps are: blocks around them, and the result of the stage for which they run."""

    directory: str = ""
    # The container of the pod; None for its default.
    container: str | None = None
    exports: tuple[tuple[str, str], ...] = ()
    when: str = "success"
    is_after: bool = False
    is_whole: bool = True
    # Whether they run after those of a failure.
    is_cleanup: bool = False
    # Whether other steps follow.
    is_early: bool = False
    precedes_unstash: bool = False
    # Whether they are in a block of another step.
    is_inner: bool = False
    # Whether they are in a block whose steps stay Groovy only as a whole; the ends of a `try` need not.
    is_in_block: bool = False
    is_tried: bool = False
    # Whether they are in the `catch` or `finally` of a `try`.
    is_end: bool = False
    # The arguments of `docker.withRegistry` around them.
    registry: tuple[GroovyValue, ...] = ()
    # Whether they are in the block that says where the stage runs.
    is_in_machine: bool = False

    @property
    def is_nested(self) -> bool:
        """Whether they stay Groovy only with the block or the `try` that they are in."""
        return self.is_in_block or self.is_tried


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
        self.title = title
        self._handlers = handlers
        # Whether the workspace has nothing but the checkout, and whether nothing reads it afterwards.
        self.is_fresh = True
        self.is_last = False
        # Whether later stages find the files that this one leaves.
        self.is_shared = False
        # Reads other Groovy of a block in a `script` block.
        self.read_groovy: GroovyHandler = _refuse
        # The texts of the functions of the file, which may have names of steps.
        self.functions: Mapping[str, str] = {}
        # The names of stashes that stay Groovy.
        self.groovy_stashes: Collection[str] = ()
        # The reason why each step stays Groovy; "" if they do not.
        self.stays_groovy = ""
        # Whether blocks that say where a stage runs stay Groovy.
        self.keeps_machines = False
        self.names = names
        self.work = work
        self.marks = marks

    def read(self, block: GroovyBlock, context: SourceStepContext) -> None:
        """Read the steps of *block*."""
        effective = [statement for statement in block.statements if not _is_needless(statement)]
        for at, statement in enumerate(block.statements, 1):
            inner = replace(
                context,
                is_whole=context.is_whole and (len(effective) == 1 or _is_needless(statement)),
                is_early=statement is not block.statements[-1] or not self.is_last,
                is_inner=True,
                precedes_unstash=context.precedes_unstash or any(map(_is_unstash, block.statements[at:])),
            )
            if isinstance(statement, GroovyCall):
                may_fail = "allow_failure" in self.work.keys
                self._step(statement, inner)
                if "allow_failure" in self.work.keys and not may_fail:
                    # Steps after `catchError` run in any case.
                    context = replace(context, when="always", is_after=True, is_whole=False)
            elif context.is_inner and (tried := tried_by(statement)) is not None:
                self.marks.all(statement)
                self._try(tried, inner, is_last=all(map(_keeps_files, block.statements[at:])))
            elif context.is_inner:
                self.read_groovy(self, block, statement, inner)
            else:
                self._leave_out(statement, "a config has no Groovy")

    def _try(self, tried: GroovyTry, context: SourceStepContext, *, is_last: bool) -> None:
        """Read a `try` around all steps of the stage, with steps of `post` in its `catch` and its `finally`."""
        if not context.is_whole or context.is_after or not is_last:
            raise StaysGroovyError("only all steps of a stage can have steps that follow in any case")
        names = {call.name for call in calls_in(tried.block) if call.block is not None}
        if names.difference(self._handlers):
            raise StaysGroovyError("the steps that follow in any case would be in another block")
        self.read(tried.block, replace(context, is_tried=True))
        before = len(self.work.after)
        after = replace(context, is_after=True, is_whole=False, is_tried=False, is_end=True)
        if tried.failing is not None:
            if any(first_read(_text_of(statement), (tried.error,)) for statement in tried.failing.statements):
                raise StaysGroovyError(f'its "catch" reads {tried.error}')
            self._read_failing(tried.failing, replace(after, when="failure"))
        if tried.ending is not None:
            self.read(tried.ending, replace(after, when="always"))
        if names and len(self.work.after) > before:
            raise StaysGroovyError("the commands that follow in any case would be in another block")

    def _read_failing(self, block: GroovyBlock, context: SourceStepContext) -> None:
        """Read the steps of a `catch`. Files that are kept after a stopped run, too, do no harm."""
        self.read(block, context)
        if not all(map(_keeps_files, block.statements)):
            self.marks.differs(
                block.span,
                'the steps in "catch" follow any failure and any stop of the stage, those in "failure" only a failure '
                "of its script",
                'add a stage to "finally" if they must follow in all of these cases',
            )

    def _step(self, call: GroovyCall, context: SourceStepContext) -> None:
        """Read *call*; if a part of it has no translation, keep all of it."""
        if context.is_nested:
            self._translate(call, context)
            return
        reason = self.attempt(lambda: self._translate(call, context))
        if reason is not None:
            self._keep(call, context, reason)

    def attempt(self, read: Callable[[], None]) -> str | None:
        """Return None after *read*; if it reads what has no translation, undo it and return the reason."""
        work, names = self.work.copy(), self.names
        try:
            with self.marks.trial():
                _as_groovy(read)
        except StaysGroovyError as error:
            self.work.restore(work)
            self.names = names
            return str(error)
        return None

    def _translate(self, call: GroovyCall, context: SourceStepContext) -> None:
        if self.stays_groovy:
            raise StaysGroovyError(self.stays_groovy)
        if context.is_after and call.name in _OF_FILES and self._has_changed_files(context):
            raise StaysGroovyError("it follows a step that stays Groovy")
        is_image = call.name.endswith(".push") and call.name.removesuffix(".push") in self.names.images
        name = "docker.image.push" if is_image else call.name
        is_step = name in self._handlers and not calls_function(call, self.functions)
        handler = self._handlers[name] if is_step else StepReader.surround
        comment = comment_around(call) if call.block is not None else ""
        _as_groovy(lambda: self.commented(comment, context, lambda: handler(self, call, context)))

    def commented(self, comment: str, context: SourceStepContext, read: Callable[[], None]) -> None:
        """Call *read*; *comment* is above the first command that it adds."""
        before = len(self._commands(context))
        read()
        commands = self._commands(context)
        if comment and len(commands) > before:
            first = commands[before]
            commands[before] = replace(first, comment="\n".join(filter(None, (comment, first.comment))))

    def _commands(self, context: SourceStepContext) -> list[ScriptCommand]:
        return self.work.after if context.is_after else self.work.commands

    def surround(self, call: GroovyCall, context: SourceStepContext, reason: str = "") -> None:
        """Read a block step that a config does not know, for this *reason*, around all steps of the stage."""
        _, dot, method = call.name.rpartition(".")
        if dot and method in _LOOPS:
            raise UntranslatableError("other engines would run a loop once")
        head = _head(call)
        if head is None or not context.is_whole or context.is_after or call.block is None:
            raise UntranslatableError(reason)
        if first_read(head, {*self.names.outside, *self.names.defined}):
            raise UntranslatableError(reason)
        self.work.wrap.append(head)
        self.marks.raw(replace(call, block=None), f'stage "{self.title}"', reason)
        self.read(call.block, context)

    def _keep(self, call: GroovyCall, context: SourceStepContext, reason: str) -> None:
        """Keep *call* as a step of Jenkins, before or after the script."""
        text = groovy_of(call)
        if first_read(text, self.names.defined) is not None or self._is_elsewhere(call, context):
            raise StaysGroovyError(reason)
        if name := first_read(text, self.names.outside):
            self._leave_out(call, f'it reads "{name}", which no Groovy of the config sets')
            return
        if context.is_after and (obstacle := self._obstacle_after(context)):
            if context.is_end:
                raise StaysGroovyError(f'a step in "catch" or "finally" stays Groovy, and {obstacle}')
            self._leave_out(call, obstacle)
            return
        self._kept_steps(context).append(call)
        self.marks.raw(call, f'stage "{self.title}"', reason)

    def keep_part(self, part: ScriptPart, defined: Collection[str], context: SourceStepContext, reason: str) -> None:
        """Keep *part* of a `script` block, in which names are *defined* that are constants elsewhere."""
        unknown = {*self.names.outside, *self.names.defined}.difference(defined)
        if first_read(part.text, unknown) or self._is_elsewhere(part, context):
            raise StaysGroovyError(reason)
        if context.is_after and self._obstacle_after(context):
            raise StaysGroovyError(reason)
        self._kept_steps(context).append(part)
        self.marks.raw(part, f'stage "{self.title}"', reason)

    def _is_elsewhere(self, call: GroovyCall, context: SourceStepContext) -> bool:
        """Return whether *call* does not run where the block for all steps of the stage says; files are in both."""
        is_outside = self.work.has_machine and not context.is_in_machine
        return is_outside and call.name not in (*_OF_FILES, "stash") and not notifies(call)

    def _kept_steps(self, context: SourceStepContext) -> list[GroovyCall]:
        """Return the steps of Jenkins to which one in *context* is added."""
        work = self.work
        if context.is_after:
            return work.steps_failure if context.when == "failure" else work.steps_always
        return work.steps_after if work.commands or work.steps_after else work.steps_before

    def _obstacle_after(self, context: SourceStepContext) -> str:
        """Return the reason why no step of Jenkins can follow the stage; "" if one can."""
        if context.is_cleanup and self.work.steps_failure:
            return "a config has no steps after those of a failure"
        if "retry" in self.work.keys:
            return "it would run after each attempt of the stage"
        block = next((head for head in self.work.wrap if not head.startswith(_NEUTRAL_BLOCKS)), None)
        return f'the block "{block}" would be around it' if block is not None else ""

    def _has_changed_files(self, context: SourceStepContext) -> bool:
        """Return whether a step of Jenkins that may change files is before those in *context*."""
        steps = (*self.work.steps_always, *(self.work.steps_failure if context.when == "failure" else ()))
        return any(step.block is not None or step.name in _CHANGING for step in steps)

    def _leave_out(self, statement: Statement, reason: str) -> None:
        """Report *statement*, and note the names that nothing sets without it."""
        self.names.outside.update(assigned(_text_of(statement)))
        self.marks.left_out(statement, reason)

    def command(self, call: GroovyCall, text: str, context: SourceStepContext) -> None:
        """Add the command *text*, which *call* runs."""
        self.add(command_of(text, comment_about(call)), context)

    def add(self, command: ScriptCommand, context: SourceStepContext) -> None:
        """Add *command* to the script."""
        if self.work.has_machine and not context.is_in_machine and not command.is_message:
            raise UntranslatableError("it does not run where the other steps of the stage do")
        if self.work.steps_always if context.is_after else self.work.steps_after:
            raise UntranslatableError("it follows a step that stays Groovy")
        if context.is_after and context.when == "failure":
            raise UntranslatableError("commands after a script do not know its result")
        if self.work.default_container is not None and not command.is_message:
            self._set_container(self.work.default_container if context.container is None else context.container)
        command = replace(command, directory=context.directory, exports=context.exports)
        self._commands(context).append(command)

    def _set_container(self, name: str) -> None:
        """Let the script run in the container *name* of its pod."""
        if self.work.container not in (None, name):
            raise UntranslatableError("the script of a stage runs in one container")
        self.work.container = name


Handler = Callable[[StepReader, GroovyCall, SourceStepContext], None]
GroovyHandler = Callable[[StepReader, GroovyBlock, Statement, SourceStepContext], None]


def _as_groovy(read: Callable[[], None]) -> None:
    """Call *read*; what has no translation stays Groovy."""
    try:
        read()
    except UntranslatableError as error:
        raise StaysGroovyError(str(error)) from error


def _refuse(_reader: StepReader, _block: GroovyBlock, _statement: Statement, _context: SourceStepContext) -> None:
    raise StaysGroovyError("a config has no Groovy")


def _text_of(statement: Statement) -> str:
    return (statement.whole if isinstance(statement, GroovyCall) else statement.span).text


def _is_needless(statement: Statement) -> bool:
    """Return whether *statement* has no effect on the other commands."""
    return isinstance(statement, GroovyCall) and statement.name in _LIGHT


def notifies(statement: Statement) -> bool:
    """Return whether *statement* only sends messages, which is the same on any agent."""
    if not isinstance(statement, GroovyCall):
        return False
    block = statement.block if statement.name == "catchError" else None
    return all(map(notifies, block.statements)) if block is not None else statement.name in _NOTIFYING


def _keeps_files(statement: Statement) -> bool:
    """Return whether *statement* keeps files, which a stage does at its end."""
    return isinstance(statement, GroovyCall) and statement.name in ("archiveArtifacts", "stash")


def _is_unstash(statement: Statement) -> bool:
    """Return whether *statement* is an `unstash`, or has one in its block."""
    if not isinstance(statement, GroovyCall):
        return False
    return any(call.name == "unstash" for call in (statement, *all_calls(statement)))


def one_line(call: GroovyCall) -> str | None:
    """Return *call* as Groovy on one line; None if it has a block, or a text that cannot be on one line."""
    return None if call.block is not None else on_one_line(call.whole.text)


def on_one_line(groovy: str) -> str | None:
    """Return *groovy*, one expression or call, on one line without its comments; None if a text in it cannot be."""
    text = _TRIPLE.sub(_text_on_one_line, groovy)
    lines = [re.sub(r"(?<!:)//.*", "", line).strip() for line in text.split("\n")]
    joined = " ".join(line for line in lines if line)
    return None if "'''" in joined or '"""' in joined else joined


def _text_on_one_line(match: re.Match[str]) -> str:
    """Return a text in triple quotes in single ones; unchanged if an expression in it has quotes."""
    quote, body = match[1][0], match[2]
    if any(quote in expression for expression in re.findall(r"\$\{[^}]*\}", body)):
        return match[0]
    body = re.sub(r"\\\n", "", body)
    escaped = re.sub(rf"\\.|{quote}", lambda match: match[0] if match[0] != quote else f"\\{quote}", body)
    return quote + escaped.replace("\n", "\\n") + quote


def _head(call: GroovyCall) -> str | None:
    """Return the call of a block step without its block, on one line; None if a text in it cannot be."""
    if call.block is None:
        return None
    text = on_one_line(call.whole.text[: call.block.span.start - call.whole.start])
    if text is None or any(token.text == "{" for token in GroovyTokens(text).tokens):
        return None
    return re.sub(r"^(\w+) \(", r"\1(", text)
