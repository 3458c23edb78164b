"""Hints for jobs of GitLab that start other pipelines."""

from __future__ import annotations

import re

from pipegen.config.schema.foreign.model import Use, instead
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, as_items, child, entries_of

# A key of GitLab for a generated file, with ours.
_OURS = {"job": "stage"}
_LAST_PART = re.compile(r"[\w.-]+\Z")


def trigger(use: Use) -> str | None:
    """Return the hint for a job of GitLab that starts a pipeline; None for our own form."""
    value = use.value
    if isinstance(value, Map):
        project, include = value.get("project"), value.get("include")
        if include is not None:
            return _child(include, value)
    else:
        project = value
    if not isinstance(project, Scalar) or not project.text:
        return None
    match = _LAST_PART.search(project.text)
    name = match[0] if match is not None else "docs"
    wait = child(value, "strategy") is not None
    lines = instead({"trigger": {"name": name, **({"wait": True} if wait else {})}})
    return f'{lines}, and map the name under "targets.gitlab.projects": {{{name}: {project.text}}}'


def _child(include: Node, trigger: Map) -> str | None:
    """Return the hint for GitLab's form of a child pipeline; None for our own form."""
    items = as_items(include)
    keys = {entry.key.text for item in items for entry in entries_of(item)}
    if not keys & {"local", "job", "project", "template", "remote", "component"} and trigger.get("strategy") is None:
        return None
    files = [file for item in items if (file := _file(item)) is not None]
    if len(files) < len(items):
        return 'keep it in "raw" for files elsewhere, next to "trigger: {include: ci/child.yml}"'
    wait = {"wait": True} if trigger.get("strategy") is not None else {}
    return instead(
        {"trigger": {"include": files[0] if len(files) == 1 and isinstance(files[0], str) else files, **wait}}
    )


def _file(item: Node) -> object:
    """Return *item* of GitLab's `include` as one of ours; None for a file elsewhere."""
    if isinstance(item, Scalar):
        return item.text.removeprefix("/")
    values = {_OURS.get(entry.key.text, entry.key.text): entry.value for entry in entries_of(item)}
    texts = {key: value.text for key, value in values.items() if isinstance(value, Scalar) and value.value}
    if len(texts) < len(values):
        return None
    if texts.keys() == {"local"}:
        return texts["local"].removeprefix("/")
    return texts if texts.keys() == {"artifact", "stage"} else None
