"""A condition as the value of `when`."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.emit.yaml import Data
from pipegen.importing.logic import Condition, Conjunction, Disjunction, Opposite, StageTest, flat


def as_when(whole: Condition) -> dict[str, Data]:
    """Return *whole*, which is neither always true nor never, as the value of `when`."""
    match whole:
        case StageTest():
            return _test(whole)
        case Opposite():
            if isinstance(whole.part, StageTest) and _is_unset(whole):
                return _test(whole.part, is_set=False)
            return {"not": as_when(whole.part)}
        case Disjunction():
            parts = _joined(whole.parts)
            if common := _common(parts):
                return _all((*common, flat(Disjunction(tuple(_without(part, common) for part in parts)))))
            return as_when(parts[0]) if len(parts) == 1 else {"any": [as_when(part) for part in parts]}
        case Conjunction():
            return _all(whole.parts)


def _common(parts: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return what is in each of *parts*, all of which have something else, too."""
    conjunctions = [part.parts for part in parts if isinstance(part, Conjunction)]
    if not parts[1:] or len(conjunctions) < len(parts):
        return ()
    common = tuple(condition for condition in conjunctions[0] if all(condition in others for others in conjunctions))
    return common if all(len(conjunction) > len(common) for conjunction in conjunctions) else ()


def _without(part: Condition, common: Sequence[Condition]) -> Condition:
    """Return the conjunction *part* without those in *common*."""
    rest = (
        tuple(condition for condition in part.parts if condition not in common)
        if isinstance(part, Conjunction)
        else (part,)
    )
    return rest[0] if len(rest) == 1 else Conjunction(rest)


def _all(parts: Sequence[Condition]) -> dict[str, Data]:
    refused = [part.part for part in parts if isinstance(part, Opposite) and not _is_unset(part)]
    rest = [part for part in parts if not isinstance(part, Opposite) or _is_unset(part)]
    if refused:
        rest.append(Opposite(flat(Disjunction(tuple(refused)))))
    result: dict[str, Data] = {}
    pieces = [as_when(part) for part in rest]
    for piece in pieces:
        for key, value in piece.items():
            known = result.get(key)
            if known is None:
                result[key] = value
            elif isinstance(known, dict) and isinstance(value, dict) and key in ("env", "inputs"):
                if known.keys() & value.keys():
                    return {"all": list(pieces)}
                result[key] = {**known, **value}
            else:
                return {"all": list(pieces)}
    return result


def _is_unset(part: Opposite) -> bool:
    return isinstance(part.part, StageTest) and not part.part.patterns and part.part.key != "equal"


def _joined(parts: Sequence[Condition]) -> list[Condition]:
    """Return *parts*, of which one must hold, with the patterns of one key in one test."""
    joined: dict[tuple[str, str, str], StageTest] = {}
    result: list[Condition] = []
    for part in parts:
        if not isinstance(part, StageTest) or not part.patterns:
            result.append(part)
            continue
        key = (part.key, part.name, part.other)
        if key in joined:
            at = result.index(joined[key])
            patterns = tuple(dict.fromkeys((*joined[key].patterns, *part.patterns)))
            joined[key] = result[at] = StageTest(part.key, part.name, patterns, part.other)
        else:
            joined[key] = part
            result.append(part)
    return result


def _test(test: StageTest, *, is_set: bool = True) -> dict[str, Data]:
    if test.key == "equal":
        return {"equal": [test.name, test.other]}
    value: Data = list(test.patterns) if len(test.patterns) > 1 else test.patterns[0] if test.patterns else is_set
    if test.key == "changes" and test.other:
        value = {"paths": value, "base": test.other}
    return {test.key: {test.name: value}} if test.name else {test.key: value}
