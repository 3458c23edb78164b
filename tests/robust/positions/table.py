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
# The path to a position in data: keys and indexes of items; a key itself follows `KEY`.
Route = tuple[str | int, ...]
KEY = "\0key"
_PATTERNS = ("tests/golden/*/pipeline.yml", "examples/**/pipegen.yaml", "examples/**/config.yaml")
# Keys and whole configs with positions that no golden contains as text. Documents and examples have some of them, too,
# but can change at any time.
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
    "trigger: { include: [{ artifact: ci/test.yml, stage: other }] }",
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
class SchemaPart:
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
    document: dict[str, Any] = json.loads(text)
    # The targets define the keys that the schema leaves open.
    targets = {target: {"$ref": f"{target}#"} for target in TARGETS}
    document["properties"]["targets"] = {"type": "object", "properties": targets}
    return document


def _resolved(part: SchemaPart) -> SchemaPart:
    while "$ref" in part.schema and "properties" not in part.schema:
        name, _, path = str(part.schema["$ref"]).rpartition("#")
        name = name or part.path.partition(":")[0]
        data: Any = schema(name)
        for step in filter(None, path.split("/")):
            data = data[step]
        part = SchemaPart(f"{name}:{path}", data)
    return part


def _branches(part: SchemaPart) -> Iterator[SchemaPart]:
    """Yield all alternatives of a value at *part*."""
    resolved = _resolved(part)
    yield resolved
    for word in ("anyOf", "oneOf"):
        for number, branch in enumerate(resolved.schema.get(word, ())):
            if branch.keys() - {"required"}:
                yield from _branches(SchemaPart(f"{resolved.path}/{word}/{number}", branch))


def identity(part: SchemaPart) -> str:
    """Return the path of *part*; a key of templates that refers to one of stages has that path."""
    reference = str(part.schema.get("$ref", ""))
    return f":{reference[1:]}" if "/properties/" in reference else part.path


def _keys(part: SchemaPart) -> dict[str, SchemaPart]:
    return {
        key: SchemaPart(f"{position.path}/properties/{key}", value)
        for position in _branches(part)
        for key, value in position.schema.get("properties", {}).items()
    }


def _inner(part: SchemaPart) -> list[SchemaPart]:
    """Return the positions in a map or list at *part*, except keys; an open one contains anything."""
    return [
        SchemaPart(f"{position.path}/{word}", position.schema[word])
        for position in _branches(part)
        for word in ("additionalProperties", "items")
        if isinstance(position.schema.get(word), dict)
    ]


def _is_open(part: SchemaPart) -> bool:
    """Whether the schema does not restrict the value at *part*, or the values of the map there."""
    data = _resolved(part).schema
    says = {"anyOf", "oneOf", "enum", "const", "properties", "additionalProperties", "items", "not"}
    return not data.keys() & says and data.get("type", "object") == "object"


def _is_text(part: SchemaPart) -> bool:
    return any(
        "string" in _listed(position.schema.get("type")) and not position.schema.keys() & {"enum", "const"}
        for position in _branches(part)
    )


def _has_names(part: SchemaPart) -> bool:
    return any(isinstance(branch.schema.get("additionalProperties"), dict) for branch in _branches(part))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


@cache
def positions() -> tuple[str, ...]:
    """Return every position, in the order of the schemas: texts, names of entries, and open values."""
    names: dict[str, None] = {}
    seen: set[str] = set()
    queue = [SchemaPart(":", schema(""))]
    while queue:
        part = queue.pop(0)
        if identity(part) in seen:
            continue
        seen.add(identity(part))
        names |= dict.fromkeys(_names(part))
        queue += [*_keys(part).values(), *_inner(part)]
    return tuple(names)


def _names(part: SchemaPart) -> Iterator[str]:
    if _is_text(part):
        yield identity(part)
    if _has_names(part):
        yield f"{identity(part)} name"
    if _is_open(part):
        yield f"{identity(part)} open"


def occurrences() -> dict[str, list[Occurrence]]:
    """Return configs for each position, the smallest first."""
    values: dict[str, list[Occurrence]] = {position: [] for position in positions()}
    for name, tree in sorted(_trees(), key=lambda pair: len(str(plain(pair[1])))):
        seen: set[str] = set()
        for position, route in _used(tree, [SchemaPart(":", schema(""))], ()):
            if position not in seen:
                seen.add(position)
                values[position].append(Occurrence(name, plain(tree), route))
    return values


def _trees() -> Iterator[tuple[str, Node]]:
    files: list[tuple[str, SourceFile]] = [
        (path.parent.name, load(path, Report())) for pattern in _PATTERNS for path in sorted(Path(ROOT).glob(pattern))
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


def _used(node: Node, parts: list[SchemaPart], route: Route) -> Iterator[tuple[str, Route]]:
    """Yield the positions in *node*, which is at one of *parts*, each with its route."""
    if any(_is_open(part) for part in parts):
        yield from (
            (f"{identity(part)} open", deep) for part in parts if _is_open(part) for deep in _texts(node, route)
        )
        return
    match node:
        case Scalar():
            if node.kind is ScalarKind.TEXT:
                yield from ((identity(part), route) for part in parts if _is_text(part))
        case Sequence():
            inner = [inner_part for part in parts for inner_part in _inner(part)]
            for number, item in enumerate(node):
                yield from _used(item, inner, (*route, number))
        case TreeMapping():
            yield from _used_entries(node, parts, route)


def _used_entries(node: TreeMapping, parts: list[SchemaPart], route: Route) -> Iterator[tuple[str, Route]]:
    inner = [inner_part for part in parts for inner_part in _inner(part)]
    for entry in node.entries:
        key = entry.key.text
        own = [known[key] for part in parts if key in (known := _keys(part))]
        if not own:
            yield from ((f"{identity(part)} name", (*route, KEY, key)) for part in parts if _has_names(part))
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
