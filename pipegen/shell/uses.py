"""The names that a job's script uses: outputs, setup values, inputs, its own names."""

from __future__ import annotations

import re
from itertools import chain

from pipegen.bindings.expression import Bare, Defaulted, Part, Reference, Scope, Text
from pipegen.bindings.script.model import Body, Escaped, ScriptPart
from pipegen.plan.model import Commands, Export, Job, Line, Output, Promote, Step
from pipegen.plan.model.texts import case_texts, line_texts, step_texts
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.shell.names import JobWords
from pipegen.structs import MutableStruct, Struct, field

_NONE: frozenset[str] = frozenset()
# Fewer combinations are read one by one, which takes no more lines than a loop.
_MANY = 4
# Text that every shell accepts in "${name:-text}"; shells differ on quotes, braces and backslashes.
_PLAIN_DEFAULT = re.compile(r"[A-Za-z0-9_ ./:@%+=,-]*")


class Uses(Struct, kw_only=True):
    """The names that a script uses, in order of first use; *own* are the job's own names that it must compute.

    *lists* are outputs of combinations that the script reads as one value, with each on a line. *read* are those that
    the steps themselves read. *optional* are the inputs that may be empty: every read of them has a default.
    """

    outputs: tuple[Output, ...]
    lists: tuple[tuple[Output, ...], ...]
    setup: tuple[str, ...]
    statuses: tuple[str, ...]
    inputs: tuple[str, ...]
    optional: frozenset[str]
    defaults: tuple[str, ...]
    own: frozenset[str]
    read: frozenset[str]
    steps: tuple[Step, ...]

    @property
    def all_outputs(self) -> tuple[Output, ...]:
        """The outputs, also those in lists."""
        return (*self.outputs, *chain(*self.lists))


def uses(job: Job, host: ShellEnvironment) -> Uses:
    """Return the names that the script of *job* uses, and its steps without unread exports."""
    references = _References(own=set())
    kinds = {type(step) for step in job.steps}
    steps = job.steps if Export not in kinds else _needed(job)
    for step in steps:
        for text in step_texts(step, job.stage):
            references.add(text)
    read = frozenset(references.own) if references.own else _NONE
    own = read.union(job.outputs) if job.outputs else read
    if job.shared.image and host.images is Images.REGISTRY and not host.names_images:
        own |= {"imageID"}
    for text in case_texts(job.cases):
        references.add(text)
    for service in job.machine.services:
        for text in line_texts(() if service.ready is None else (service.ready,)):
            references.add(text)
    if Promote in kinds:
        references.setup["logURL"] = None
    return Uses(
        outputs=tuple(references.outputs),
        lists=tuple(references.lists),
        setup=tuple(references.setup),
        statuses=tuple(references.statuses),
        inputs=tuple(references.inputs),
        optional=frozenset([name for name, is_bare in references.inputs.items() if not is_bare])
        if references.inputs
        else _NONE,
        defaults=tuple(references.defaults),
        own=own,
        read=read,
        steps=steps,
    )


class _References(MutableStruct):
    """The names that texts read, in order of first use; for an input, whether a read has no default.

    *defaults* are those that need their own variable.
    """

    own: set[str]
    outputs: dict[Output, None] = field(default_factory=dict)
    lists: dict[tuple[Output, ...], None] = field(default_factory=dict)
    setup: dict[str, None] = field(default_factory=dict)
    statuses: dict[str, None] = field(default_factory=dict)
    inputs: dict[str, bool] = field(default_factory=dict)
    defaults: dict[str, None] = field(default_factory=dict)

    def add(self, text: Text) -> None:
        """Add the names that *text* reads."""
        if outputs := outputs_of_lines(text):
            self.lists[outputs] = None
            return
        for part in text.parts:
            if type(part) is Reference:
                self._add(part)
            elif type(part) is Defaulted:
                self._add_default(part.default)
                self.add(part.text)

    def _add(self, reference: Reference) -> None:
        if reference.default:
            self._add_default(reference.default)
        match reference.scope:
            case Scope.STAGE:
                self.outputs[Output(reference.namespace or "", reference.name)] = None
            case Scope.OWN:
                self.own.add(reference.name)
            case Scope.SETUP:
                self.setup[reference.name] = None
            case Scope.STATUS:
                self.statuses[reference.namespace or ""] = None
            case Scope.INPUT:
                self.inputs[reference.name] = self.inputs.get(reference.name, False) or not reference.default

    def _add_default(self, default: str) -> None:
        if default and not is_plain(default):
            self.defaults[default] = None


def outputs_of_lines(text: Text) -> tuple[Output, ...]:
    """Return the outputs of a name that *text* has on a line each, if there are many; else ()."""
    lines, breaks = text.parts[::2], text.parts[1::2]
    if len(lines) < _MANY or len(lines) == len(breaks) or any(part != "\n" for part in breaks):
        return ()
    outputs = [
        Output(part.namespace or "", part.name)
        for part in lines
        if type(part) is Reference and part.scope is Scope.STAGE and not part.default
    ]
    is_one_name = len(outputs) == len(lines) and len({output.name for output in outputs}) == 1
    return tuple(outputs) if is_one_name else ()


def job_words(job: Job) -> JobWords:
    """Return the words of *job*'s own texts, and the names of variables that it gets."""
    return JobWords(lambda: _texts(job))


def _texts(job: Job) -> list[str]:
    texts = [name for credential in job.secrets for name in credential.variables]
    if job.combination is not None:
        texts += [name for name, _ in job.combination.values]
    parts: list[ScriptPart | Part] = [part for line in _lines(job) for part in line.script.parts]
    for step in job.steps:
        texts += [name for name, _ in step.env] if isinstance(step, Commands) else ()
        parts += [part for text in step_texts(step, job.stage) for part in text.parts]
    if job.cases:
        texts += job.case_names
        parts += [part for text in case_texts(job.cases) for part in text.parts]
    for part in parts:
        if type(part) is str:
            texts.append(part)
        elif type(part) is Escaped or type(part) is Body:
            texts.append(part.text)
        elif type(part) is Bare:
            texts.append(part.name)
    return texts


def _lines(job: Job) -> list[Line]:
    """Return the entries of the scripts of *job*."""
    lines = [*job.after]
    for step in job.steps:
        if isinstance(step, Commands):
            lines += step.lines
            lines += [output.command for output in step.outputs if output.command is not None]
    return [*lines, *(service.ready for service in job.machine.services if service.ready is not None)]


def _needed(job: Job) -> tuple[Step, ...]:
    """Return the steps of *job* without exports that neither other jobs nor later steps read."""
    references = _References(own=set(job.outputs))
    needed: list[Step] = []
    for step in reversed(job.steps):
        if isinstance(step, Export) and step.name not in references.own:
            continue
        needed.append(step)
        for text in step_texts(step, job.stage):
            references.add(text)
    return tuple(reversed(needed))


def is_plain(default: str) -> bool:
    """Return whether *default* needs no escaping in an expansion."""
    return _PLAIN_DEFAULT.fullmatch(default) is not None
