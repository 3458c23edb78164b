"""The documentation agrees with the code: configs compile, generated parts are current, links are valid."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from documents import DOCS, DOCUMENTS, ROOT, Block, blocks
from jsonschema import Draft202012Validator

from pipegen.bindings.names import SETUP_NAMES
from pipegen.cli.commands.plan import as_data
from pipegen.compiler import analyse, generate
from pipegen.config.files.load import load
from pipegen.config.files.project import read_settings
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import registry

GENERATOR = DOCS / "generate.py"
STALE = "run python docs/generate.py and review the changes"
EXAMPLES = sorted((ROOT / "examples").glob("*/.pipeline/config.yaml"))

_LINK = re.compile(r"\]\((?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
TOML = re.findall(r"^```toml\n(.*?)^```$", (DOCS / "settings.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def report_of(block: Block) -> Report:
    """Return the diagnostics of the config in *block* and its settings, for both targets."""
    report = Report()
    try:
        analysed = analyse(block.file, (), report)
        for name in ("gitlab", "jenkins"):
            generate(analysed, registry.load(name), {}, report)
    except Stopped:
        pass
    return report


def loaded_generator() -> ModuleType:
    """Return the generator of the documents as a module."""
    spec = spec_from_file_location("generate", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a document, as GitHub and GitLab name them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(text)}


def schema_examples(schema: Any) -> Iterator[object]:
    """Yield the examples and defaults in *schema*."""
    match schema:
        case dict():
            yield from schema.get("examples", [])
            yield from [schema["default"]] if "default" in schema else []
            for value in schema.values():
                yield from schema_examples(value)
        case list():
            for item in schema:
                yield from schema_examples(item)


def keys_in(schema: Any) -> Iterator[str]:
    """Yield the name of each key that *schema* defines, in all its definitions."""
    match schema:
        case dict():
            keys = schema.get("properties", {})
            yield from keys
            for value in [*keys.values(), *(value for name, value in schema.items() if name != "properties")]:
                yield from keys_in(value)
        case list():
            for item in schema:
                yield from keys_in(item)


def _first_block(language: str, document: str) -> str:
    block = re.search(rf"^```{language}\n(.*?)^```$", document, re.DOTALL | re.MULTILINE)
    assert block is not None
    return block[1]


def run_generator(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the generator in a process."""
    return subprocess.run([sys.executable, GENERATOR, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_generated_parts_are_current() -> None:
    """They agree with the schema, the settings and the capabilities."""
    result = run_generator("--check")

    assert (result.returncode, result.stdout) == (0, ""), STALE


@pytest.mark.slow
def test_a_stale_part_is_reported_and_regenerated(tmp_path: Path) -> None:
    """With `--check`, the generator shows the difference and writes nothing."""
    document = tmp_path / "language.md"
    whole = (DOCS / "language.md").read_text(encoding="utf-8")
    document.write_text(whole.replace("**`pipelines`**", "**`lines`**", 1), encoding="utf-8")

    checked = run_generator("--check", document)
    written = run_generator(document)

    assert (checked.returncode, "-- **`lines`**" in checked.stdout) == (1, True)
    assert (written.returncode, document.read_text(encoding="utf-8")) == (0, whole), STALE


def test_the_key_reference_lists_each_key_of_the_schema_once() -> None:
    """A nested key, such as `artifacts.expire`, has its full path; templates and defaults have the keys of stages."""
    schema = json.loads((ROOT / "schemas" / "pipelines.schema.json").read_text(encoding="utf-8"))
    del schema["$defs"]["template"]
    # The reference has the email of a stage and the webhook of a pipeline, which have the same keys.
    del schema["$defs"]["pipeline"]["properties"]["notify"]["properties"]["email"]
    del schema["$defs"]["notify"]["properties"]["webhook"]
    paths = re.findall(r"^- \*\*`(\S+)`\*\* \(", (DOCS / "language.md").read_text(encoding="utf-8"), re.MULTILINE)
    shared = ["blubberfile", "directory", "fetch", "notify", "timeout", "when"]

    assert {"artifacts.expire", "when.changes.base", "cache.key.files", "services[].alias"} <= set(paths)
    assert sorted(path.rpartition(".")[2] for path in paths) == sorted(keys_in(schema)), STALE
    assert sorted(path for path in set(paths) if paths.count(path) > 1) == shared


@pytest.mark.parametrize("block", [pytest.param(block, id=location) for location, block in blocks()])
def test_configs_in_documents_compile_or_give_the_named_error(block: Block) -> None:
    """For both targets; an error is the one that the block names."""
    diagnostics = report_of(block).diagnostics()

    assert {diagnostic.code.number for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR} == (
        {block.kind} if block.kind.startswith("PG") else set()
    )


@pytest.mark.parametrize(("target", "language"), [("gitlab", "yaml fragment"), ("jenkins", "groovy")])
def test_outputs_in_the_readme_are_excerpts_of_generated_files(target: str, language: str) -> None:
    """Each line of an abridged output is in the generated file, in order; `...` marks an omission."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    config = _first_block("yaml", readme)
    excerpt = [line.strip() for line in _first_block(language, readme).splitlines()]
    shown = [line for line in excerpt if line and line not in ("# ...", "// ...")]

    (file,) = generate(analyse(SourceFile("pipegen.yaml", config), (), Report()), registry.load(target), {}, Report())
    remaining = iter([line.strip() for line in file.text.splitlines()])

    assert len(shown) > 20
    assert [line for line in shown if line not in remaining] == []


@pytest.mark.parametrize("text", TOML, ids=lambda text: text.splitlines()[0])
def test_settings_in_documents_are_valid(text: str, tmp_path: Path) -> None:
    """They parse without diagnostics."""
    path = tmp_path / ("pyproject.toml" if "[tool." in text else "pipegen.toml")
    path.write_text(text, encoding="utf-8")
    report = Report()

    assert read_settings(path, report, shown=path.name).policy.is_strict
    assert report.diagnostics() == ()


def test_ignore_comments_in_documents_suppress_all_diagnostics() -> None:
    """None of them is unused."""
    (text,) = (block.text for place, block in blocks() if place.startswith("settings.md"))
    file, report = SourceFile("pipegen.yaml", text), Report()
    analyse(file, (), report)

    assert (report.diagnostics(), report.unused()) == ((), ())


def test_each_entry_of_the_changelog_has_a_heading() -> None:
    """None is directly below "Added", "Changed" or "Fixed"; headings have blank lines around them, and lines fit."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert re.findall(r"^### .*\n+(?![\n#]).*", text, re.MULTILINE) == []
    assert re.findall(r".+\n#.*|^#.*\n.+", text, re.MULTILINE) == []
    assert [line for line in text.splitlines() if len(line) > 120] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_are_valid(path: Path) -> None:
    """Linked files exist, and anchors are headings in them."""
    dead = []
    for link in _LINK.finditer(path.read_text(encoding="utf-8")):
        if "://" in link["path"]:
            continue
        target = (path.parent / link["path"]).resolve() if link["path"] else path
        if not target.exists() or (link["anchor"] and link["anchor"] not in anchors(target)):
            dead.append(link[0])

    assert dead == []


def test_paths_in_the_guide_for_contributors_exist() -> None:
    """They begin with a folder of the repository or of `pipegen`."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    paths = re.findall(r"`((\w+)/[\w./-]*)`", text.partition("## Structure")[2])
    known = [path for path, folder in paths if "nnn" not in path and exists(folder)]

    assert len(known) > 80
    assert [path for path in known if not exists(path)] == []


def test_modules_in_the_table_of_packages_exist() -> None:
    """Words in the row of a package are modules or folders in it, or paths."""
    table_rows = re.findall(
        r"^\| `(pipegen/\w+)` \| (.*) \|$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE
    )
    modules = [(package, name) for package, text in table_rows for name in re.findall(r"`([a-z][\w/]*)`", text)]

    assert len(modules) > 30
    assert [(package, name) for package, name in modules if not (is_within(package, name) or exists(name))] == []


def exists(path: str) -> bool:
    """Return whether *path* is a file, a module or a folder, below the repository or `pipegen`."""
    return any((folder / f"{path}{end}").exists() for folder in (ROOT, ROOT / "pipegen") for end in ("", ".py"))


def is_within(package: str, name: str) -> bool:
    """Return whether a folder of *package* has the module or the folder *name*."""
    return any(next((ROOT / package).rglob(f"{name.rstrip('/')}{end}"), None) for end in ("", ".py"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_codes_in_documents_exist(path: Path) -> None:
    """The compiler has each code that a document names."""
    known = {code.number for code in table()}

    assert set(re.findall(r"\bPG[0-9]{3}\b", path.read_text(encoding="utf-8"))) <= known


@pytest.mark.parametrize("name", ["jenkins", "gitlab", "language"])
def test_documents_describe_each_setup_value(name: str) -> None:
    """The source of a value is documented for each engine."""
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")

    assert [value for value in (*SETUP_NAMES, "params.NAME") if f"`{value}`" not in text] == []


def test_values_in_documents_round_trip_as_yaml() -> None:
    """Examples and defaults of the schema are printed as YAML flow values."""
    schema = json.loads((ROOT / "schemas" / "pipelines.schema.json").read_text(encoding="utf-8"))
    flow = loaded_generator().flow
    values = list(schema_examples(schema))

    assert [yaml.safe_load(flow(value)) for value in values] == values


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parts[-3])
def test_plans_are_valid_against_their_schema(path: Path) -> None:
    """The JSON of a plan is a public format."""
    report = Report()
    schema = json.loads((ROOT / "schemas" / "plan.schema.json").read_text(encoding="utf-8"))

    data = as_data(analyse(load(path, report), (), report).plans)

    assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == []


def test_the_example_target_of_the_documents_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is loaded by its entry point, and reads its settings."""
    project = tomllib.loads((DOCS / "outline" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    points = "".join(f"{name} = {value}\n" for name, value in project["entry-points"][registry.GROUP].items())
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{points}", encoding="utf-8")
    monkeypatch.syspath_prepend(str(DOCS / "outline"))
    monkeypatch.syspath_prepend(str(tmp_path))
    stages = "pipelines: {p: {stages: [{name: a}, {name: b}]}}\ntargets: {outline: {prefix: do-}}\n"
    report = Report()

    files = generate(analyse(SourceFile("pipegen.yaml", stages), (), report), registry.load("outline"), {}, report)

    assert [(file.name, file.text.splitlines()[-2:]) for file in files] == [("outline.mk", ["do-a:", "do-b: do-a"])]
