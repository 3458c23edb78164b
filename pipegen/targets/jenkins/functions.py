"""The constant functions at the end of a Jenkinsfile: those that it calls, and those that these call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from pipegen.targets.jenkins import model

# In the order in which they are written, each with what it calls.
_CALLS: dict[str, tuple[str, ...]] = {
    "succeeded": (),
    "within": (),
    "tryAgain": (),
    "runScript": (),
    "allowExitCodes": (),
    "setting": (),
    "parameter": (),
    "output": (),
    "sharedOutput": (),
    "oneLine": (),
    "cacheKey": (),
    "project": ("remote",),
    "projectShortName": ("project",),
    "remote": (),
    "timestamp": (),
    "branch": (),
}
# A head of ours that holds text of a user has it in quotes, so an opening bracket never follows the name there.
_CACHE_KEY = re.compile(r"cacheName: cacheKey\(")


def helpers(*parts: object) -> tuple[str, ...]:
    """Return the names of the functions that *parts* of the model need."""
    needed: set[str] = set()
    waiting = list(_called(parts))
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += _CALLS.get(name, ())
    return tuple(name for name in _CALLS if name in needed)


def _called(value: object) -> Iterator[str]:
    match value:
        case model.OneLine():
            yield "oneLine"
            yield from _called(value.value)
        case model.Call():
            yield value.function
        case model.Code():
            yield value.text.partition("(")[0]
        case tuple():
            for item in value:
                yield from _called(item)
        case model.Wrapped() if _CACHE_KEY.search(value.head):
            yield "cacheKey"
            yield from _called(value.steps)
        case _ if is_dataclass(value):
            yield from _own_calls(value)
            for one in fields(value):
                yield from _called(getattr(value, one.name))


def _own_calls(value: object) -> Iterator[str]:
    """Yield what *value* itself calls, without its parts."""
    match value:
        case model.Stage(tells_success=True):
            yield "succeeded"
        case model.Sh(tells_status=True):
            yield "runScript"
        case model.Wrapped():
            yield value.head.partition("(")[0]
