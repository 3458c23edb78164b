"""Messages for schema violations, by keyword."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pipegen.config.flow import flow
from pipegen.config.schema.file import known_keys
from pipegen.config.schema.hints import hint_for
from pipegen.config.schema.tree_paths import DEFAULTS, TEMPLATE, TreePaths
from pipegen.config.schema.violation import Path, Violation, type_name
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, either, listed, suggestion
from pipegen.source.tree import Entry, Scalar

# Messages list at most this many keys.
_MAX_LISTED = 8
# The number of unknown keys of one map that are reported.
_MAX_REPORTED = 1_000

# Hints for names of keys, by the pattern that they do not match.
_NAME_HINTS: Mapping[str, str] = {
    r"^[A-Za-z_][A-Za-z0-9_]*$": 'use letters, digits and "_", and do not start with a digit',
    r"^[A-Za-z_][A-Za-z0-9_-]*$": 'use letters, digits, "_" and "-", and start with a letter or "_"',
    r"^[A-Za-z]\w*$": 'use letters, digits and "_", and start with a letter',
}
# Hints for values that other systems have for a key.
_OTHER_WORDS: Mapping[tuple[object, object], str] = {
    **{("type", word): 'write "number"' for word in ("int", "integer", "float")},
    **{("type", word): 'write "boolean"' for word in ("bool", "checkbox")},
    **{("type", word): 'write "string"' for word in ("text", "str", "password")},
    **{
        ("type", word): 'remove "type", and list the values in "choices"'
        for word in ("choice", "enum", "list", "array")
    },
    ("depth", "0"): 'write "shallow: false" to fetch the whole history',
    ("on", "always"): 'remove "on": without it, every failure is retried',
    ("action", "start"): 'remove "action": a stage with an environment deploys to it',
    (
        "action",
        "stop",
    ): 'remove "action", and name this stage in "on_stop" of the environment of the stage that deploys',
    ("concurrency", "cancel"): 'write "concurrency: { cancel: true }" for runs that cancel older ones',
    **{
        ("concurrency", word): 'write "concurrency: {}" for runs that wait for each other'
        for word in ("queue", "wait", "true")
    },
    ("concurrency", "false"): 'remove "concurrency": without it, runs are independent',
}

# Keys that take a list, whose singular people write with one text.
_LISTS = frozenset({"paths", "services", "files", "args"})

_TYPES = {
    "null": "nothing",
    "boolean": "true or false",
    "true": "true",
    "false": "false",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "array": "a list",
    "object": "a map",
}


def report_violations(violations: Sequence[Violation], tree_paths: TreePaths, report: Report) -> None:
    """Report *violations*; a missing key is not reported if an unknown key looks like a typo of it."""
    misspelled_keys: set[tuple[Path, str]] = set()
    others = []
    unknown_by_path: dict[Path, list[Violation]] = {}
    for violation in violations:
        if violation.keyword == "additionalProperties":
            unknown_by_path.setdefault(violation.path, []).append(violation)
        else:
            others.append(violation)
    for path, unknown_keys in unknown_by_path.items():
        for number, violation in enumerate(unknown_keys[:_MAX_REPORTED], 1):
            if suggested := _unknown_key(
                violation, len(unknown_keys) - _MAX_REPORTED if number == _MAX_REPORTED else 0, tree_paths, report
            ):
                misspelled_keys.add((path, suggested))
    for violation in others:
        if not any((violation.path, key) in misspelled_keys for key in _missing_keys(violation)):
            _report_violation(violation, tree_paths, report)


def _missing_keys(violation: Violation) -> tuple[str, ...]:
    """Return the missing keys that *violation* reports: the key, or those of all groups of which one is required."""
    if violation.keyword in {"required", "dependentRequired"}:
        return (violation.key,)
    if violation.keyword in {"anyOf", "oneOf"}:
        return tuple(key for group in _sequence(violation.limit) if isinstance(group, list) for key in group)
    return ()


def _report_violation(violation: Violation, tree_paths: TreePaths, report: Report) -> None:
    match violation.keyword:
        case "dependentRequired" if _is_of_rival(violation, tree_paths):
            _keys_of_rival(violation, tree_paths, report)
        case "required" | "dependentRequired":
            _missing_key(violation, tree_paths, report)
        case "anyOf" | "oneOf" if all(isinstance(group, list) for group in _sequence(violation.limit)):
            _missing_group(violation, tree_paths, report)
        case "oneOf":
            _rival_groups(violation, tree_paths, report)
        case "type":
            _wrong_type(violation, tree_paths, report)
        case "propertyNames":
            _wrong_key(violation, tree_paths, report)
        case _:
            _invalid_value(violation, tree_paths, report)


def _unknown_key(violation: Violation, more: int, tree_paths: TreePaths, report: Report) -> str | None:
    """Report the unknown key, and the number of *more* that are not reported; return the key it is a typo of."""
    choices = tuple(_properties(violation))
    # `image: {image: …}`: the value of a key with its own name.
    is_own = violation.key in violation.path[-1:] and "name" in choices
    suggested = "name" if is_own else suggestion(violation.key, choices)
    entry = tree_paths.entry((*violation.path, violation.key))
    report.add(
        codes.UNKNOWN_KEY,
        f'unknown key "{violation.key}" in {tree_paths.title(violation.path)}'
        + (f", and {more:,} more" if more > 0 else ""),
        at=entry.key.span if entry else None,
        label=f'did you mean "{suggested}"?' if suggested else "no such key",
        hint=_renamed(violation.key, suggested, entry) if suggested else _hint_for_key(violation, tree_paths, choices),
    )
    return suggested


def _hint_for_key(violation: Violation, tree_paths: TreePaths, choices: tuple[str, ...]) -> str | None:
    if violation.key == "name" and tree_paths.pattern(violation.path) in {DEFAULTS, TEMPLATE}:
        return "remove it: each stage has its own name"
    return _known_keys_hint(choices)


def _renamed(key: str, suggested: str, entry: Entry | None) -> str:
    """Return the hint to rename *key*, and to write its text as a list if the plural takes one."""
    if suggested == f"{key}s" and suggested in _LISTS and entry is not None and isinstance(entry.value, Scalar):
        return f'write "{suggested}: {flow([entry.value])}"'
    return f'rename it to "{suggested}"'


@lru_cache
def _known_keys_hint(choices: tuple[str, ...]) -> str | None:
    """Return a hint with the allowed keys; None if there are too many."""
    if any(choice.startswith("$") for choice in choices):
        return f"only the keys {listed(choices)} are allowed here"
    return f"the known keys are {listed(choices)}" if len(choices) <= _MAX_LISTED and choices else None


def _missing_key(violation: Violation, tree_paths: TreePaths, report: Report) -> None:
    example = _example(violation)
    report.add(
        codes.MISSING_KEY,
        f'{tree_paths.title(violation.path)} has no "{violation.key}"',
        at=tree_paths.key(violation.path),
        label=f'"{violation.key}" is missing here',
        hint=f'add "{violation.key}: {example}"' if example else f'add the key "{violation.key}"',
    )


def _is_of_rival(violation: Violation, tree_paths: TreePaths) -> bool:
    """Return whether the missing key is not allowed next to one of those that the map has."""
    branches: Any = violation.schema.get("oneOf", ())
    groups = [branch.get("required", ()) for branch in branches]
    present = tree_paths.keys(violation.path)
    return any(violation.key in group for group in groups) and any(set(group) & set(present) for group in groups)


def _keys_of_rival(violation: Violation, tree_paths: TreePaths, report: Report) -> None:
    """Report the keys of a map that belong to a missing one, which is not allowed there."""
    owners: Any = violation.limit
    for key in tree_paths.keys(violation.path):
        entry = tree_paths.entry((*violation.path, key))
        if violation.key in owners.get(key, ()):
            report.add(
                codes.INVALID_VALUE,
                f'{tree_paths.title(violation.path)} has "{key}", which belongs to "{violation.key}"',
                at=entry.key.span if entry is not None else tree_paths.key(violation.path),
                hint="remove it",
            )


def _missing_group(violation: Violation, tree_paths: TreePaths, report: Report) -> None:
    """Report a map that has none of several groups of keys; if it has part of a group, that group is required."""
    groups: Any = violation.limit
    present = tree_paths.keys(violation.path)
    started_group = next((group for group in groups if set(group) & set(present)), None)
    choices = [started_group] if started_group else groups
    words = [" and ".join(f'"{key}"' for key in group if key not in present) for group in choices]
    missing = ", or ".join(words) if any(" and " in word for word in words) else either(words)
    report.add(
        codes.MISSING_KEY,
        f"{tree_paths.title(violation.path)} needs {missing}",
        at=tree_paths.key(violation.path),
        label="missing here",
        hint=f"add {missing}",
    )


def _rival_groups(violation: Violation, tree_paths: TreePaths, report: Report) -> None:
    """Report a map that has more than one of several groups of keys."""
    branches: Any = violation.limit
    present = tree_paths.keys(violation.path)
    rivals = [key for branch in branches for key in branch.get("required", ()) if key in present]
    entries = [tree_paths.entry((*violation.path, key)) for key in rivals]
    spans = [entry.key.span for entry in entries if entry is not None]
    report.add(
        codes.INVALID_VALUE,
        f"{tree_paths.title(violation.path)} has {listed(rivals)}, but only one is allowed",
        at=spans[-1] if spans else tree_paths.key(violation.path),
        related=[Label(span) for span in spans[:-1]],
        hint="keep one of them",
    )


def _wrong_type(violation: Violation, tree_paths: TreePaths, report: Report) -> None:
    title, limit = tree_paths.title(violation.path), _type_names(violation)
    if violation.value is None:
        message, label = f"{title} has no value", f"{limit} is expected here"
        part = "key" if isinstance((violation.path or ("",))[-1], str) else "dash"
        hint: str | None = f"write its value, or remove the {part}"
    else:
        actual = _actual_type(violation.value)
        message, label = f"{title} takes {limit}, not {actual}", f"this is {actual}"
        hint = hint_for(violation, tree_paths)
    report.add(codes.WRONG_TYPE, message, at=tree_paths.mark(violation.path), label=label, hint=hint)


def _wrong_key(violation: Violation, tree_paths: TreePaths, report: Report) -> None:
    entry = tree_paths.entry((*violation.path, violation.key))
    report.add(
        codes.INVALID_VALUE,
        f'{tree_paths.title(violation.path)} takes no key "{violation.key}"'
        if violation.key
        else f"a key of {tree_paths.title(violation.path)} is empty",
        at=entry.key.span if entry else tree_paths.key(violation.path),
        hint=_NAME_HINTS.get(str(violation.limit)),
    )


def _wrong_number(violation: Violation, number: object) -> tuple[str, str]:
    """Return the problem of a list or map with too few items, or too many, and the hint."""
    if violation.keyword == "maxItems":
        return "has too many items", f"write at most {number} items"
    problem = "is empty" if not violation.value else "has too few items"
    hint = f"write at least {'one item' if number == 1 else f'{number} items'}"
    match violation.path:
        case ("pipelines", _, "stages", _, str() as key) if not violation.value:
            hint += f'; to remove inherited ones, write "{key}:" without a value'
    return problem, hint


def _invalid_value(violation: Violation, tree_paths: TreePaths, report: Report) -> None:
    title, limit = tree_paths.title(violation.path), violation.limit
    hint = None
    match violation.keyword, limit:
        case "enum", [*choices]:
            problem = f"takes {either([_shown(choice) for choice in choices])}, not {_shown(violation.value)}"
            suggested = suggestion(str(violation.value), [str(choice) for choice in choices])
            hint = f'did you mean "{suggested}"?' if suggested else _other_word(violation)
        case "const", choice:
            problem = f"takes only {_shown(choice)}"
        case "minimum", _:
            problem = f"takes a number from {limit} up, not {violation.value}"
            hint = _other_word(violation)
        case "maximum", _:
            problem = f"takes a number up to {limit}, not {violation.value}"
        case (("minItems" | "minProperties" | "maxItems"), number):
            problem, hint = _wrong_number(violation, number)
        case "maxProperties", 1:
            problem, hint = _several_keys(violation, tree_paths)
            if not problem:
                return
        case (("minLength" | "pattern"), _) if violation.value == "":
            problem = "is empty"
        case "uniqueItems", _:
            problem = "has repeated items"
        case _:
            problem = f"cannot be {_shown(violation.value)}"
            example = _own_example(violation)
            hint = f"write it as in {example}" if example else _other_word(violation)
    report.add(codes.INVALID_VALUE, f"{title} {problem}", at=tree_paths.mark(violation.path), hint=hint)


def _several_keys(violation: Violation, tree_paths: TreePaths) -> tuple[str, str]:
    """Return the problem and the hint; no problem if all keys but one are unknown, which is reported for each."""
    if violation.path and isinstance(violation.path[-1], int):
        return "has several keys", "write each key as an item of its own"
    # Other files than configs have other keys.
    known = known_keys().get(tree_paths.pattern(violation.path))
    keys = [key for key in tree_paths.keys(violation.path) if known is None or key in known]
    return (f"takes one key, not {len(keys)}", f"keep one of {listed(keys)}") if len(keys) > 1 else ("", "")


def _other_word(violation: Violation) -> str | None:
    """Return the hint for a value that other systems have for the key."""
    return _OTHER_WORDS.get((violation.path[-1], str(violation.value))) if violation.path else None


def _type_names(violation: Violation) -> str:
    limit: Any = violation.limit
    # Where text is expected, numbers and booleans are used as written: listing them would confuse.
    types = [name for name in limit if "string" not in limit or name not in {"number", "integer", "boolean"}]
    return either([_TYPES[name] for name in types])


def _actual_type(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "a decimal number" if isinstance(value, float) else _TYPES[type_name(value)]


def _shown(value: object) -> str:
    match value:
        case str():
            return f'"{value}"'
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case _:
            return _actual_type(value)


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _properties(violation: Violation) -> dict[str, Any]:
    properties: Any = violation.schema.get("properties", {})
    return dict(properties)


def _example(violation: Violation) -> str:
    """Return a one-line example for the missing key from the schema, "" if it has none."""
    examples = _properties(violation).get(violation.key, {}).get("examples", [])
    return next((example for example in examples if isinstance(example, str)), "")


def _own_example(violation: Violation) -> str:
    examples: Any = violation.schema.get("examples", [])
    return either([_shown(example) for example in examples]) if examples else ""
