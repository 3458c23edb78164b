"""What a job's script reads: outputs, setup values, its own names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from pipegen.bindings.expression import Defaulted, Reference, Scope, Text
from pipegen.plan.model import Export, Job, Output, Promote, Step
from pipegen.plan.model.texts import line_texts, step_texts
from pipegen.shell.host import Host, Images
from pipegen.structs import MutableStruct, Struct, field

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


def uses(job: Job, host: Host) -> Uses:
    """Return what the script of *job* uses; exports that nobody reads are no steps of it."""
    held = [(step, tuple(step_texts(step, job.stage))) for step in job.steps]
    own = _own(job, held, host)
    held = [(step, texts) for step, texts in held if not isinstance(step, Export) or step.name in own]
    steps = tuple(step for step, _ in held)
    ready = line_texts([service.ready for service in job.machine.services if service.ready is not None])
    texts = [*chain.from_iterable(texts for _, texts in held), *ready]
    read = _Read()
    for text in texts:
        for reference in text.references():
            read.add(reference)
    if any(isinstance(step, Promote) for step in steps):
        read.setup["logURL"] = None
    defaulted = [default for text in texts for default in _defaults(text)]
    return Uses(
        outputs=tuple(read.outputs),
        setup=tuple(read.setup),
        statuses=tuple(read.statuses),
        inputs=tuple(read.inputs),
        optional=frozenset(name for name, is_bare in read.inputs.items() if not is_bare),
        defaults=tuple(dict.fromkeys(defaulted)),
        own=own,
        steps=steps,
    )


class _Read(MutableStruct):
    """What references read, in order of first use; of an input, whether one reads it without a default."""

    outputs: dict[Output, None] = field(default_factory=dict)
    setup: dict[str, None] = field(default_factory=dict)
    statuses: dict[str, None] = field(default_factory=dict)
    inputs: dict[str, bool] = field(default_factory=dict)

    def add(self, reference: Reference) -> None:
        """Add what *reference* reads."""
        match reference.scope:
            case Scope.STAGE:
                self.outputs[Output(reference.namespace or "", reference.name)] = None
            case Scope.SETUP:
                self.setup[reference.name] = None
            case Scope.STATUS:
                self.statuses[reference.namespace or ""] = None
            case Scope.INPUT:
                self.inputs[reference.name] = self.inputs.get(reference.name, False) or not reference.default


def _own(job: Job, held: Sequence[tuple[Step, Sequence[Text]]], host: Host) -> frozenset[str]:
    """Return the job's own names that other jobs or its own later steps use; *held* are its steps with their texts."""
    names = set(job.outputs)
    for step, texts in reversed(held):
        if isinstance(step, Export) and step.name not in names:
            continue
        for text in texts:
            for reference in text.references():
                if reference.scope is Scope.OWN:
                    names.add(reference.name)
    if job.shared.image and host.images is Images.REGISTRY:
        names.add("imageID")
    return frozenset(names)


def _defaults(text: Text) -> Iterator[str]:
    """Yield the defaults in *text* that need a variable of their own."""
    for part in text.parts:
        if isinstance(part, Reference | Defaulted):
            if part.default and not is_plain(part.default):
                yield part.default
            if isinstance(part, Defaulted):
                yield from _defaults(part.text)


def is_plain(default: str) -> bool:
    """Return whether *default* may stand in an expansion as it is."""
    return _PLAIN_DEFAULT.fullmatch(default) is not None
