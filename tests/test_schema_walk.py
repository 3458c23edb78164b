"""Each key of the language is in a config that compiles for each target, or is rejected there with a hint."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from documents import ROOT, blocks
from robust.hostile.table import text_positions, tried

from pipegen.assets import folder
from pipegen.compiler import analyse, generate
from pipegen.config.files.load import load
from pipegen.config.read import read
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Entry, Node, Sequence
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.targets import registry

TARGETS = ("gitlab", "jenkins")
SCHEMA: Mapping[str, Any] = json.loads((folder("schemas") / "pipelines.schema.json").read_text(encoding="utf-8"))
# Configs that are compiled for both targets, and configs with an expected diagnostic.
FILES = tuple(
    path
    for pattern in ("tests/golden/*/pipeline.yml", "examples/**/pipegen.yaml", "examples/**/config.yaml")
    for path in sorted(ROOT.glob(pattern))
)
REFUSALS = tuple(sorted(ROOT.glob("tests/diagnostics/PG*/pipeline.yml")))

SchemaPart = tuple[str, Mapping[str, Any]]
# Values for parts of the schema that accept any value.
OPERATOR: SchemaPart = ("/$defs/operator", SCHEMA["$defs"]["operator"])


def resolved(part: SchemaPart) -> SchemaPart:
    """Return the target of a reference at *part*, a path in the schema and its value."""
    path, data = part
    while "$ref" in data and "properties" not in data:
        path = data["$ref"].removeprefix("#")
        data = SCHEMA
        for step in path.strip("/").split("/"):
            data = data[step]
    return path, data


def branches(part: SchemaPart) -> Iterator[SchemaPart]:
    """Yield all alternatives of a value at *part*."""
    path, data = resolved(part)
    yield path, data
    for word in ("anyOf", "oneOf"):
        for number, branch in enumerate(data.get(word, ())):
            yield from branches((f"{path}/{word}/{number}", branch))


def keys(part: SchemaPart) -> Iterator[tuple[str, SchemaPart]]:
    """Yield the keys of a map at *part*, by name."""
    for path, data in branches(part):
        for key, value in data.get("properties", {}).items():
            yield key, (f"{path}/properties/{key}", value)


def inner(part: SchemaPart) -> Iterator[SchemaPart]:
    """Yield the values of a map or list at *part*, except keys."""
    for path, data in branches(part):
        for word in ("additionalProperties", "items"):
            if isinstance(data.get(word), dict):
                yield f"{path}/{word}", data[word]


def identity(part: SchemaPart) -> str:
    """Return the path of a key; a key of templates that refers to one of stages has that path."""
    path, data = part
    reference = str(data.get("$ref", "")).removeprefix("#")
    return reference if "/properties/" in reference else path


def all_keys() -> dict[str, None]:
    """Return every key of the language, in the order of the schema."""
    names: dict[str, None] = {}
    seen: set[str] = set()
    queue: list[SchemaPart] = [("", SCHEMA)]
    while queue:
        part = resolved(queue.pop())
        if part[0] in seen:
            continue
        seen.add(part[0])
        for _, key in keys(part):
            names[identity(key)] = None
            queue.append(key)
        queue += inner(part)
    return names


def used(node: Node, parts: list[SchemaPart]) -> Iterator[tuple[str, Entry]]:
    """Yield the keys of the language in *node* at one of *parts*, each with its entry."""
    if isinstance(node, Sequence):
        for item in node:
            yield from used(item, [inner_part for part in parts for inner_part in inner(part)])
    elif isinstance(node, TreeMapping):
        for entry in node.entries:
            named = [key for part in parts for name, key in keys(part) if name == entry.key.text]
            yield from ((identity(key), entry) for key in named)
            anything = [OPERATOR] if any(not key.keys() - {"description", "examples"} for _, key in named) else []
            yield from used(
                entry.value, [*named, *anything] or [inner_part for part in parts for inner_part in inner(part)]
            )


def compiled(file: SourceFile, target: str, options: Mapping[str, str]) -> tuple[bool, tuple[Diagnostic, ...]]:
    """Return whether *file* compiles for *target*, and its diagnostics."""
    report = Report()
    with suppress(Stopped):
        generate(analyse(file, (), report), registry.load(target), options, report)
    return not report.has_errors(), report.diagnostics()


def configs() -> Iterator[SourceFile]:
    """Yield the configs of goldens, examples and documents, and those that one target rejects."""
    for path in (*FILES, *REFUSALS):
        yield load(path, Report())
    for _, block in blocks():
        yield block.file


@cache
def compiled_keys(target: str) -> frozenset[str]:
    """Return the keys that compile for *target*."""
    whole: list[SchemaPart] = [("", SCHEMA)]
    return frozenset(
        path for file in configs() if compiled(file, target, {})[0] for path, _ in used(read(file, Report()), whole)
    )


@cache
def refused(target: str) -> frozenset[str]:
    """Return the keys that diagnostics of *target* with a hint point at."""
    names: set[str] = set()
    for path in REFUSALS:
        words = options_of(path)
        if words[:1] != [target]:
            continue
        file = load(path, Report())
        diagnostics = compiled(file, target, dict(word.split("=") for word in words[1:]))[1]
        entries = list(used(read(file, Report()), [("", SCHEMA)]))
        for diagnostic in diagnostics:
            if diagnostic.code.number.startswith("PG6") and diagnostic.hint and diagnostic.primary is not None:
                at = diagnostic.primary.span.start
                around = [(key, entry) for key, entry in entries if is_around(entry, at)]
                names |= {key for key, _ in around[-1:]}
                names |= {key for _, entry in around[-1:] for key, inside in entries if is_in(inside, entry)}
    return frozenset(names)


def is_around(entry: Entry, at: int) -> bool:
    """Return whether the key or the value of *entry* contains the offset *at*."""
    return any(span.start <= at < span.end for span in (entry.key.span, entry.value.span))


def is_in(entry: Entry, other: Entry) -> bool:
    """Return whether *entry* is in the value of *other*."""
    return is_around(other, entry.key.span.start) and entry.key.span.start > other.key.span.start


def options_of(path: Path) -> list[str]:
    """Return the target that the first line of a config names, and its options."""
    line = path.read_bytes().partition(b"\n")[0].decode(errors="replace")
    return line.removeprefix("# target: ").split() if line.startswith("# target: ") else []


def shown(path: str) -> str:
    """Return a key as displayed: `stage.retry.count`."""
    steps = [step for step in path.split("/") if step not in ("", "$defs", "properties", "anyOf", "oneOf", "items")]
    return ".".join(step for step in steps if not step.isdecimal())


def test_the_schema_walk_finds_keys_at_every_level() -> None:
    """Of the file, of pipelines, of stages, and nested ones."""
    names = {shown(path) for path in all_keys()}

    assert {"pipelines", "pipeline.concurrency.cancel", "stage.retry.count", "when.branch", "service.ready"} <= names
    assert len(names) > 150


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_every_key_compiles_or_is_rejected_with_a_hint(target: str) -> None:
    """Otherwise it would be untested."""
    missing = [path for path in all_keys() if path not in compiled_keys(target) | refused(target)]

    assert [shown(path) for path in missing] == [], "use these keys in a config of tests/golden"


def test_documents_have_an_example_of_every_key() -> None:
    """Of a file, of a pipeline and of a stage; `include` needs a second file, as an example has it."""
    whole: list[SchemaPart] = [("", SCHEMA)]
    pipeline, stage = (("/$defs/" + name, SCHEMA["$defs"][name]) for name in ("pipeline", "stage"))
    names = {identity(key): None for part in (*whole, pipeline, stage) for name, key in keys(part) if name != "include"}
    paths = {path for _, block in blocks() for path, _ in used(read(block.file, Report()), whole)}

    missing = [shown(path) for path in names if path not in paths]

    assert missing == [], "add a section with an example of each of these keys to docs/language.md"


def test_hostile_texts_cover_every_position_of_the_language() -> None:
    """A new key that accepts text needs a config with a hostile text, for the tests in `robust`."""
    assert tried() == text_positions(), "add the keys to tests/robust/hostile/places.py"
    assert len(text_positions()) > 150
