"""Hints for jobs of GitLab that start other pipelines."""

from __future__ import annotations

import re

from pipegen.config.schema.foreign.model import Use, instead
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar
from pipegen.source.tree import Sequence as List

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
    wait = isinstance(value, Map) and value.get("strategy") is not None
    lines = instead({"trigger": {"name": name, **({"wait": True} if wait else {})}})
    return f'{lines}, and map the name under "targets.gitlab.projects": {{{name}: {project.text}}}'


def _child(include: Node, trigger: Map) -> str | None:
    """Return the hint for GitLab's form of a child pipeline; None for our own form."""
    items = include.items if isinstance(include, List) else (include,)
    files = [item.get("local") if isinstance(item, Map) else item for item in items]
    if not all(isinstance(file, Scalar) for file in files):
        return 'keep it in "raw" for files that are generated or elsewhere, next to "trigger: {include: ci/child.yml}"'
    if not any(isinstance(item, Map) for item in items) and trigger.get("strategy") is None:
        return None
    names = [file.text.removeprefix("/") for file in files if isinstance(file, Scalar)]
    wait = {"wait": True} if trigger.get("strategy") is not None else {}
    return instead({"trigger": {"include": names[0] if len(names) == 1 else names, **wait}})
