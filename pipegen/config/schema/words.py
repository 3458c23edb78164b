"""What to say about a violation that needs no special words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pipegen.config.schema.hints import hint_for
from pipegen.config.schema.places import TreePaths
from pipegen.config.schema.violation import Path, Violation, type_name
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion

# More keys than these are no help in a message.
_FEW = 8
# Nobody reads on after so many unknown keys of one map.
_MOST = 1_000

_TYPES = {
    "null": "nothing",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "array": "a list",
    "object": "a map",
}


def tell(violations: Sequence[Violation], places: TreePaths, report: Report) -> None:
    """Report *violations*; a missing key for which an unknown one looks like a slip is not told of twice."""
    slips: set[tuple[Path, str]] = set()
    others = []
    unknown: dict[Path, list[Violation]] = {}
    for violation in violations:
        if violation.keyword == "additionalProperties":
            unknown.setdefault(violation.path, []).append(violation)
        else:
            others.append(violation)
    for path, found in unknown.items():
        for number, violation in enumerate(found[:_MOST], 1):
            if meant := _unknown_key(violation, len(found) - _MOST if number == _MOST else 0, places, report):
                slips.add((path, meant))
    for violation in others:
        if violation.keyword != "required" or (violation.path, violation.key) not in slips:
            _tell(violation, places, report)


def _tell(violation: Violation, places: TreePaths, report: Report) -> None:
    match violation.keyword:
        case "required" | "dependentRequired":
            _missing_key(violation, places, report)
        case "anyOf" | "oneOf" if all(isinstance(group, list) for group in _sequence(violation.limit)):
            _missing_group(violation, places, report)
        case "oneOf":
            _rival_groups(violation, places, report)
        case "type":
            _wrong_type(violation, places, report)
        case "propertyNames":
            _wrong_key(violation, places, report)
        case _:
            _invalid_value(violation, places, report)


def _unknown_key(violation: Violation, more: int, places: TreePaths, report: Report) -> str | None:
    """Report the key, after which so many *more* are not told of; return the one that it looks like."""
    choices = tuple(_properties(violation))
    meant = suggestion(violation.key, choices)
    entry = places.entry((*violation.path, violation.key))
    report.add(
        codes.UNKNOWN_KEY,
        f'unknown key "{violation.key}" in {places.title(violation.path)}'
        + (f", and {more:,} more" if more > 0 else ""),
        at=entry.key.span if entry else None,
        label=f'did you mean "{meant}"?' if meant else "no such key",
        hint=f'rename it to "{meant}"' if meant else _known(choices),
    )
    return meant


@lru_cache
def _known(choices: tuple[str, ...]) -> str | None:
    """Return a hint that names the keys that may stand there."""
    if any(choice.startswith("$") for choice in choices):
        return f"beside {listed(choices)} no other key may stand"
    return f"known are {listed(choices)}" if len(choices) <= _FEW and choices else None


def _missing_key(violation: Violation, places: TreePaths, report: Report) -> None:
    example = _example(violation)
    report.add(
        codes.MISSING_KEY,
        f'{places.title(violation.path)} has no "{violation.key}"',
        at=places.key(violation.path),
        label=f'"{violation.key}" is missing here',
        hint=f'add "{violation.key}: {example}"' if example else f'add the key "{violation.key}"',
    )


def _missing_group(violation: Violation, places: TreePaths, report: Report) -> None:
    """Report a map that has none of several groups of keys; a group that it has in part is the one meant."""
    groups: Any = violation.limit
    given = places.keys(violation.path)
    begun = next((group for group in groups if set(group) & set(given)), None)
    choices = [begun] if begun else groups
    words = ", or ".join(" and ".join(f'"{key}"' for key in group if key not in given) for group in choices)
    report.add(
        codes.MISSING_KEY,
        f"{places.title(violation.path)} needs {words}",
        at=places.key(violation.path),
        label="missing here",
        hint=f"add {words}",
    )


def _rival_groups(violation: Violation, places: TreePaths, report: Report) -> None:
    """Report a map that has several groups of keys of which it may have one."""
    branches: Any = violation.limit
    given = places.keys(violation.path)
    rivals = [key for branch in branches for key in branch.get("required", ()) if key in given]
    entries = [places.entry((*violation.path, key)) for key in rivals]
    spans = [entry.key.span for entry in entries if entry is not None]
    report.add(
        codes.INVALID_VALUE,
        f"{places.title(violation.path)} has {listed(rivals)}, of which only one may stand",
        at=spans[-1] if spans else places.key(violation.path),
        also=[Label(span) for span in spans[:-1]],
        hint="keep one, and remove what belongs to the others",
    )


def _wrong_type(violation: Violation, places: TreePaths, report: Report) -> None:
    title, limit = places.title(violation.path), _type_names(violation)
    if violation.value is None:
        message, label = f"{title} has no value", f"{limit} is expected here"
        what = "key" if isinstance((violation.path or ("",))[-1], str) else "dash"
        hint: str | None = f"write its value, or remove the {what}"
    else:
        given = _given(violation.value)
        message, label = f"{title} takes {limit}, not {given}", f"this is {given}"
        hint = hint_for(violation, places)
    report.add(codes.WRONG_TYPE, message, at=places.mark(violation.path), label=label, hint=hint)


def _wrong_key(violation: Violation, places: TreePaths, report: Report) -> None:
    entry = places.entry((*violation.path, violation.key))
    report.add(
        codes.INVALID_VALUE,
        f'{places.title(violation.path)} takes no key "{violation.key}"'
        if violation.key
        else f"a key of {places.title(violation.path)} is empty",
        at=entry.key.span if entry else places.key(violation.path),
    )


def _invalid_value(violation: Violation, places: TreePaths, report: Report) -> None:
    title, limit = places.title(violation.path), violation.limit
    hint = None
    match violation.keyword, limit:
        case "enum", [*choices]:
            takes = f"takes {_either([_shown(choice) for choice in choices])}, not {_shown(violation.value)}"
            meant = suggestion(str(violation.value), [str(choice) for choice in choices])
            hint = f'did you mean "{meant}"?' if meant else None
        case "const", choice:
            takes = f"takes {_shown(choice)} only"
        case "minimum", _:
            takes = f"takes a number from {limit} up, not {violation.value}"
        case "maximum", _:
            takes = f"takes a number up to {limit}, not {violation.value}"
        case (("minItems" | "minProperties"), 1):
            takes, hint = "is empty", "write at least one"
        case "minLength", 1:
            takes = "is empty"
        case "uniqueItems", _:
            takes = "names something twice"
        case _:
            takes = f"takes no {_shown(violation.value)}"
            hint = f"write it as in {example}" if (example := _own_example(violation)) else None
    report.add(codes.INVALID_VALUE, f"{title} {takes}", at=places.mark(violation.path), hint=hint)


def _type_names(violation: Violation) -> str:
    limit: Any = violation.limit
    # Where text is meant, numbers and booleans are taken as written: to say so would confuse.
    types = [name for name in limit if "string" not in limit or name not in {"number", "integer", "boolean"}]
    return _either([_TYPES[name] for name in types])


def _given(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _TYPES[type_name(value)]


def _shown(value: object) -> str:
    match value:
        case str():
            return f'"{value}"'
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case _:
            return _given(value)


def _either(words: list[str] | tuple[str, ...]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _properties(violation: Violation) -> dict[str, Any]:
    properties: Any = violation.schema.get("properties", {})
    return dict(properties)


def _example(violation: Violation) -> str:
    """Return a value on one line for the missing key, if the schema has one."""
    examples = _properties(violation).get(violation.key, {}).get("examples", [])
    return next((example for example in examples if isinstance(example, str)), "")


def _own_example(violation: Violation) -> str:
    examples: Any = violation.schema.get("examples", [])
    return next((_shown(example) for example in examples), "")
