#!/usr/bin/env python3
"""Writes the parts of the documents that the code knows best, and the pictures in them.

Run as `python docs/generate.py [--check] [FILE…]`; without a FILE it takes every document of this folder.
What stands between `<!-- generated: PART -->` and `<!-- end -->` is written anew; PART is one of `_PARTS`,
perhaps with an argument.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from pipegen.assets import folder
from pipegen.cli.app import app
from pipegen.cli.commands.plan import as_data
from pipegen.cli.made import data as made_data
from pipegen.cli.made import make
from pipegen.cli.pictures.pictured import picture
from pipegen.cli.verbs import VERBS
from pipegen.compiler import analyse
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.explain import page
from pipegen.diagnostics.render.json import render as render_diagnostics
from pipegen.diagnostics.report import Report, Stopped
from pipegen.pictures.svg import render_svg
from pipegen.source.text import SourceFile
from pipegen.targets import registry
from pipegen.targets.base import Pair, incompatible, versions

HERE = Path(__file__).parent
# The pictures, and what they are of: a config, or a document whose first config they show.
PICTURES = {
    HERE / "pictures/service.svg": HERE.parent / "README.md",
    HERE / "pictures/shop.svg": HERE / "pictures/shop.yaml",
}
_PART = re.compile(r"(<!-- generated: (\w+) ?([^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_FINDS = re.compile(r"^## What it finds\n\n(.*?[.])(?=\s|\Z)", re.DOTALL | re.MULTILINE)
_CONFIG = re.compile(r"^```yaml[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

Schema = Mapping[str, Any]

# The kinds of values that the schema names, in the words of the documents.
_NAMED = {"text": "text", "word": "plain text", "texts": "list of texts", "namedTexts": "map of texts"}
_TYPES = {
    "string": "text",
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "array": "list",
    "object": "map",
}
_OPERATORS = ("operator", "each", "merge")
# A word that YAML takes for text without quotes, wherever it stands.
_PLAIN = re.compile(r"[A-Za-z/](?:[\w./@=-]|:(?=[\w/]))*(?: (?:[\w./@=-]|:(?=[\w/]))+)*|[0-9]+(?:\.[0-9]+){2,}")
_NO_TEXT = re.compile(r"true|false|yes|no|on|off|null", re.IGNORECASE)


def main(arguments: Sequence[str]) -> int:
    """Write the documents, or tell how they differ; return the exit status."""
    is_check = "--check" in arguments
    named = [Path(argument) for argument in arguments if argument != "--check"]
    paths = named or [*sorted(HERE.glob("*.md")), *PICTURES]
    stale = [path for path in paths if not _is_fresh(path)]
    for path in stale:
        if is_check:
            sys.stdout.write(_difference(path))
        else:
            path.write_text(_fresh_text(path), encoding="utf-8")
            sys.stdout.write(f"{path} written\n")
    return 1 if is_check and stale else 0


def fresh(document: str) -> str:
    """Return *document* with its generated parts written anew."""
    return _PART.sub(lambda part: part[1] + _written(part, document) + part[4], document)


def _is_fresh(path: Path) -> bool:
    return _text(path) == _fresh_text(path)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _fresh_text(path: Path) -> str:
    return _drawn(PICTURES[path]) if path in PICTURES else fresh(_text(path))


def _drawn(source: Path) -> str:
    """Return the picture of the config in *source*."""
    text = _text(source)
    found = _CONFIG.search(text)
    file = SourceFile(source.name, found[1] if found else text)
    return render_svg([picture(plan) for plan in analyse(file, (), Report()).plans])


def _difference(path: Path) -> str:
    old, new = _text(path).splitlines(True), _fresh_text(path).splitlines(True)
    return "".join(difflib.unified_diff(old, new, str(path), "generated"))


def _written(part: re.Match[str], document: str) -> str:
    return "\n" + _PARTS[part[2]](part[3], document[: part.start()]) + "\n"


def _keys(name: str, _: str) -> str:
    """Return the keys of the map that the schema calls *name*: a definition, perhaps `/` and a key in it."""
    whole = json.loads((folder("schemas") / "pipelines.schema.json").read_text(encoding="utf-8"))
    found = whole if name == "file" else _resolved(_definition(name.split("/"), whole), whole)
    described = [found["description"], ""] if name != "file" else []
    body = _map_of(found, whole)
    required = body.get("required", ())
    lines = [line for key, value in body["properties"].items() for line in _key(key, value, key in required, whole)]
    return "\n".join([*described, *lines]) + "\n"


def _definition(steps: Sequence[str], whole: Schema) -> Schema:
    found: Schema = whole["$defs"][steps[0]]
    for step in steps[1:]:
        found = _map_of(_resolved(found, whole), whole)["properties"][step]
    return found


def _resolved(schema: Schema, whole: Schema) -> Schema:
    """Return *schema* with what it refers to, directly or not; its own words win."""
    found: Schema = schema
    while "$ref" in found:
        referred: Schema = whole
        for step in found["$ref"].removeprefix("#/").split("/"):
            referred = referred[step]
        found = {**referred, **{key: value for key, value in found.items() if key != "$ref"}}
    return found


def _name(schema: Schema) -> str:
    """Return the definition that *schema* refers to; nothing for a reference to a key within one."""
    found = re.fullmatch(r"#/\$defs/(\w+)", schema.get("$ref", ""))
    return found[1] if found else ""


def _map_of(schema: Schema, whole: Schema) -> Schema:
    """Return the branch of *schema* that is a map with keys of its own."""
    branches = (schema, *(_resolved(branch, whole) for branch in schema.get("anyOf", ())))
    return next(branch for branch in branches if "properties" in branch)


def _key(key: str, schema: Schema, is_required: bool, whole: Schema) -> Iterator[str]:  # noqa: FBT001 - said by name
    full = _resolved(schema, whole)
    told = [kind(schema, whole)]
    told += ["required"] if is_required else []
    told += [f"default `{flow(full['default'])}`"] if "default" in full else []
    yield f"- **`{key}`** ({', '.join(told)}): {full['description']}"
    if examples := schema.get("examples", () if _name(schema) in _NAMED else full.get("examples", ())):
        yield f"  Example: {' or '.join(f'`{key}: {flow(example)}`' for example in examples[:2])}."


def kind(schema: Schema, whole: Schema) -> str:
    """Return what *schema* takes, in a few words; operators, which stand for what they make, are passed over."""
    if _name(schema) in _NAMED:
        return _NAMED[_name(schema)]
    full = _resolved(schema, whole)
    if "enum" in full or "const" in full:
        return " or ".join(f"`{flow(value)}`" for value in full.get("enum", [full.get("const")]))
    types = full.get("type")
    if isinstance(types, list):
        return "text"
    if types is not None:
        return f"list of {_several(kind(full['items'], whole))}" if "items" in full else _TYPES[types]
    branches = (*full.get("anyOf", ()), *full.get("oneOf", ()))
    kinds = [kind(branch, whole) for branch in branches if _name(branch) not in _OPERATORS]
    return " or ".join(dict.fromkeys(kinds)) or "any value"


def _several(word: str) -> str:
    plurals = {"text": "texts", "plain text": "names", "map": "maps", "list of names": "arcs"}
    return plurals.get(word, f"items, each {word}")


def flow(value: object) -> str:
    """Return *value* as YAML on one line."""
    match value:
        case str():
            return value if _PLAIN.fullmatch(value) and not _NO_TEXT.fullmatch(value) else _quoted(value)
        case dict():
            return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(flow, value)) + "]"
        case _:
            return json.dumps(value)


def _quoted(value: str) -> str:
    return json.dumps(value) if "\n" in value else "'" + value.replace("'", "''") + "'"


def _settings(target: str, _: str) -> str:
    """Return the table of the settings of *target*."""
    rows = ["| setting | type | default | description |", "|---|---|---|---|"]
    rows += _rows("", registry.load(target).SETTINGS)
    return "\n".join(rows) + "\n"


def _project(_: str, __: str) -> str:
    """Return the table of the settings of a project."""
    schema = json.loads((folder("schemas") / "settings.schema.json").read_text(encoding="utf-8"))
    return "\n".join(["| setting | type | default | description |", "|---|---|---|---|", *_rows("", schema)]) + "\n"


def _rows(before: str, schema: Schema) -> Iterator[str]:
    for key, value in schema.get("properties", {}).items():
        default = f"`{flow(value['default'])}`" if "default" in value else ""
        if "properties" not in value:
            yield f"| `{before}{key}` | {kind(value, {})} | {default} | {value['description']} |"
        yield from _rows(f"{before}{key}.", value)


def _capabilities(target: str, _: str) -> str:
    """Return the table of the features that *target* supports."""
    rows = ["| feature | support | notes |", "|---|---|---|"]
    rows += [f"| {one.feature} | {one.support} | {one.note} |" for one in registry.load(target).CAPABILITIES]
    return "\n".join(rows) + "\n"


def _versions(name: str, _: str) -> str:
    """Return the table of the features that need a certain version of the engine of the target *name*."""
    rows = ["| feature in the file | minimum version |", "|---|---|"]
    rows += [f"| `{what}` | {version} |" for what, version in versions(registry.load(name))]
    return "\n".join(rows) + "\n"


def _incompatible(name: str, _: str) -> str:
    """Return the table of the features that cannot be combined on the target *name*."""
    rows = ["| feature | incompatible with | diagnostic | instead |", "|---|---|---|---|"]
    rows += [
        f"| {pair.first} | {pair.second} | {_told(pair)} | {pair.note} |" for pair in incompatible(registry.load(name))
    ]
    return "\n".join(rows) + "\n"


def _told(pair: Pair) -> str:
    return f"`{pair.code.number}` ({pair.code.severity.value})"


def _plan(target: str, before: str) -> str:
    """Return the plan of the config above, or what a target, perhaps in a style, makes of it, as JSON."""
    analysed = analyse(_config_above(before), (), Report())
    if not target:
        return _block("json", json.dumps(as_data(analysed.plans), indent=2))
    name, _, style = target.partition(" ")
    made = make(analysed, registry.load(name), {"style": style} if style else {}, Report())
    return _block("json", json.dumps({"targets": [made_data(made)]}, indent=2))


def _check(_: str, before: str) -> str:
    """Return what is wrong with the config above, as JSON."""
    report = Report()
    try:
        analyse(_config_above(before), (), report)
    except Stopped:
        return _block("json", render_diagnostics(report.diagnostics()))
    raise ValueError("nothing is wrong with the config above")


def _rules(_: str, __: str) -> str:
    """Return the table of the rules of lint, each with the first sentence of its page."""
    rows = ["| code | name | severity | reports |", "|---|---|---|---|"]
    for code in (one for one in table() if one.number.startswith("PG7")):
        found = _FINDS.search(page(code.number) or "")
        words = " ".join(found[1].split()) if found else ""
        rows.append(f"| `{code.number}` | {code.name} | {code.severity.value} | {words} |")
    return "\n".join(rows) + "\n"


def _config_above(before: str) -> SourceFile:
    return SourceFile("pipegen.yaml", _CONFIG.findall(before)[-1])


def _file(name: str, _: str) -> str:
    """Return the file *name* of this folder."""
    language = {".py": "python"}.get(Path(name).suffix, Path(name).suffix[1:])
    return _block(language, (HERE / name).read_text(encoding="utf-8"))


def _verbs(_: str, __: str) -> str:
    """Return what each verb says of itself."""
    parts = []
    for name in VERBS:
        shown = CliRunner().invoke(app, [name, "--help"], prog_name="pipegen", terminal_width=100)
        parts.append(f"## {name}\n\n{_block('text', shown.output)}")
    return "\n".join(parts)


def _codes(_: str, __: str) -> str:
    """Return the table of all codes, with links to their pages."""
    rows = ["| code | name | severity | reported condition |", "|---|---|---|---|"]
    for code in table():
        text = page(code.number) or ""
        found = re.search(r"^## What it finds\n\n(.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
        words = " ".join(found[1].split()).replace("|", "\\|") if found else ""
        link = f"[{code.number}](../pipegen/diagnostics/pages/{code.number}.md)"
        rows.append(f"| {link} | {code.name} | {code.severity.value} | {words} |")
    return "\n".join(rows) + "\n"


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"


_PARTS: Mapping[str, Callable[[str, str], str]] = {
    "keys": _keys,
    "settings": _settings,
    "project": _project,
    "capabilities": _capabilities,
    "incompatible": _incompatible,
    "versions": _versions,
    "plan": _plan,
    "check": _check,
    "rules": _rules,
    "file": _file,
    "verbs": _verbs,
    "codes": _codes,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
