"""Checks the tree against its JSON Schema: valid trees are accepted fast, violations are explained slowly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pipegen.config.schema.depth import is_too_deep
from pipegen.config.schema.fast_validator import FastValidator, UnknownKeywordError
from pipegen.config.schema.file import pipelines_schema
from pipegen.config.schema.tree_paths import TreePaths
from pipegen.config.schema.valid_part import ValidPart, valid_part
from pipegen.config.schema.violation import Path
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Node


def check_schema(tree: Node, report: Report, *, is_included: bool = False) -> ValidPart | None:
    """Report each violation of the schema in the config *tree* as written; return the part that can be checked further.

    Keys that a stage may inherit are not reported as missing. An included file may be any part of a config.
    """
    if is_too_deep(tree, report):
        return None
    if _configs().accepts(tree):
        return ValidPart(tree)
    from pipegen.config.schema.explain import explain  # noqa: PLC0415 - most configs are valid

    part = valid_part(tree, explain(tree, report, is_included=is_included))
    # Removing the invalid parts may break other rules.
    remaining_errors = Report()
    return part if part is not None and not explain(part.tree, remaining_errors, is_included=is_included) else None


def check_stages(tree: Node, stages: Iterable[Path], report: Report) -> None:
    """Report violations of the schema in the stages at the paths *stages*, which were merged from several layers."""
    paths, tree_paths = tuple(stages), TreePaths(tree)
    if all(_stages().accepts(tree_paths.node(path)) for path in paths):
        return
    from pipegen.config.schema.explain import explain_stages  # noqa: PLC0415 - see above

    explain_stages(tree, paths, report)


def check_settings(node: Node, schema: Mapping[str, Any], report: Report, where: str) -> None:
    """Report each violation of *schema* in *node*, the settings named *where* ("targets.gitlab")."""
    if is_too_deep(node, report):
        return
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
