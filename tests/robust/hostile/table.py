"""All positions of the language that accept text, and those that the trials cover."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from robust.hostile.places import PLACES

from pipegen.assets import folder

SCHEMA: Mapping[str, Any] = json.loads((folder("schemas") / "pipelines.schema.json").read_text(encoding="utf-8"))
Position = tuple[str, Mapping[str, Any]]


def text_positions() -> set[str]:
    """Return the names of all positions that accept text: `stage.env.*` is a value, `stage.env.{}` its name."""
    names: set[str] = set()
    queue, seen = [("", SCHEMA)], set[str]()
    while queue:
        name, _ = position = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        for branch in branches(position):
            names |= {branch[0]} if takes_text(branch[1]) else set()
            names |= {f"{branch[0]}.{{}}"} if values(branch) is not None else set()
            queue += inner(branch)
    return names


def reached(data: object, text: str, position: Position = ("", SCHEMA)) -> Iterator[str]:
    """Yield the names of the positions in *data* with *text*."""
    for branch in branches(position):
        name = branch[0]
        if data == text and takes_text(branch[1]):
            yield name
        if isinstance(data, list) and isinstance(branch[1].get("items"), dict):
            for item in data:
                yield from reached(item, text, named(f"{name}.[]", branch[1]["items"]))
        for key, value in data.items() if isinstance(data, dict) else ():
            if key in branch[1].get("properties", {}):
                yield from reached(value, text, named(f"{name}.{key}", branch[1]["properties"][key]))
            elif (of := values(branch)) is not None:
                yield from (f"{name}.{{}}",) if key == text else ()
                yield from reached(value, text, of)


def tried() -> set[str]:
    """Return the names of the positions covered by configs with one text."""
    text = "a text"
    return {name for make in PLACES.values() for name in reached(make(text), text)}


def named(name: str, schema: Mapping[str, Any]) -> Position:
    """Return a position: a definition with keys has its own name."""
    while "$ref" in schema and "properties" not in schema:
        steps = schema["$ref"].removeprefix("#/$defs/").split("/")
        schema = SCHEMA["$defs"]
        for step in steps:
            schema = schema[step]
        if len(steps) > 1 or any("properties" in branch for branch in (schema, *schema.get("anyOf", ()))):
            name = ".".join(step for step in steps if step != "properties")
    return name.removeprefix("."), schema


def branches(position: Position) -> Iterator[Position]:
    """Yield all alternatives of a value at *position*."""
    name, schema = named(*position)
    yield name, schema
    for branch in schema.get("anyOf", ()):
        yield from branches((name, branch))


def inner(position: Position) -> Iterator[Position]:
    """Yield the positions inside *position*."""
    name, schema = position
    for key, value in schema.get("properties", {}).items():
        yield named(f"{name}.{key}", value)
    if isinstance(schema.get("items"), dict):
        yield named(f"{name}.[]", schema["items"])
    if (of := values(position)) is not None:
        yield of


def values(position: Position) -> Position | None:
    """Return the position of values in a map with arbitrary keys, or None."""
    name, schema = position
    free = schema.get("additionalProperties", "properties" not in schema and "object" in types(schema))
    return named(f"{name}.*", free if isinstance(free, dict) else {}) if free else None


def types(schema: Mapping[str, Any]) -> list[str]:
    """Return the permitted types of a value."""
    text = schema.get("type", [])
    return [text] if isinstance(text, str) else text


def takes_text(schema: Mapping[str, Any]) -> bool:
    """Return whether the position accepts text, including positions that accept anything."""
    return "string" in types(schema) or not schema.keys() - {"description", "examples"}
