"""Explains violations of a JSON Schema, found by jsonschema, which only invalid configs import."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from pipegen.config.schema.file import pipelines_schema
from pipegen.config.schema.foreign.check import foreign_jobs, foreign_words
from pipegen.config.schema.messages import report_violations
from pipegen.config.schema.misplaced import misplaced_keys, misplaced_pipelines
from pipegen.config.schema.mistakes import chart_is_text, flat_execution, name_as_key, run_is_text, unnamed_stage
from pipegen.config.schema.parts import KEYED
from pipegen.config.schema.tree_paths import TreePaths
from pipegen.config.schema.violation import Path, Violation, type_name
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Node, plain
from pipegen.structs import replace

# 2.0 is an integer in JSON Schema, but not in YAML.
_Validator = extend(  # type: ignore[no-untyped-call] # the stubs have no type
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)

# Common mistakes with their own messages; each function reports its mistakes and returns the other violations.
_MISTAKES = (
    misplaced_pipelines,
    name_as_key,
    foreign_words,
    foreign_jobs,
    flat_execution,
    unnamed_stage,
    chart_is_text,
    run_is_text,
    misplaced_keys,
)
# Keywords that a part of a stage may break, because another part may add what is missing.
_INCOMPLETE = ("required", "dependentRequired", "minProperties")


def explain(tree: Node, report: Report, misread: Sequence[Path] = (), *, is_included: bool) -> tuple[Violation, ...]:
    """Report and return the violations in the config *tree*: see `check_schema`.

    Keys that are missing because parts were *misread* are not reported.
    """
    tree_paths = TreePaths(tree)
    all_violations = (
        _of_the_whole(violation) for violation in _violations(_Validator(pipelines_schema()), plain(tree))
    )
    violations = tuple(
        violation for violation in all_violations if not (is_included and _is_without_pipelines(violation))
    )
    definite = _without_inheritable(violations, tree_paths)
    _report_all(tuple(violation for violation in definite if not _lacks(violation, misread)), tree_paths, report)
    return definite


def _lacks(violation: Violation, parts: Sequence[Path]) -> bool:
    """Return whether *violation* may report a missing key because one of *parts* was removed from its value."""
    return violation.keyword not in KEYED and any(part[: len(violation.path)] == violation.path for part in parts)


def explain_stages(tree: Node, stages: Iterable[Path], report: Report) -> tuple[Violation, ...]:
    """Report and return the violations in *stages* of *tree*: see `check_stages`."""
    schema, tree_paths = pipelines_schema(), TreePaths(tree)
    validator = _Validator({"$defs": schema["$defs"], **schema["$defs"]["stage"]})
    violations = tuple(
        replace(violation, path=(*path, *violation.path))
        for path in stages
        for violation in _violations(validator, plain(tree_paths.node(path)))
    )
    _report_all(violations, tree_paths, report)
    return violations


def explain_settings(node: Node, schema: Mapping[str, Any], report: Report, where: str) -> None:
    """Report the violations of *schema* in the settings *node*: see `check_settings`."""
    report_violations(_violations(_Validator(dict(schema)), plain(node)), TreePaths(node, where), report)


def _report_all(violations: tuple[Violation, ...], tree_paths: TreePaths, report: Report) -> None:
    for mistake in _MISTAKES:
        violations = mistake(violations, tree_paths, report)
    report_violations(violations, tree_paths, report)


def _of_the_whole(violation: Violation) -> Violation:
    """Return *violation*; as a missing key "pipelines" if the config has none of the alternatives."""
    is_empty = violation.keyword == "anyOf" and not violation.path
    return replace(violation, keyword="required", key="pipelines") if is_empty else violation


def _is_without_pipelines(violation: Violation) -> bool:
    return violation.keyword == "required" and not violation.path


def _without_inheritable(violations: tuple[Violation, ...], tree_paths: TreePaths) -> tuple[Violation, ...]:
    """Return *violations* without those that templates or the defaults of a pipeline may fix.

    A part of a stage may lack keys that another part has, and a key without a value removes an inherited one.
    """
    return tuple(
        violation for violation in violations if not (_is_incomplete(violation) and tree_paths.is_part(violation.path))
    )


def _is_incomplete(violation: Violation) -> bool:
    match violation.keyword, violation.limit:
        case (("anyOf" | "oneOf"), [*groups]):
            return all(isinstance(group, list) for group in groups)
        case (("type" | "enum"), _):
            return violation.value is None and bool(violation.path) and isinstance(violation.path[-1], str)
        case keyword, _:
            return keyword in _INCOMPLETE


def _violations(validator: Validator, value: Any) -> tuple[Violation, ...]:
    """Return the violations of *value*, each once, in the order of the schema."""
    violations = {violation: None for error in validator.iter_errors(value) for violation in _narrow(error)}
    return tuple(violations)


def _narrow(error: ValidationError) -> Iterator[Violation]:
    """Yield the violations behind *error*: in the intended branch, one for each key."""
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
    """Return the unknown or missing keys of *error*; none for errors of other kinds."""
    limit, value = _limit(error), _value(error)
    match error.validator:
        case "additionalProperties":
            return _unknown_keys(value, _schema(error))
        case "required":
            return tuple(key for key in limit if key not in value)
        case "dependentRequired":
            dependent_keys = [key for present, keys in limit.items() if present in value for key in keys]
            return tuple(key for key in dependent_keys if key not in value)
        case _:
            return ()


def _narrow_branches(error: ValidationError) -> Iterator[Violation]:
    """Yield the violations of the branch that the user intended: the one that knows most of the keys."""
    branches = _branches(error)
    fits = {index: _fit(errors) for index, errors in branches.items()}
    if not error.context:
        # A value that is not a map has none of the rival keys: its type is reported instead.
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
    """Return how many keys of the value a branch knows; -1 if the branch is not intended."""
    own = [error for error in errors if not error.path]
    if any(_is_unintended(error) for error in own):
        return -1
    nested = [_fit(branch) for error in own for branch in _branches(error).values()]
    if nested and max(nested) < 0:
        return -1
    return max([0, *nested, *(len(_known_keys(error)) for error in own)])


def _is_unintended(error: ValidationError) -> bool:
    """Return whether the value has another type, or the branch is an operator and the value has none of its keys."""
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
    """Yield the types that a branch accepts, except operators, whose type is that of their result.

    If a branch accepts only true or only false, its type is this value.
    """
    for error in (error for error in errors if not error.path and not _is_operator(_schema(error))):
        limit = _limit(error)
        is_one_boolean = error.validator == "const" and isinstance(limit, bool)
        yield from (str(limit).lower(),) if is_one_boolean else _types(error)
        for branch in _branches(error).values():
            yield from _branch_types(branch)


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
    """Return the schema with the keyword that failed."""
    schema: Any = error.schema
    return schema if isinstance(schema, Mapping) else {}
