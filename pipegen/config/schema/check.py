"""Checks the tree against its JSON Schema: valid trees are accepted fast, violations are explained slowly."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

from pipegen.config.schema.fast_validator import FastValidator, UnknownKeywordError
from pipegen.config.schema.file import pipelines_schema
from pipegen.config.schema.parts import broken_parts, without
from pipegen.config.schema.tree_paths import TreePaths
from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Node, entries_of, is_null, items_of
from pipegen.structs import Struct

_NO_TEMPLATES: Mapping[Path, tuple[str, ...]] = MappingProxyType({})


class ValidConfig(Struct):
    """A config that conforms to the schema: the *tree* without the *parts* that violate it, which are unknown.

    *templates* are the names of those that a stage extended, by its path, in the order in which they were merged.
    """

    tree: Node
    parts: tuple[Path, ...] = ()
    templates: Mapping[Path, tuple[str, ...]] = _NO_TEMPLATES


def check_schema(
    tree: Node, report: Report, misread: Sequence[Path] = (), *, is_included: bool = False
) -> ValidConfig | None:
    """Report each violation of the schema in the config *tree* as written; return the part that conforms, if any.

    Nothing is reported of parts that are *misread*. Keys that a stage may inherit are not reported as missing. An
    included file may be any part of a config.
    """
    readable = without(tree, misread)
    if _configs().accepts(readable):
        return ValidConfig(readable, tuple(misread))
    removals = _removals(readable)
    if removals and _configs().accepts(without(readable, removals)):
        return ValidConfig(readable, tuple(misread))
    from pipegen.config.schema.explain import explain  # noqa: PLC0415 - most configs are valid: a third of 10 stages

    return _valid_config(
        ValidConfig(tree, tuple(misread)),
        explain(readable, report, misread, is_included=is_included),
        lambda remainder, _: explain(remainder, Report(), is_included=is_included),
    )


def _removals(tree: Node) -> list[Path]:
    """Return the keys without a value in templates, defaults and stages that inherit: each removes an inherited key."""
    paths = TreePaths(tree)
    return [path for path in _empty_keys(tree, ()) if path[-1] != "name" and paths.is_part(path)]


def _empty_keys(node: Node, path: Path) -> Iterator[Path]:
    """Yield the paths of the keys without a value in *node*, which is at *path*."""
    for entry in entries_of(node):
        if is_null(entry.value):
            yield (*path, entry.key.text)
        yield from _empty_keys(entry.value, (*path, entry.key.text))
    for index, item in enumerate(items_of(node)):
        yield from _empty_keys(item, (*path, index))


def check_stages(tree: Node, stages: Iterable[Path], report: Report) -> ValidConfig | None:
    """Report violations of the schema in the stages at the paths *stages*, which were merged from several layers.

    Return the part that conforms, None if there is none.
    """
    paths, tree_paths = tuple(stages), TreePaths(tree)
    if all(_stages().accepts(tree_paths.node(path)) for path in paths):
        return ValidConfig(tree)
    from pipegen.config.schema.explain import explain_stages  # noqa: PLC0415 - see above

    def again(remainder: Node, parts: Collection[Path]) -> tuple[Violation, ...]:
        return explain_stages(remainder, [path for path in paths if path[:2] not in parts], Report())

    return _valid_config(ValidConfig(tree), explain_stages(tree, paths, report), again)


# What is wrong with a config without some parts.
_Again: TypeAlias = Callable[[Node, Collection[Path]], tuple[Violation, ...]]


def _valid_config(whole: ValidConfig, violations: tuple[Violation, ...], again: _Again) -> ValidConfig | None:
    """Return *whole* without the parts with *violations*; *again* finds those of the rest: a key may need another."""
    tree, parts = whole.tree, dict.fromkeys(whole.parts)
    remainder = without(tree, parts)
    while violations:
        broken = broken_parts(tree, violations, parts)
        if broken is None:
            return None
        parts |= dict.fromkeys(broken)
        remainder = without(tree, parts)
        violations = again(remainder, parts)
    return ValidConfig(remainder, tuple(parts))


def check_settings(node: Node, schema: Mapping[str, Any], report: Report, where: str) -> None:
    """Report each violation of *schema* in *node*, the settings named *where* ("targets.gitlab")."""
    try:
        if FastValidator(schema).accepts(node):
            return
    except UnknownKeywordError:
        pass  # schemas of third-party targets may use all of JSON Schema
    from pipegen.config.schema.explain import explain_settings  # noqa: PLC0415 - see above

    explain_settings(node, schema, report, where)


@cache
def _configs() -> FastValidator:
    """Return the validator of configs, compiled once."""
    return FastValidator(pipelines_schema())


@cache
def _stages() -> FastValidator:
    schema = pipelines_schema()
    return FastValidator(schema, schema["$defs"]["stage"])
