"""Constructs in docs/constructs.md: the configs that the document describes compile."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import registry

_CONSTRUCTS = tomllib.loads((Path(__file__).parents[1] / "docs/constructs.toml").read_text(encoding="utf-8"))
_DECLARED = {
    "inputs": "inputs: { level: quick }",
    "targets": "targets: { gitlab: { projects: { child: group/child } } }",
    "templates": "templates: { python: { image: python:3.12 }, cached: { cache: { paths: [.pip/] } } }",
}
_PIPELINE = """
pipelines:
  app:
    stages:
      - { name: build, script: [make], artifacts: [dist/] }
      - { name: lint, script: [make] }
      - { %s }
    %s
"""
_ORDER = "execution: [[build, test, lint]]"
_STAGE = {"name": "test", "script": "[make]"}
SAID = [
    pytest.param(system, words, id=f"{system} {name}")
    for system, supports in _CONSTRUCTS.items()
    for support in ("native", "raw")
    for name, (_, words) in supports[support].items()
    if re.match(r"[a-z_]+: \S", words) and words != "script: |"
]


def configs(words: str) -> Iterator[str]:
    """Yield a config with *words* in a stage, one with them in its pipeline, and one with them at the top level."""
    key, _, value = words.partition(": ")
    stage = {**_STAGE, key: value}
    if key == "trigger":
        del stage["script"]
    declared = "\n".join(_DECLARED.values())
    keys = ", ".join(f"{name}: {text}" for name, text in stage.items())
    yield declared + _PIPELINE % (keys, _ORDER.replace("test", stage["name"]))
    keys = "name: test, script: [make]"
    order = {"execution": words, "finally": f"execution: [[build, test]]\n    {words}"}.get(
        key, f"{_ORDER}\n    {words}"
    )
    yield declared + _PIPELINE % (keys, order)
    yield "\n".join({**_DECLARED, key: words}.values()) + _PIPELINE % (keys, _ORDER)


def problems(config: str, system: str) -> list[str]:
    """Return the errors in *config*."""
    report = Report()
    with suppress(Stopped):
        generate(analyse(SourceFile("pipegen.yaml", config), (), report), registry.load(system), {}, report)
    return [diagnostic.message for diagnostic in report.diagnostics() if diagnostic.code.severity is Severity.ERROR]


@pytest.mark.parametrize(("system", "words"), SAID)
def test_documented_constructs_compile(system: str, words: str) -> None:
    """In a stage, in a pipeline, or at the top level."""
    entries = [problems(config, system) for config in configs(words)]

    assert [] in entries, entries
