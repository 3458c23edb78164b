"""Errors in one pipeline hide nothing of another one: all is reported in one round.

Each config of `diagnostics/` that has an error is put into one file with others, as pipelines of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.written import written

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.lint.base import Checked
from pipegen.lint.registry import RULES, ask
from pipegen.lint.rules import shell_syntax, shellcheck
from pipegen.source.text import SourceFile
from pipegen.source.tree import plain
from pipegen.targets import registry

Config = dict[str, Any]

ROOT = Path(__file__).parent / "diagnostics"
TARGETS = ("jenkins", "gitlab")
# Shells and shellcheck are other programs, which take their time.
_RULES = [rule for rule in RULES if rule not in (shell_syntax.check, shellcheck.check)]
SOUND: Config = {"pipelines": {"sound": {"stages": [{"name": "sound", "script": "true"}]}}}

# Of a file that cannot be read as YAML, or that is too large, nothing is known. So is what another file decides.
UNREADABLE = re.compile(r"PG1(0[1-9]|1[03]|2[0-7]|30)|PG203-missing-key-(pipelines|merged)|PG41[45]|PG113")
# What is said of generated files, changed files and machines.
ELSEWHERE = re.compile(r"PG68|PG69|PG8")


def settings_of(text: str) -> tuple[str, str]:
    """Return what the first line of a config, *text*, says: the key and the words of its comment."""
    found = re.match(r"# ([a-z]+): (.+)\n", text)
    return (found[1], found[2]) if found else ("", "")


def configs() -> dict[str, Config]:
    """Return the configs of the folders which may stand in a file with others, by the names of the folders."""
    found = {}
    for folder in sorted(path for path in ROOT.iterdir() if path.is_dir()):
        if UNREADABLE.match(folder.name) or ELSEWHERE.match(folder.name):
            continue
        text = (folder / "pipeline.yml").read_text(encoding="utf-8")
        key, words = settings_of(text)
        if len(text) > 20_000 or (key and key != "target") or "=" in words:
            continue
        report = Report()
        config = plain(read(written(text), report))
        if isinstance(config, dict):
            found[folder.name] = with_paths(config, folder.name)
    return found


def with_paths(config: Config, folder: str) -> Config:
    """Return *config*, which is read in the folder above *folder*, with the same files included."""
    if "include" in config:
        paths = config["include"] if isinstance(config["include"], list) else [config["include"]]
        config = {**config, "include": [f"{folder}/{path}" for path in paths]}
    return config


CONFIGS = configs()


def renamed(config: Config, prefix: str) -> Config:
    """Return *config* with the names of its pipelines, and calls of these, after *prefix*."""
    config = deepcopy(config)
    pipelines = config.get("pipelines", {})
    for pipeline in pipelines.values():
        for stage in pipeline.get("stages", ()) if isinstance(pipeline, dict) else ():
            if isinstance(stage, dict) and isinstance(stage.get("pipeline"), str):
                stage["pipeline"] = prefix + stage["pipeline"]
    return {**config, "pipelines": {prefix + name: body for name, body in pipelines.items()}}


def together(one: Any, other: Any) -> Any:
    """Return both values as one; None where they contradict each other."""
    if isinstance(one, dict) and isinstance(other, dict):
        merged = {key: together(one[key], other[key]) if key in one and key in other else {**one, **other}[key]
                  for key in {**one, **other}}
        return None if None in [merged[key] for key in one.keys() & other.keys()] else merged
    if isinstance(one, list) and isinstance(other, list):
        return one + other
    return one if one == other else None


def told(config: Config) -> set[tuple[str, str]]:
    """Return what is said of *config*: the code of each diagnostic, and the text that it underlines."""
    report = Report()
    text = yaml.safe_dump(config, sort_keys=False, width=1000)
    file = SourceFile("pipegen.yaml", text, "tests/diagnostics", ROOT / "pipegen.yaml")

    def further(analysed: Analysed, report: Report) -> None:
        targets = [registry.load(name) for name in TARGETS]
        for target in targets:
            try:
                generate(analysed, target, {}, report)
            except Stopped:
                continue
        settings = analysed.settings
        ask(_RULES, Checked(analysed.file, analysed.pipelines, analysed.plans, settings, TARGETS), report)

    try:
        further(analyse(file, (), report, {}, further), report)
    except Stopped:
        pass
    return {
        (one.code.number, re.sub("^[ab] ", "", one.primary.span.text.strip()) if one.primary else "")
        for one in report.diagnostics()
    }
