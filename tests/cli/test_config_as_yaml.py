"""`pipegen plan --expanded`: the config with includes, templates and defaults expanded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import dedent

import pytest
from cli.program import BROKEN, Pipegen
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from pipegen.cli.config_as_yaml import as_yaml
from pipegen.compiler import analyse, expand, generate
from pipegen.config.files.load import load
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping, plain
from pipegen.targets import registry

_ROOT = Path(__file__).parents[2]
_CONFIGS = sorted([*(_ROOT / "tests" / "golden").glob("*/pipeline.yml"), *(_ROOT / "examples").rglob("config.yaml")])


def _generated_from(file: SourceFile) -> dict[str, str]:
    """Return the texts of the files that both targets generate for *file*, with numbers for names of hidden jobs."""
    report = Report()
    analysed = analyse(file, (), report)
    files = [file for name in ("gitlab", "jenkins") for file in generate(analysed, registry.load(name), {}, report)]
    return {file.name: _with_numbers(file.text) for file in files}


def _with_numbers(text: str) -> str:
    """Return *text* without its digest, and with a number in place of the name of each hidden job."""
    text = re.sub(r"(?m)^(?:#|//) Digest: .*\n", "", text)
    for number, name in enumerate(dict.fromkeys(re.findall(r"(?m)^(\.[\w.-]+):$", text))):
        text = re.sub(rf"(?<![\w./-]){re.escape(name)}(?![\w.-])", f".{number}", text)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("path", _CONFIGS, ids=lambda path: path.relative_to(_ROOT).as_posix())
def test_an_expanded_config_compiles_to_the_same_bytes(path: Path) -> None:
    """But for hidden jobs with names of templates, which it lacks. Expanding it again changes nothing."""
    report = Report()
    file = load(path, report, shown=path.name)
    tree = expand(file, report)
    written = SourceFile(file.path, as_yaml(tree), file.folder)

    assert _generated_from(written) == _generated_from(file)
    assert as_yaml(expand(written, report)) == written.text


def test_an_expanded_config_is_readable(here: Path, pipegen: Pipegen) -> None:
    """Includes, templates, defaults, anchors and shorthands are expanded; values keep their text."""
    (here / "templates.yaml").write_text("templates: {python: {image: 'python:3.12'}}\n", encoding="utf-8")
    (here / "pipegen.yaml").write_text(
        dedent("""
            include: templates.yaml
            x-env: &env {NUMBER: 1.10, FLAG: yes, TEXT: 'no', EMPTY: '', TIME: '12:30:45'}
            pipelines:
              service:
                defaults: {timeout: 20 minutes}
                stages:
                  - {name: unit, extends: python, env: *env, script: "set -x\\nmake\\n"}
                  - {name: image, description: built and run}
            """),
        encoding="utf-8",
    )

    result = pipegen("plan", "--expanded")

    assert (result.status, result.err) == (0, "")
    assert result.out == dedent("""\
        pipelines:
          service:
            stages:
              - name: unit
                timeout: 20 minutes
                image: python:3.12
                env:
                  NUMBER: 1.10
                  FLAG: yes
                  TEXT: "no"
                  EMPTY: ""
                  TIME: "12:30:45"
                script: |
                  set -x
                  make
              - name: image
                timeout: 20 minutes
                description: built and run
                build: ${.stage}
                run: true
        """)


def test_a_config_with_errors_in_the_plan_is_expanded(here: Path, pipegen: Pipegen) -> None:
    """The expansion helps to find the error; a config that cannot be read is not shown."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    assert pipegen("plan", "--expanded").status == 0

    (here / "pipegen.yaml").write_text(f"include: none.yaml\n{BROKEN}", encoding="utf-8")
    result = pipegen("plan", "--expanded")
    assert (result.status, result.out) == (1, "")
    assert "error[PG110]" in result.err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("options", [("--pipeline", "service"), ("--format", "json")])
def test_expanded_rejects_other_output_options(options: tuple[str, str], pipegen: Pipegen) -> None:
    """It always shows the whole config as YAML."""
    result = pipegen("plan", "--expanded", *options)

    assert (result.status, result.out) == (2, "")
    assert re.search("--expanded shows the whole config", result.err)


_SCALARS = [
    "1",
    "1.10",
    "0x1F",
    "0o17",
    "017",
    "1_000",
    "yes",
    "Off",
    "true",
    "~",
    "",
    ".inf",
    "1e3",
    "12:30",
    "2001-01-01",
]
_TAGS = ["", "!!str ", "!!int ", "!!float ", "!!bool ", "!!null "]


@pytest.mark.parametrize("tag", _TAGS)
@pytest.mark.parametrize("text", _SCALARS)
def test_scalars_keep_their_type_and_text(text: str, tag: str) -> None:
    """This holds for every tag."""
    tree = read(SourceFile("pipegen.yaml", f"a: {tag}{text}\n"), Report())
    assert isinstance(tree, Mapping)

    again = read(SourceFile("pipegen.yaml", as_yaml(tree)), Report())

    assert isinstance(again, Mapping)
    assert again == tree or plain(again) == plain(tree) == {"a": None}


@pytest.mark.slow
@settings(deadline=None)
@given(value=st.recursive(st.text(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner)))
def test_strings_are_read_back_unchanged(value: object) -> None:
    """They include quotes, line breaks, blanks and text that looks like another YAML type."""
    try:
        tree = read(SourceFile("pipegen.yaml", json.dumps({"a": value})), Report())
    except Stopped:
        reject()  # a NUL, or half of a surrogate pair
    assert isinstance(tree, Mapping)

    assert read(SourceFile("pipegen.yaml", as_yaml(tree)), Report()) == tree
