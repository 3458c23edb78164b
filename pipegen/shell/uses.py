"""What a job's script reads: outputs, setup values, its own names."""

from __future__ import annotations

import re

from pipegen.bindings.expression import Defaulted, Reference, Scope, Text
from pipegen.plan.model import Export, Job, Output, Promote, Step
from pipegen.plan.model.texts import line_texts, step_texts
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.structs import MutableStruct, Struct, field

_NONE: frozenset[str] = frozenset()
# What `${name:-text}` takes between double quotes in every shell; shells differ on quotes, braces and backslashes.
_PLAIN_DEFAULT = re.compile(r"[A-Za-z0-9_ ./:@%+=,-]*")


class Uses(Struct, kw_only=True):
    """What a script uses, in order of first use; *own* holds the job's own names that must be worked out.

    *optional* are the inputs that may be empty: wherever one is read, a default stands in.
    """

    outputs: tuple[Output, ...]
    setup: tuple[str, ...]
    statuses: tuple[str, ...]
    inputs: tuple[str, ...]
    optional: frozenset[str]
    defaults: tuple[str, ...]
    own: frozenset[str]
    steps: tuple[Step, ...]


def uses(job: Job, host: ShellEnvironment) -> Uses:
    """Return what the script of *job* uses; exports that nobody reads are no steps of it."""
    read = _Read(own=set(job.outputs))
    kinds = {type(step) for step in job.steps}
    steps = job.steps if Export not in kinds else _needed(job)
    for step in steps:
        for text in step_texts(step, job.stage):
            read.add(text)
    if job.shared.image and host.images is Images.REGISTRY:
        read.own.add("imageID")
    own = frozenset(read.own)
    for service in job.machine.services:
        for text in line_texts(() if service.ready is None else (service.ready,)):
            read.add(text)
    if Promote in kinds:
        read.setup["logURL"] = None
    return Uses(
        outputs=tuple(read.outputs),
        setup=tuple(read.setup),
        statuses=tuple(read.statuses),
        inputs=tuple(read.inputs),
        optional=frozenset([name for name, is_bare in read.inputs.items() if not is_bare]) if read.inputs else _NONE,
        defaults=tuple(read.defaults),
        own=own,
        steps=steps,
    )


class _Read(MutableStruct):
    """What texts read, in order of first use; of an input, whether one reads it without a default.

    *defaults* are those that need a variable of their own.
    """

    own: set[str]
    outputs: dict[Output, None] = field(default_factory=dict)
    setup: dict[str, None] = field(default_factory=dict)
    statuses: dict[str, None] = field(default_factory=dict)
    inputs: dict[str, bool] = field(default_factory=dict)
    defaults: dict[str, None] = field(default_factory=dict)

    def add(self, text: Text) -> None:
        """Add what *text* reads."""
        for part in text.parts:
            if type(part) is Reference:
                self._add(part)
            elif type(part) is Defaulted:
                self._keep(part.default)
                self.add(part.text)

    def _add(self, reference: Reference) -> None:
        if reference.default:
            self._keep(reference.default)
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

    def _keep(self, default: str) -> None:
        if default and not is_plain(default):
            self.defaults[default] = None


def _needed(job: Job) -> tuple[Step, ...]:
    """Return the steps of *job* without exports that neither other jobs nor its own later steps read."""
    read = _Read(own=set(job.outputs))
    needed: list[Step] = []
    for step in reversed(job.steps):
        if isinstance(step, Export) and step.name not in read.own:
            continue
        needed.append(step)
        for text in step_texts(step, job.stage):
            read.add(text)
    return tuple(reversed(needed))


def is_plain(default: str) -> bool:
    """Return whether *default* may stand in an expansion as it is."""
    return _PLAIN_DEFAULT.fullmatch(default) is not None
