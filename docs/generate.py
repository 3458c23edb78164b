#!/usr/bin/env python3
"""Writes the generated parts of the documents, and their pictures.

Run as `python docs/generate.py [--check] [FILE…]`; without a FILE, it processes every document of this folder. The text
between `<!-- generated: PART -->` and `<!-- end -->` is generated; PART is one of `_PARTS`, with an argument if needed.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from pipegen.assets import folder
from pipegen.cli.app import app
from pipegen.cli.commands.plan import as_data
from pipegen.cli.events import EventOptions, as_table, event_answers
from pipegen.cli.pictures.pictured import picture
from pipegen.cli.target_files import data as made_data
from pipegen.cli.target_files import make
from pipegen.cli.verbs import VERBS
from pipegen.compiler import analyse, generate
from pipegen.config.flow import flow
from pipegen.config.schema.foreign.words import WORDS
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.explain import page
from pipegen.diagnostics.render.json import render as render_diagnostics
from pipegen.diagnostics.report import Report, Stopped
from pipegen.pictures.svg import render_svg
from pipegen.source.text import SourceFile
from pipegen.targets import registry
from pipegen.targets.base import Pair, incompatible, versions

HERE = Path(__file__).parent
# The pictures, and their sources: a config, or a document whose first config is drawn.
PICTURES = {
    HERE / "pictures/service.svg": HERE.parent / "README.md",
    HERE / "pictures/shop.svg": HERE / "pictures/shop.yaml",
}
_PART = re.compile(r"(<!-- generated: (\w+) ?([^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_DESCRIPTION = re.compile(r"^## Description\n\n(.*?[.])(?=\s|\Z)", re.DOTALL | re.MULTILINE)
_CONFIG = re.compile(r"^```yaml[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

Schema = Mapping[str, Any]

# The config that contains a feature.
_WITH_FEATURE = """\
{file}
pipelines:
  app:
    {{
      stages: [
        {{ name: build, script: [make], outputs: {{ version: {{ command: ./version }} }} }},
        {{ name: lint, script: [make lint] }},
        {{ name: test, {stage} }},
      ],
      {pipeline},
    }}
"""
_ORDER = "execution: [[build, lint, test]]"

# The types of values in the schema, in the words of the documents.
_NAMED = {
    "text": "text",
    "word": "plain text",
    "texts": "list of texts",
    "namedTexts": "map of texts",
    "duration": "duration",
}
_TYPES = {
    "string": "text",
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "array": "list",
    "object": "map",
}
_PLURALS = {
    "text": "texts",
    "plain text": "plain texts",
    "map": "maps",
    "whole number": "whole numbers",
    "duration": "durations",
}
_WIDTH = 120
# The parts of a config whose keys have no prefix; a key in two of them has the same meaning in both.
_ROOTS: Mapping[str, Callable[[Schema], Schema]] = {
    "file": lambda whole: whole,
    "pipeline": lambda whole: whole["$defs"]["pipeline"],
    "stage": lambda whole: whole["$defs"]["stage"],
}
_OPERATORS = ("operator", "each", "merge")


def main(arguments: Sequence[str]) -> int:
    """Write the documents, or report their differences; return the exit status."""
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
    """Return *document* with regenerated parts."""
    return _PART.sub(lambda part: part[1] + _written(part) + part[4], document)


def _is_fresh(path: Path) -> bool:
    return _text(path) == _fresh_text(path)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _fresh_text(path: Path) -> str:
    return _drawn(PICTURES[path]) if path in PICTURES else fresh(_text(path))


def _drawn(source: Path) -> str:
    """Return the picture of the config in *source*."""
    text = _text(source)
    match = _CONFIG.search(text)
    file = SourceFile(source.name, match[1] if match else text)
    return render_svg([picture(plan) for plan in analyse(file, (), Report()).plans])


def _difference(path: Path) -> str:
    old, new = _text(path).splitlines(True), _fresh_text(path).splitlines(True)
    return "".join(difflib.unified_diff(old, new, str(path), "generated"))


def _written(part: re.Match[str]) -> str:
    return "\n" + _PARTS[part[2]](part[3], part) + "\n"


def _keys(path: str, part: re.Match[str]) -> str:
    """Return the keys of the map at *path* in a config, and the keys nested in them.

    A nested map with its own section in the document is listed there, and only linked here.
    """
    schema = json.loads((folder("schemas") / "pipelines.schema.json").read_text(encoding="utf-8"))
    sections = _sections(part.string)
    target = _map_at(path, schema)
    description = [*_wrapped(target["description"], "", ""), ""] if path not in _ROOTS else []
    prefix = "" if path in _ROOTS or path.startswith("$") else path
    return "\n".join([*description, *_nested(prefix, target, schema, sections)]) + "\n"


def _sections(document: str) -> Mapping[str, str]:
    """Return the paths of the maps whose keys *document* lists, each with a link to the heading above the list."""
    sections, heading = {}, ""
    for line in re.finditer(r"^(#+ (?P<heading>.*)|<!-- generated: keys (?P<path>\S+) -->)$", document, re.MULTILINE):
        if line["path"]:
            anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            sections[line["path"]] = f"[{heading}](#{anchor})"
        heading = line["heading"] or heading
    return sections


def _map_at(path: str, whole: Schema) -> Schema:
    """Return the map at *path*, as `cache.key` or `services[]`; the first key is that of a stage, pipeline or file."""
    if path in _ROOTS:
        return _ROOTS[path](whole)
    if path.startswith("$"):
        operator: Schema = whole["$defs"][path.removeprefix("$")]
        return operator
    first, *steps = path.replace("[]", ".[]").split(".")
    root = next(root(whole) for root in _ROOTS.values() if first in root(whole)["properties"])
    schema: Schema = root["properties"][first]
    for step in steps:
        schema = next(below for branch in _branches(schema, whole) if (below := _below(branch, step)) is not None)
    return _resolved(schema, whole)


def _below(schema: Schema, step: str) -> Schema | None:
    """Return the schema of the items of *schema* for `[]`, of its values for `NAME`, otherwise of the key *step*."""
    keyword = {"[]": "items", "NAME": "additionalProperties"}.get(step)
    below = schema.get(keyword) if keyword else schema.get("properties", {}).get(step)
    return below if isinstance(below, Mapping) else None


def _resolved(schema: Schema, whole: Schema) -> Schema:
    """Return *schema* with the definition that it refers to, directly or indirectly; its own keywords win."""
    full: Schema = schema
    while "$ref" in full:
        definition: Schema = whole
        for step in full["$ref"].removeprefix("#/").split("/"):
            definition = definition[step]
        full = {**definition, **{key: value for key, value in full.items() if key != "$ref"}}
    return full


def _name(schema: Schema) -> str:
    """Return the name of the definition that *schema* refers to; empty for a reference to a nested key."""
    reference = re.fullmatch(r"#/\$defs/(\w+)", schema.get("$ref", ""))
    return reference[1] if reference else ""


def _branches(schema: Schema, whole: Schema) -> Iterator[Schema]:
    """Yield *schema* and the alternatives in it, without operators and without lists of another alternative."""
    full = _resolved(schema, whole)
    yield full
    names = {_name(branch) for branch in full.get("anyOf", ())} - {""}
    for branch in full.get("anyOf", ()):
        if _name(branch) not in _OPERATORS and _name(branch.get("items", {})) not in names:
            yield from _branches(branch, whole)


def _nested(path: str, schema: Schema, whole: Schema, sections: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines for the keys of *schema* at *path*, at any depth, except those listed in another section."""
    for branch in _branches(schema, whole):
        required = branch.get("required", ())
        for key, value in branch.get("properties", {}).items():
            below = f"{path}.{key}" if path else key
            yield from _key(below, value, key in required, whole, sections)
            yield from _further(below, value, whole, sections)
        for below, step in ((f"{path}.NAME", "NAME"), (f"{path}[]", "[]")):
            value = _below(branch, step)
            if value is not None:
                yield from _further(below, value, whole, sections)


def _further(path: str, schema: Schema, whole: Schema, sections: Mapping[str, str]) -> Iterator[str]:
    is_elsewhere = path in sections or _name(schema) in (*sections, "template")
    return iter(()) if is_elsewhere else _nested(path, schema, whole, sections)


def _key(
    path: str,
    schema: Schema,
    is_required: bool,  # noqa: FBT001 - the argument says it
    whole: Schema,
    sections: Mapping[str, str],
) -> Iterator[str]:
    full = _resolved(schema, whole)
    notes = [kind(schema, whole)]
    notes += ["required"] if is_required else []
    notes += [f"default `{flow(full['default'])}`"] if "default" in full else []
    paths = {path, f"{path}[]", f"{path}.NAME"} - set(_ROOTS)
    more = "".join(f" Keys: {link}." for below, link in sections.items() if below in paths)
    yield from _wrapped(f"**`{path}`** ({', '.join(notes)}): {full['description']}{more}", "- ", "  ")
    if examples := schema.get("examples", () if _name(schema) in _NAMED else full.get("examples", ())):
        key = path.rpartition(".")[2]
        text = " or ".join(f"`{key}: {flow(example)}`" for example in examples[:2])
        yield from _wrapped(f"Example: {text}.", "  ", "  ")


def _wrapped(text: str, first: str, others: str) -> Iterator[str]:
    """Yield *text* in lines of at most 120 columns; code is broken only if it is longer than a line."""
    line = first
    for word in _words(text):
        if line.strip(" -") and len(line) + len(word) > _WIDTH:
            yield line.rstrip()
            line = others
        line += word + " "
    yield line.rstrip()


def _words(text: str) -> Iterator[str]:
    for word in re.findall(r"(?:`[^`]*`|[^\s`])+", text):
        yield from [word] if len(word) < _WIDTH - len("  ") else word.split(" ")


def kind(schema: Schema, whole: Schema) -> str:
    """Return the type of *schema* in a few words; operators, which are replaced by their result, are ignored."""
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
    kinds = dict.fromkeys(kind(branch, whole) for branch in branches if _name(branch) not in _OPERATORS)
    lists = {f"list of {_several(word)}" for word in kinds if "`" in word}
    return " or ".join("a list of these" if word in lists else word for word in kinds) or "any value"


def _several(word: str) -> str:
    """Return the plural of the kind *word*, or of each where `or` joins several."""
    parts = (f"lists{part.removeprefix('list')}" if part.startswith("list ") else part for part in word.split(" or "))
    return " or ".join(_PLURALS.get(part, part) for part in parts)


def _settings(target: str, _: re.Match[str]) -> str:
    """Return the table of the settings of *target*."""
    rows = ["| setting | type | default | description |", "|---|---|---|---|"]
    rows += _rows("", registry.load(target).SETTINGS)
    return "\n".join(rows) + "\n"


def _project(_: str, __: re.Match[str]) -> str:
    """Return the table of the settings of a project."""
    schema = json.loads((folder("schemas") / "settings.schema.json").read_text(encoding="utf-8"))
    return "\n".join(["| setting | type | default | description |", "|---|---|---|---|", *_rows("", schema)]) + "\n"


def _rows(before: str, schema: Schema) -> Iterator[str]:
    for key, value in schema.get("properties", {}).items():
        default = f"`{flow(value['default'])}`" if "default" in value else ""
        if "properties" not in value:
            yield f"| `{before}{key}` | {kind(value, {})} | {default} | {value['description']} |"
        yield from _rows(f"{before}{key}.", value)


def _capabilities(target: str, _: re.Match[str]) -> str:
    """Return the table of the features that *target* supports."""
    rows = ["| feature | support | notes |", "|---|---|---|"]
    rows += [
        f"| {capability.feature} | {capability.support} | {capability.note} |"
        for capability in registry.load(target).CAPABILITIES
    ]
    return "\n".join(rows) + "\n"


def _versions(name: str, _: re.Match[str]) -> str:
    """Return the table of the features that need a certain version of the engine of the target *name*."""
    rows = ["| feature in the file | minimum version |", "|---|---|"]
    rows += [f"| `{what}` | {version} |" for what, version in versions(registry.load(name))]
    return "\n".join(rows) + "\n"


def _incompatible(name: str, _: re.Match[str]) -> str:
    """Return the table of the features that cannot be combined on the target *name*."""
    rows = ["| feature | incompatible with | diagnostic | instead |", "|---|---|---|---|"]
    rows += [
        f"| {pair.first} | {pair.second} | {_code(pair)} | {pair.note} |" for pair in incompatible(registry.load(name))
    ]
    return "\n".join(rows) + "\n"


def _code(pair: Pair) -> str:
    return f"`{pair.code.number}` ({pair.code.severity.value})"


def _plan(target: str, part: re.Match[str]) -> str:
    """Return the plan of the config above, or its form for a target, optionally in a style, as JSON."""
    analysed = analyse(_config_above(part), (), Report())
    if not target:
        return _block("json", json.dumps(as_data(analysed.plans), indent=2))
    name, _, style = target.partition(" ")
    target_files = make(analysed, registry.load(name), {"style": style} if style else {}, Report())
    return _block("json", json.dumps({"targets": [made_data(target_files)]}, indent=2))


def _events(_: str, part: re.Match[str]) -> str:
    """Return which stages of the config above run for which events."""
    analysed = analyse(_config_above(part), (), Report())
    return _block("text", as_table(event_answers(analysed, EventOptions())))


def _check(_: str, part: re.Match[str]) -> str:
    """Return the diagnostics of the config above, as JSON."""
    report = Report()
    try:
        analyse(_config_above(part), (), report)
    except Stopped:
        return _block("json", render_diagnostics(report.diagnostics()))
    raise ValueError("nothing is wrong with the config above")


def _rules(_: str, __: re.Match[str]) -> str:
    """Return the table of lint rules, each with the first sentence of its page."""
    rows = ["| code | name | severity | reports |", "|---|---|---|---|"]
    for code in (code for code in table() if code.number.startswith("PG7")):
        match = _DESCRIPTION.search(page(code.number) or "")
        words = " ".join(match[1].split()) if match else ""
        rows.append(f"| `{code.number}` | {code.name} | {code.severity.value} | {words} |")
    return "\n".join(rows) + "\n"


def _foreign(system: str, part: re.Match[str]) -> str:
    """Return the table of the words of *system* that a config does not have, with links to the headings."""
    rows = [f"| {system} | in a config | section |", "|---|---|---|"]
    titles: dict[tuple[str, str], dict[str, None]] = {}
    for word in (word for word in WORDS if word.system.value == system):
        titles.setdefault((word.section, word.instead), {})[f"`{word.title}`"] = None
    for (section, instead), names in titles.items():
        if f"## {section}\n" not in part.string:
            raise ValueError(f"no heading {section}")
        anchor = re.sub(r"[^\w\- ]", "", section.lower()).replace(" ", "-")
        words = re.sub(r'"([^"]*)"', r"`\1`", instead)
        rows.append(f"| {', '.join(names)} | {words[:1].upper()}{words[1:]} | [{section}](#{anchor}) |")
    return "\n".join(rows) + "\n"


def _config_above(part: re.Match[str]) -> SourceFile:
    return SourceFile("pipegen.yaml", _CONFIG.findall(part.string[: part.start()])[-1])


def _file(name: str, _: re.Match[str]) -> str:
    """Return the file *name* of this folder."""
    language = {".py": "python"}.get(Path(name).suffix, Path(name).suffix[1:])
    return _block(language, (HERE / name).read_text(encoding="utf-8"))


def _verbs(_: str, __: re.Match[str]) -> str:
    """Return the summary of each verb."""
    parts = []
    for name in VERBS:
        shown = CliRunner().invoke(app, [name, "--help"], prog_name="pipegen", terminal_width=100)
        parts.append(f"## {name}\n\n{_block('text', shown.output)}")
    return "\n".join(parts)


def _codes(_: str, __: re.Match[str]) -> str:
    """Return the table of all codes, with links to their pages."""
    rows = ["| code | name | severity | reported condition |", "|---|---|---|---|"]
    for code in table():
        text = page(code.number) or ""
        match = re.search(r"^## Description\n\n(.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
        words = " ".join(match[1].split()).replace("|", "\\|") if match else ""
        link = f"[{code.number}](../pipegen/diagnostics/pages/{code.number}.md)"
        rows.append(f"| {link} | {code.name} | {code.severity.value} | {words} |")
    return "\n".join(rows) + "\n"


def _features(_: str, __: re.Match[str]) -> str:
    """Return the table of features.toml: what each feature adds to the config and to the files of both engines."""
    rows = ["| feature | in the config | on GitLab | on Jenkins |", "|---|---|---|---|"]
    for title, feature in tomllib.loads(_text(HERE / "features.toml")).items():
        cells = [[*feature.values()], *(_added(feature, target) for target in ("gitlab", "jenkins"))]
        rows.append(f"| {title} | {' | '.join(map(_cell, cells))} |")
    return "\n".join(rows) + "\n"


def _constructs(system: str, _: re.Match[str]) -> str:
    """Return the table of the constructs of *system* in constructs.toml, the most frequent first, and their sums."""
    supports = tomllib.loads(_text(HERE / "constructs.toml"))[system]
    rows = [
        (share, name, words, support)
        for support, constructs in supports.items()
        for name, (share, words) in constructs.items()
    ]
    total = sum(share for share, *_ in rows)
    sums = [
        f"{100 * sum(share for share, *_, row_support in rows if row_support == support) / total:.0f} % {support}"
        for support in supports
    ]
    lines = [f"Weighted by these shares: {', '.join(sums)}.", "", "| construct | share | in a config | support |"]
    lines.append("|---|---|---|---|")
    for share, name, words, support in sorted(rows, key=lambda row: -row[0]):
        text = _cell([words]) if re.match(r"[a-z_]+: ", words) else words
        lines.append(f"| `{name}` | {share} % | {text} | {support} |")
    return "\n".join(lines) + "\n"


def _added(feature: Mapping[str, str], target: str) -> list[str]:
    """Return the first three lines that *feature* adds to the file for *target*, dots for more; blocks are one line."""
    before = {line.strip() for line in _generated_lines({}, target)}
    lines = _generated_lines(feature, target)
    first = next((index for index, line in enumerate(lines) if re.match(r" *stage\('(?:approve )?test|test:", line)), 0)
    part = [line.strip() for line in lines[first if "stage" in feature else 0 :]]
    is_added = [line not in before and re.search(r"\w", line) is not None and line != "sh '''" for line in part]
    blocks = list(dict.fromkeys(_joined(part, is_added)))
    return [*blocks[:3], *(["…"] if blocks[3:] else [])]


def _generated_lines(feature: Mapping[str, str], target: str) -> list[str]:
    """Return the lines of the file for *target* of a config with *feature*, without comments and functions."""
    stage, keys = feature.get("stage", ""), feature.get("pipeline", "")
    config = _WITH_FEATURE.format(
        file=feature.get("file", ""),
        stage=stage if re.search("script:|trigger:", stage) else f"script: [make test], {stage}".rstrip(", "),
        pipeline=keys if "execution:" in keys else f"{_ORDER}, {keys}".rstrip(", "),
    )
    file = SourceFile("pipegen.yaml", config)
    text = generate(analyse(file, (), Report()), registry.load(target), {}, Report())[-1].text
    # A short script is on one line, unlike a longer one.
    text = re.sub(r"(?m)^( *)script: \[(.*)\]$", r"\1script:\n\1  - \2", text)
    pipeline = re.search(r"^pipeline \{.*?^\}$", text, re.DOTALL | re.MULTILINE)
    return [line for line in (pipeline[0] if pipeline else text).splitlines() if not re.match(r" *(?:#|//)", line)]


def _joined(lines: Sequence[str], is_added: Sequence[bool]) -> Iterator[str]:
    """Join those of the added *lines* that open a block with the first line of it."""
    opened, ends = "", ""
    for line, is_new, goes_on in zip(lines, is_added, [*is_added[1:], False], strict=True):
        if is_new and re.search(r"[:{\[]$|->$", line):
            opened, ends = f"{opened}{line} {'{ ' * line.endswith(':')}", (" ]" if line.endswith("[") else " }") + ends
            if not goes_on:
                yield f"{opened}…{ends}"
                opened, ends = "", ""
        elif is_new:
            is_list = opened.endswith(": { ") and line.startswith("- ")
            yield f"{opened[:-2]}[{line[2:]}]{ends[2:]}" if is_list else f"{opened}{line}{ends}"
            opened, ends = "", ""


def _cell(lines: Sequence[str]) -> str:
    return "<br>".join(line if line == "…" else f"`{line}`".replace("|", "\\|") for line in lines) or "none"


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"


_PARTS: Mapping[str, Callable[[str, re.Match[str]], str]] = {
    "keys": _keys,
    "foreign": _foreign,
    "settings": _settings,
    "events": _events,
    "project": _project,
    "capabilities": _capabilities,
    "incompatible": _incompatible,
    "versions": _versions,
    "plan": _plan,
    "check": _check,
    "rules": _rules,
    "constructs": _constructs,
    "features": _features,
    "file": _file,
    "verbs": _verbs,
    "codes": _codes,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
