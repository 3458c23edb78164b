"""`pipegen plan --expanded`: the config with all that it is made from written out."""

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


def _made_of(file: SourceFile) -> tuple[object, ...]:
    """Return what both targets are given for *file*, as it would be named and placed beside the others."""
    report = Report()
    analysed = analyse(file, (), report)
    return tuple(generate(analysed, registry.load(name), {}, report) for name in ("gitlab", "jenkins"))


@pytest.mark.slow
@pytest.mark.parametrize("path", _CONFIGS, ids=lambda path: path.relative_to(_ROOT).as_posix())
def test_it_compiles_to_the_same_bytes(path: Path) -> None:
    """Whatever the config is made from; and what is written out needs no more writing out."""
    report = Report()
    file = load(path, report, shown=path.name)
    tree = expand(file, report)
    written = SourceFile(file.path, as_yaml(tree), file.folder)

    assert _made_of(written) == _made_of(file)
    assert as_yaml(expand(written, report)) == written.text


def test_it_is_written_as_a_person_would(here: Path, pipegen: Pipegen) -> None:
    """Includes, templates, defaults, anchors and the short-hand are gone; values are what they were."""
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


def test_a_config_whose_plan_is_wrong_is_shown(here: Path, pipegen: Pipegen) -> None:
    """To see what it has become helps to find what is wrong; without a tree there is nothing to show."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    assert pipegen("plan", "--expanded").status == 0

    (here / "pipegen.yaml").write_text(f"include: none.yaml\n{BROKEN}", encoding="utf-8")
    result = pipegen("plan", "--expanded")
    assert (result.status, result.out) == (1, "")
    assert "error[PG110]" in result.err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("options", [("--pipeline", "service"), ("--format", "json")])
def test_other_options_do_not_go_with_it(options: tuple[str, str], pipegen: Pipegen) -> None:
    """It is the whole config, and it is YAML."""
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
def test_scalars_stay_what_they_are(text: str, tag: str) -> None:
    """The kind, and the text where it counts, whatever tag made them."""
    tree = read(SourceFile("pipegen.yaml", f"a: {tag}{text}\n"), Report())
    assert isinstance(tree, Mapping)

    again = read(SourceFile("pipegen.yaml", as_yaml(tree)), Report())

    assert isinstance(again, Mapping)
    assert again == tree or plain(again) == plain(tree) == {"a": None}


@pytest.mark.slow
@settings(deadline=None)
@given(value=st.recursive(st.text(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner)))
def test_text_stays_what_it_is(value: object) -> None:
    """Quotes, line breaks, blanks, and what YAML takes for something else."""
    try:
        tree = read(SourceFile("pipegen.yaml", json.dumps({"a": value})), Report())
    except Stopped:
        reject()  # a NUL, or half a character
    assert isinstance(tree, Mapping)

    assert read(SourceFile("pipegen.yaml", as_yaml(tree)), Report()) == tree
