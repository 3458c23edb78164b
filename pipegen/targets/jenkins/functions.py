"""The constant functions at the end of a Jenkinsfile: those that it calls, and those that these call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

from pipegen.targets.jenkins import model

# In the order they are written, each with what it calls.
_CALLS: dict[str, tuple[str, ...]] = {
    "output": (),
    "sharedOutput": (),
    "oneLine": (),
    "changedFiles": (),
    "project": ("remote",),
    "projectShortName": ("project",),
    "remote": (),
    "timestamp": (),
    "branch": (),
}


def helpers(file: model.Jenkinsfile) -> model.Jenkinsfile:
    """Return *file* with the names of the functions that it needs."""
    needed = set(_called(file))
    for name in _CALLS:
        # Each is written before what it calls, but for one: go round once for each.
        needed.update(called for known in tuple(needed) for called in _CALLS.get(known, ()))
        del name
    return replace(file, helpers=tuple(name for name in _CALLS if name in needed))


def _called(value: object) -> Iterator[str]:
    match value:
        case model.OneLine():
            yield "oneLine"
            yield from _called(value.value)
        case model.Call():
            yield value.function
        case model.Code():
            yield value.text.removesuffix("()")
        case model.Variable():
            yield value.code.removesuffix("()")
        case tuple():
            for item in value:
                yield from _called(item)
        case _ if is_dataclass(value):
            for one in fields(value):
                yield from _called(getattr(value, one.name))
