"""The tree against its JSON Schema: what fits is found out fast, what does not is explained slowly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pipegen.config.accept import Acceptor, UnknownKeywordError
from pipegen.config.schema.depth import is_too_deep
from pipegen.config.schema.file import pipelines_schema
from pipegen.config.schema.intact import Intact, intact
from pipegen.config.schema.places import TreePaths
from pipegen.config.schema.violation import Path
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Node


def check_schema(tree: Node, report: Report, *, is_included: bool = False) -> Intact | None:
    """Report each place where the config *tree*, as it is written, breaks the schema; return what can be checked on.

    What a stage may still inherit is not missed; an included file may hold nothing but a part of a config.
    """
    if is_too_deep(tree, report):
        return None
    if _configs().accepts(tree):
        return Intact(tree)
    from pipegen.config.schema.explain import explain  # noqa: PLC0415 - most configs are as they should be

    found = intact(tree, explain(tree, report, is_included=is_included))
    # What is gone may be what another key needs.
    left = Report()
    return found if found is not None and not explain(found.tree, left, is_included=is_included) else None


def check_stages(tree: Node, stages: Iterable[Path], report: Report) -> None:
    """Report where the stages at the paths *stages* of the config *tree*, made of several parts, break the schema."""
    paths, places = tuple(stages), TreePaths(tree)
    if all(_stages().accepts(places.node(path)) for path in paths):
        return
    from pipegen.config.schema.explain import explain_stages  # noqa: PLC0415 - see above

    explain_stages(tree, paths, report)


def check_settings(node: Node, schema: Mapping[str, Any], report: Report, where: str) -> None:
    """Report each place where *node*, the settings named *where* ("targets.gitlab"), breaks *schema*."""
    if is_too_deep(node, report):
        return
    try:
        if Acceptor(schema).accepts(node):
            return
    except UnknownKeywordError:
        pass  # the schema of a target that others wrote: it may say whatever JSON Schema can
    from pipegen.config.schema.explain import explain_settings  # noqa: PLC0415 - see above

    explain_settings(node, schema, report, where)


@cache
def _configs() -> Acceptor:
    """Return what accepts configs: compiled once, however many there are."""
    return Acceptor(pipelines_schema())


@cache
def _stages() -> Acceptor:
    schema = pipelines_schema()
    return Acceptor(schema, schema["$defs"]["stage"])
