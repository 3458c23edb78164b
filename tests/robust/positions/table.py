"""All positions of a config that accept text, by the schemas, and configs that use them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from documents import ROOT, blocks

from pipegen.assets import folder
from pipegen.config.files.load import load
from pipegen.config.read import read
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, ScalarKind, Sequence
from pipegen.targets import registry

TARGETS = ("gitlab", "jenkins")
# How a place in data is reached: keys and numbers of items; a key itself is what stands behind `KEY`.
Route = tuple[str | int, ...]
KEY = "\0key"
_PATTERNS = ("tests/golden/*/pipeline.yml", "examples/**/pipegen.yaml", "examples/**/config.yaml")
# What no golden shows as text: keys of a stage, and whole configs. Documents and examples show some of it too, but they
# change while people write them.
_STAGES = (
    *("after: make clean", "resources: { cpu: 500m }", "when: { changes: { paths: src } }", "run: { image: x }"),
    "build: test, blubberfile: blubber.yaml",
    "build: test, run: { arguments: { $each: x, $in: 'a,b', $delimiter: ',', $yield: '${.x}' } }",
    "build: test, publish: { image: true }, deploy: { timeout: '300' }",
    "outputs: { out: { command: date } }",
    "outputs: [out]",
    "matrix: { axis: [x], include: [{ other: y }], exclude: [{ axis: z }] }",
    "run: { image: x, arguments: { $each: [name], $in: [y], $yield: z } }",
    "services: ['postgres:16']",
    "agent: { kubernetes: { image: x }, labels: kubernetes }",
    "when: { changes: src }, reports: { coverage: coverage.xml, codequality: quality.json }",
    "when: { env: { LEVEL: full } }, approve: { message: ready }",
    "secrets: { TOKEN: { text: token }, ID: { id_token: audience } }",
    "trigger: { include: ci/child.yml }",
    "trigger: { include: [ci/build.yml, ci/test.yml] }",
    "image: { dockerfile: ci/Dockerfile, context: ci, build_args: { LEVEL: full } }",
)
_MORE = (
    "include: other.yaml",
    (
        "{ targets: { gitlab: { version: '17.0' } }, "
        "pipelines: { p: { schedule: '0 3 * * *', stages: [{ name: a, script: [make] }] } } }"
    ),
    "pipelines: { p: { timeout: 2 hours, stages: [{ name: a, script: [make] }] } }",
    "pipelines: { p: { concurrency: group, stages: [{ name: a, script: [make] }] } }",
    "pipelines: { p: { concurrency: { group: group }, stages: [{ name: a, script: [make] }] } }",
    "pipelines: { p: { schedule: ['0 3 * * *'], stages: [{ name: a, script: [make] }] } }",
    (
        "{ inputs: { unread: x }, templates: { unused: { script: [make] } }, "
        "pipelines: { p: { stages: [{ name: a, script: [make] }] } } }"
    ),
    (
        "targets: { gitlab: { tools: { docker: d, dind: e, helm: f, git: g, shell: h, curl: j }, mail: {} } }\n"
        "pipelines: { p: { notify: { email: { to: [a@b.c] } }, stages: [{ name: a, build: x, publish: { image: true } "
        "}, "
        "{ name: b, deploy: { image: x, tag: y } }, { name: c, promote: [{ version: x }] }, "
        "{ name: d, script: [make] }] } }"
    ),
    (
        "targets: { gitlab: { release: { stage: a }, tools: { release: r } } }\n"
        "pipelines: { p: { stages: [{ name: a, script: [make] }] } }"
    ),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a schema: its path, which begins with the name of the schema, and its content."""

    path: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A config, as data, with a position at *route*."""

    name: str
    data: object
    route: Route

    def with_text(self, text: str) -> str:
        """Return the config with *text* at the position, as JSON."""
        return json.dumps(_replaced(self.data, self.route, text), ensure_ascii=False)


@cache
def schema(name: str) -> Mapping[str, Any]:
    """Return the schema of configs for "", or that of a target's settings."""
    if name:
        settings: Mapping[str, Any] = registry.load(name).SETTINGS
        return settings
    text = (folder("schemas") / "pipelines.schema.json").read_text(encoding="utf-8")
    whole: dict[str, Any] = json.loads(text)
    # What the schema leaves open, the targets say.
    targets = {target: {"$ref": f"{target}#"} for target in TARGETS}
    whole["properties"]["targets"] = {"type": "object", "properties": targets}
    return whole


def _resolved(place: Place) -> Place:
    while "$ref" in place.schema and "properties" not in place.schema:
        name, _, path = str(place.schema["$ref"]).rpartition("#")
        name = name or place.path.partition(":")[0]
        data: Any = schema(name)
        for step in filter(None, path.split("/")):
            data = data[step]
        place = Place(f"{name}:{path}", data)
    return place


def _branches(place: Place) -> Iterator[Place]:
    """Yield all alternatives of a value at *place*."""
    resolved = _resolved(place)
    yield resolved
    for word in ("anyOf", "oneOf"):
        for number, branch in enumerate(resolved.schema.get(word, ())):
            if branch.keys() - {"required"}:
                yield from _branches(Place(f"{resolved.path}/{word}/{number}", branch))


def identity(place: Place) -> str:
    """Return the path of *place*; a key of templates that refers to one of stages has that path."""
    reference = str(place.schema.get("$ref", ""))
    return f":{reference[1:]}" if "/properties/" in reference else place.path


def _keys(place: Place) -> dict[str, Place]:
    return {
        key: Place(f"{position.path}/properties/{key}", value)
        for position in _branches(place)
        for key, value in position.schema.get("properties", {}).items()
    }


def _inner(place: Place) -> list[Place]:
    """Return the positions in a map or list at *place*, except keys; an open one contains anything."""
    return [
        Place(f"{position.path}/{word}", position.schema[word])
        for position in _branches(place)
        for word in ("additionalProperties", "items")
        if isinstance(position.schema.get(word), dict)
    ]


def _is_open(place: Place) -> bool:
    """Whether the schema does not restrict the value at *place*, or the values of the map there."""
    data = _resolved(place).schema
    says = {"anyOf", "oneOf", "enum", "const", "properties", "additionalProperties", "items", "not"}
    return not data.keys() & says and data.get("type", "object") == "object"


def _is_text(place: Place) -> bool:
    return any(
        "string" in _listed(position.schema.get("type")) and not position.schema.keys() & {"enum", "const"}
        for position in _branches(place)
    )


def _has_names(place: Place) -> bool:
    return any(isinstance(one.schema.get("additionalProperties"), dict) for one in _branches(place))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


@cache
def positions() -> tuple[str, ...]:
    """Return every position, in the order of the schemas: texts, names of entries, and open values."""
    names: dict[str, None] = {}
    seen: set[str] = set()
    left = [Place(":", schema(""))]
    while left:
        place = left.pop(0)
        if identity(place) in seen:
            continue
        seen.add(identity(place))
        names |= dict.fromkeys(_names(place))
        left += [*_keys(place).values(), *_inner(place)]
    return tuple(names)


def _names(place: Place) -> Iterator[str]:
    if _is_text(place):
        yield identity(place)
    if _has_names(place):
        yield f"{identity(place)} name"
    if _is_open(place):
        yield f"{identity(place)} open"


def occurrences() -> dict[str, list[Occurrence]]:
    """Return configs for each position, the smallest first."""
    values: dict[str, list[Occurrence]] = {position: [] for position in positions()}
    for name, tree in sorted(_trees(), key=lambda one: len(str(plain(one[1])))):
        seen: set[str] = set()
        for position, route in _used(tree, [Place(":", schema(""))], ()):
            if position not in seen:
                seen.add(position)
                values[position].append(Occurrence(name, plain(tree), route))
    return values


def _trees() -> Iterator[tuple[str, Node]]:
    files: list[tuple[str, SourceFile]] = [
        (path.parent.name, load(path, Report())) for one in _PATTERNS for path in sorted(Path(ROOT).glob(one))
    ]
    files += [(name, block.file) for name, block in blocks()]
    files += [("more", SourceFile("pipegen.yaml", text)) for text in (*map(_with, _STAGES), *_MORE)]
    for name, file in files:
        report = Report()
        tree = read(file, report)
        if not report.has_errors():
            yield name, tree


def _with(keys: str) -> str:
    return f"pipelines: {{ p: {{ stages: [{{ name: a, script: [make], {keys} }}] }} }}"


def _used(node: Node, places: list[Place], route: Route) -> Iterator[tuple[str, Route]]:
    """Yield the positions in *node*, which is at one of *places*, each with its route."""
    if any(_is_open(place) for place in places):
        yield from (
            (f"{identity(place)} open", deep) for place in places if _is_open(place) for deep in _texts(node, route)
        )
        return
    match node:
        case Scalar():
            if node.kind is ScalarKind.TEXT:
                yield from ((identity(place), route) for place in places if _is_text(place))
        case Sequence():
            inner = [one for place in places for one in _inner(place)]
            for number, item in enumerate(node):
                yield from _used(item, inner, (*route, number))
        case TreeMapping():
            yield from _used_entries(node, places, route)


def _used_entries(node: TreeMapping, places: list[Place], route: Route) -> Iterator[tuple[str, Route]]:
    inner = [one for place in places for one in _inner(place)]
    for entry in node.entries:
        key = entry.key.text
        own = [known[key] for place in places if key in (known := _keys(place))]
        if not own:
            yield from ((f"{identity(place)} name", (*route, KEY, key)) for place in places if _has_names(place))
        yield from _used(entry.value, own or inner, (*route, key))


def _texts(node: Node, route: Route) -> Iterator[Route]:
    match node:
        case Scalar():
            if node.kind is ScalarKind.TEXT:
                yield route
        case Sequence():
            for number, item in enumerate(node):
                yield from _texts(item, (*route, number))
        case TreeMapping():
            for entry in node.entries:
                yield from _texts(entry.value, (*route, entry.key.text))


def plain(node: Node) -> object:
    """Return *node* as data; numbers as the original text if they would change."""
    match node:
        case Scalar():
            return node.text if node.kind is ScalarKind.NUMBER else node.value
        case Sequence():
            return [plain(item) for item in node]
        case TreeMapping():
            return {entry.key.text: plain(entry.value) for entry in node.entries}


def _replaced(data: object, route: Route, text: str) -> object:
    if not route:
        return text
    step, *rest = route
    if isinstance(data, list):
        return [_replaced(item, tuple(rest), text) if at == step else item for at, item in enumerate(data)]
    assert isinstance(data, dict)
    if step == KEY:
        return {text if key == rest[0] else key: value for key, value in data.items()}
    return {key: _replaced(value, tuple(rest), text) if key == step else value for key, value in data.items()}
