"""The constant functions at the end of a Jenkinsfile: those that it calls, and those that these call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pipegen.targets.jenkins import model

# In the order of the file, each with the functions that it calls.
_CALLS: dict[str, tuple[str, ...]] = {
    "succeeded": (),
    "unlessSucceeded": ("succeeded",),
    "status": ("succeeded",),
    "statusOfAll": ("succeeded",),
    "noFork": (),
    "inNetwork": (),
    "within": (),
    "ifApproved": (),
    "afterApproval": (),
    "ifApprovedWhere": ("ifApproved",),
    "withTools": (),
    "tryAgain": (),
    "allowExitCodes": (),
    "allowFailure": (),
    "checkedParameter": (),
    "parameter": (),
    "output": (),
    "outputIfThere": ("output", "isStashed"),
    "builtImage": (),
    "keep": (),
    "startJob": (),
    "sharedOutput": (),
    "sharedOutputIfThere": ("sharedOutput",),
    "hasStashed": (),
    "unstashIfThere": ("isStashed",),
    "isStashed": (),
    "oneLine": (),
    "cacheKey": (),
    "branch": (),
    "actor": (),
    "previousResult": (),
    "event": (),
    "hasChanged": ("anyMatches",),
    "isInRepository": ("anyMatches",),
    "anyMatches": (),
    "lookAtFiles": (),
    "usualDifference": ("event", "difference"),
    "difference": (),
}
# The functions that conditions may call.
_CONDITION_CALLS = re.compile(r"\b(branch|event|hasChanged|isInRepository|statusOfAll)\(")

# The functions that implement steps.
_BLOCKS: dict[type, str] = {
    model.NoFork: "noFork",
    model.ServiceContainer: "inNetwork",
    model.Succeeded: "succeeded",
    model.Keep: "keep",
}
# All nouns that may call a function.
_CALLING = frozenset(
    {
        *_BLOCKS,
        *(
            model.OneLine,
            model.FunctionCall,
            model.GroovyCode,
            model.Unstash,
            model.Stash,
            model.StartJob,
            model.Look,
            model.SelectionParameter,
            model.Block,
            model.StageBlock,
        ),
        model.Wrapped,
    }
)


def helpers(parts: Iterable[object], look: model.Look | None = None) -> tuple[str, ...]:
    """Return the names of the functions that *parts* of the model need, without their inner parts.

    Only the user's own Groovy calls functions that need files for which the build does not *look*.
    """
    absent = set() if look is not None and (look.bases or look.has_usual) else {"hasChanged"}
    absent |= set() if look is not None and look.lists_files else {"isInRepository"}
    needed: set[str] = set()
    pending = [name for part in parts if type(part) in _CALLING for name in _own(part)]
    while pending:
        name = pending.pop()
        if name not in needed and name not in absent:
            needed.add(name)
            pending += _CALLS.get(name, ())
    return tuple(name for name in _CALLS if name in needed)


def _own(value: object) -> Iterator[str]:
    """Yield the functions that *value* itself calls, without its parts."""
    match value:
        case model.Unstash():  # the most frequent ones first
            yield from ("unstashIfThere",) if value.is_optional else ()
        case model.Stash():
            yield from ("hasStashed",) if value.is_tested else ()
        case model.Block() | model.StageBlock() | model.Look() | model.SelectionParameter():
            yield from _condition_calls(value)
        case model.OneLine():
            yield "oneLine"
        case model.FunctionCall():
            yield value.function
        case model.GroovyCode():
            yield value.text.partition("(")[0]
        case model.StartJob(is_checked=True):
            yield "startJob"
        case _ if type(value) in _BLOCKS:
            yield _BLOCKS[type(value)]
        case model.Wrapped():
            yield from re.findall(r"\w+(?=\()", value.head)


def _condition_calls(value: model.Block | model.Look | model.SelectionParameter | model.StageBlock) -> Iterator[str]:
    """Yield the functions that decide whether stages run, or whether one has succeeded."""
    match value:
        case model.Block():
            yield from _CONDITION_CALLS.findall("\n".join(value.when))
        case model.StageBlock():
            yield from _CONDITION_CALLS.findall("\n".join(value.when) or value.condition)
            yield from ("unlessSucceeded",) if value.tells_success else ()
        case model.Look():
            yield "lookAtFiles"
            yield from ("difference",) if value.bases else ()
            yield from ("usualDifference",) if value.has_usual else ()
        case model.SelectionParameter():
            conditions = (condition for part in value.conditions for _, condition in part)
            yield from (name for condition in conditions for name in _CONDITION_CALLS.findall(condition))
