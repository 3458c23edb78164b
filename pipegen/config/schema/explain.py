"""What breaks a JSON Schema, and the words for it; the door of jsonschema, which few configs need to be opened."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from pipegen.config.schema.file import pipelines_schema
from pipegen.config.schema.inherited import without_unsettled
from pipegen.config.schema.misplaced import misplaced_keys, misplaced_pipelines
from pipegen.config.schema.mistakes import chart_is_text, flat_execution, run_is_text, unnamed_stage
from pipegen.config.schema.parts import KEYED
from pipegen.config.schema.places import TreePaths
from pipegen.config.schema.violation import Path, Violation, type_name
from pipegen.config.schema.words import tell
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Node, plain
from pipegen.structs import replace

# JSON counts 2.0 as an integer; a reader of YAML does not.
_Validator = extend(  # type: ignore[no-untyped-call] # the stubs leave it open
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)

# Mistakes that deserve words of their own; each reports those it knows and returns the other violations.
_MISTAKES = (misplaced_pipelines, flat_execution, unnamed_stage, chart_is_text, run_is_text, misplaced_keys)


def explain(tree: Node, report: Report, misread: Sequence[Path] = (), *, is_included: bool) -> tuple[Violation, ...]:
    """Report and return each place where the config *tree* breaks the schema, as `check_schema` says.

    What is missing since parts were *misread* is not reported.
    """
    places = TreePaths(tree)
    found = (_of_the_whole(one) for one in _violations(_Validator(pipelines_schema()), plain(tree)))
    violations = tuple(one for one in found if not (is_included and _is_without_pipelines(one)))
    settled = without_unsettled(violations, places)
    _tell_all(tuple(one for one in settled if not _lacks(one, misread)), places, report)
    return settled


def _lacks(violation: Violation, parts: Sequence[Path]) -> bool:
    """Return whether one of *parts* is gone from the value of *violation*, and may be what is missing there."""
    return violation.keyword not in KEYED and any(part[: len(violation.path)] == violation.path for part in parts)


def explain_stages(tree: Node, stages: Iterable[Path], report: Report) -> tuple[Violation, ...]:
    """Report and return where *stages* of *tree* break the schema, as `check_stages` says."""
    schema, places = pipelines_schema(), TreePaths(tree)
    validator = _Validator({"$defs": schema["$defs"], **schema["$defs"]["stage"]})
    violations = tuple(
        replace(violation, path=(*path, *violation.path))
        for path in stages
        for violation in _violations(validator, plain(places.node(path)))
    )
    _tell_all(violations, places, report)
    return violations


def explain_settings(node: Node, schema: Mapping[str, Any], report: Report, where: str) -> None:
    """Report each place where *node*, the settings named *where*, breaks *schema*, as `check_settings` says."""
    tell(_violations(_Validator(dict(schema)), plain(node)), TreePaths(node, where), report)


def _tell_all(violations: tuple[Violation, ...], places: TreePaths, report: Report) -> None:
    for mistake in _MISTAKES:
        violations = mistake(violations, places, report)
    tell(violations, places, report)


def _of_the_whole(violation: Violation) -> Violation:
    """Return *violation*, as that of a config without pipelines where nothing stands in for them."""
    is_empty = violation.keyword == "anyOf" and not violation.path
    return replace(violation, keyword="required", key="pipelines") if is_empty else violation


def _is_without_pipelines(violation: Violation) -> bool:
    return violation.keyword == "required" and not violation.path


def _violations(validator: Validator, value: Any) -> tuple[Violation, ...]:
    """Return the violations of *value*, each once, in the order of the schema."""
    found = {violation: None for error in validator.iter_errors(value) for violation in _narrow(error)}
    return tuple(found)


def _narrow(error: ValidationError) -> Iterator[Violation]:
    """Yield what *error* comes down to: the branch that was meant, and each key by itself."""
    if error.validator in {"anyOf", "oneOf"}:
        yield from _narrow_branches(error)
    elif error.validator == "type":
        yield _violation(error, limit=_types(error))
    elif "propertyNames" in error.relative_schema_path:
        yield _violation(error, "propertyNames", str(error.instance))
    else:
        keys = _keys(error)
        yield from (_violation(error, key=key) for key in keys or ("",))


def _keys(error: ValidationError) -> tuple[str, ...]:
    """Return the keys that *error* is about, if it is about keys."""
    limit, value = _limit(error), _value(error)
    match error.validator:
        case "additionalProperties":
            return _unknown_keys(value, _schema(error))
        case "required":
            return tuple(key for key in limit if key not in value)
        case "dependentRequired":
            needed = [key for given, keys in limit.items() if given in value for key in keys]
            return tuple(key for key in needed if key not in value)
        case _:
            return ()


def _narrow_branches(error: ValidationError) -> Iterator[Violation]:
    """Yield the violations of the branch that the user meant; of several, the one that knows most of the keys."""
    branches = _branches(error)
    fits = {index: _fit(errors) for index, errors in branches.items()}
    if not error.context:
        # What is no map has none of the rival keys: its type is told of.
        if isinstance(_value(error), dict):
            yield _violation(error)
    elif all(inner.validator == "required" and not inner.path for inner in error.context):
        yield _violation(error, limit=[branch["required"] for branch in _limit(error)])
    elif max(fits.values()) < 0:
        types = tuple(dict.fromkeys(name for errors in branches.values() for name in _branch_types(errors)))
        yield _violation(error, "type", limit=types)
    else:
        for inner in branches[max(fits, key=lambda index: fits[index])]:
            yield from _narrow(inner)


def _branches(error: ValidationError) -> dict[int, list[ValidationError]]:
    branches = defaultdict(list)
    for inner in error.context or ():
        branches[int(inner.relative_schema_path[0])].append(inner)
    return branches


def _fit(errors: list[ValidationError]) -> int:
    """Return how many keys of the value a branch knows; -1 when the branch is not meant at all."""
    own = [error for error in errors if not error.path]
    if any(_is_unmeant(error) for error in own):
        return -1
    nested = [_fit(branch) for error in own for branch in _branches(error).values()]
    if nested and max(nested) < 0:
        return -1
    return max([0, *nested, *(len(_known_keys(error)) for error in own)])


def _is_unmeant(error: ValidationError) -> bool:
    """Return whether the value is of another type, or an operator is asked for where none of its keys stands."""
    if error.validator == "required" and _is_operator(_schema(error)):
        return not _known_keys(error)
    return bool(types := _types(error)) and not _has_type(error.instance, types)


def _is_operator(schema: Mapping[str, Any]) -> bool:
    return any(key.startswith("$") for key in schema.get("required", ()))


def _unknown_keys(value: Iterable[str], schema: Mapping[str, Any]) -> tuple[str, ...]:
    known = schema.get("properties", {})
    patterns = [re.compile(pattern) for pattern in schema.get("patternProperties", {})]
    return tuple(key for key in value if key not in known and not any(pattern.search(key) for pattern in patterns))


def _known_keys(error: ValidationError) -> set[str]:
    value = _value(error)
    return set(_schema(error).get("properties", {})) & set(value) if isinstance(value, dict) else set()


def _branch_types(errors: list[ValidationError]) -> Iterator[str]:
    """Yield the types that a branch would take, operators aside: they stand for the value they make."""
    for error in errors:
        if not error.path and not _is_operator(_schema(error)):
            yield from _types(error)


def _types(error: ValidationError) -> tuple[str, ...]:
    limit = _limit(error)
    match error.validator:
        case "type":
            return (limit,) if isinstance(limit, str) else tuple(limit)
        case "enum":
            return tuple(dict.fromkeys(type_name(value) for value in limit))
        case "const":
            return (type_name(limit),)
        case _:
            return ()


def _has_type(value: object, types: tuple[str, ...]) -> bool:
    name = type_name(value)
    return name in types or (name == "integer" and "number" in types)


def _violation(error: ValidationError, keyword: str = "", key: str = "", limit: object = None) -> Violation:
    return Violation(
        keyword=keyword or str(error.validator),
        path=tuple(error.absolute_path),
        key=key,
        value=_value(error),
        limit=_limit(error) if limit is None else limit,
        schema=_schema(error),
    )


def _value(error: ValidationError) -> Any:
    return error.instance


def _limit(error: ValidationError) -> Any:
    return error.validator_value


def _schema(error: ValidationError) -> Mapping[str, Any]:
    """Return the schema that holds the keyword that failed."""
    schema: Any = error.schema
    return schema if isinstance(schema, Mapping) else {}
