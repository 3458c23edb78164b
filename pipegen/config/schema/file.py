"""The JSON Schema of a config, and the keys it knows at each path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pipegen.assets import schema
from pipegen.config.schema.violation import Path


@cache
def pipelines_schema() -> Mapping[str, Any]:
    """Return the schema of a config."""
    return schema("pipelines")


@cache
def known_keys() -> Mapping[Path, tuple[str, ...]]:
    """Return the keys known at each path, outer paths first; "*" is any key, 0 any item."""
    return dict(_known_keys(pipelines_schema()))


def _known_keys(schema: Mapping[str, Any]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    # Each part with its enclosing definitions: recursive ones (conditions in a condition) are visited once.
    queue: list[tuple[Path, Mapping[str, Any], frozenset[str]]] = [((), schema, frozenset())]
    while queue:
        path, part, within = queue.pop(0)
        if any(key.startswith("$") for key in part.get("required", ())):
            # Operators are allowed anywhere: their keys belong to no path.
            continue
        reference = part.get("$ref")
        if reference is not None and reference not in within:
            queue.append((path, _referred(schema, reference), within | {reference}))
        if "properties" in part:
            yield path, tuple(part["properties"])
        queue.extend((*inner, within) for inner in _inner_parts(path, part))


@cache
def gitlab_reports() -> frozenset[str]:
    """Return the kinds of reports that GitLab has under the same name, each with one or several paths.

    Coverage has another name and another form there, and SARIF is stored as an artifact.
    """
    return frozenset(pipelines_schema()["$defs"]["reports"]["properties"]) - {"coverage", "sarif"}


@cache
def known_paths() -> Mapping[str, tuple[Path, ...]]:
    """Return the paths where each key is allowed, outer paths first."""
    paths_by_key: dict[str, list[Path]] = {}
    for path, keys in known_keys().items():
        for key in keys:
            paths_by_key.setdefault(key, []).append(path)
    return {key: tuple(paths) for key, paths in paths_by_key.items()}


@cache
def maps() -> frozenset[Path]:
    """Return the paths of maps whose keys are the user's own names."""
    return frozenset(path[:length] for path in known_keys() for length, step in enumerate(path) if step == "*")


def _referred(schema: Mapping[str, Any], reference: str) -> Mapping[str, Any]:
    """Return the part of *schema* at *reference*: `#/` and keys separated by slashes."""
    for key in reference.removeprefix("#/").split("/"):
        schema = schema[key]
    return schema


def _inner_parts(path: Path, part: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    yield from ((path, branch) for branch in part.get("anyOf", ()))
    yield from (((*path, key), value) for key, value in part.get("properties", {}).items())
    if isinstance(part.get("additionalProperties"), dict):
        yield (*path, "*"), part["additionalProperties"]
    if "items" in part:
        yield (*path, 0), part["items"]
