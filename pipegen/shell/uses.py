"""What a job's script reads: outputs, setup values, its own names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from pipegen.bindings.expression import Defaulted, Reference, Scope, Text
from pipegen.plan.model import Export, Job, Output, Promote, Step
from pipegen.plan.model.texts import line_texts, step_texts
from pipegen.shell.host import Host, Images

# What `${name:-text}` takes between double quotes in every shell; shells differ on quotes, braces and backslashes.
_PLAIN_DEFAULT = re.compile(r"[A-Za-z0-9_ ./:@%+=,-]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Uses:
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
    own = _own(job, host)
    steps = tuple(step for step in job.steps if not isinstance(step, Export) or step.name in own)
    ready = [service.ready for service in job.machine.services if service.ready is not None]
    texts = [*chain.from_iterable(step_texts(step, job.stage) for step in steps), *line_texts(ready)]
    references = [reference for text in texts for reference in text.references()]
    setup = [reference.name for reference in references if reference.scope is Scope.SETUP]
    if any(isinstance(step, Promote) for step in steps):
        setup.append("logURL")
    inputs = tuple(dict.fromkeys(one.name for one in references if one.scope is Scope.INPUT))
    return Uses(
        outputs=tuple(
            dict.fromkeys(
                Output(reference.namespace or "", reference.name)
                for reference in references
                if reference.scope is Scope.STAGE
            )
        ),
        setup=tuple(dict.fromkeys(setup)),
        statuses=tuple(dict.fromkeys(one.namespace or "" for one in references if one.scope is Scope.STATUS)),
        inputs=inputs,
        optional=frozenset(inputs).difference(one.name for one in references if _is_bare_input(one)),
        defaults=tuple(dict.fromkeys(default for text in texts for default in _defaults(text))),
        own=own,
        steps=steps,
    )


def _is_bare_input(reference: Reference) -> bool:
    return reference.scope is Scope.INPUT and not reference.default


def _own(job: Job, host: Host) -> frozenset[str]:
    """Return the job's own names that other jobs or its own later steps use."""
    names = set(job.outputs)
    for step in reversed(job.steps):
        if isinstance(step, Export) and step.name not in names:
            continue
        for text in step_texts(step, job.stage):
            names.update(reference.name for reference in text.references() if reference.scope is Scope.OWN)
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
