"""Texts in generated files, read by each target's own parser: Psych, and Groovy's."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from engines.jenkins_jvm import run_java
from ruamel.yaml import YAML

# GitLab reads YAML with Psych's safe_load, with aliases and this one tag; a first document of two is a header.
_PSYCH = r"""
require 'yaml'
require 'json'
texts = JSON.parse(STDIN.read)
STDOUT.write(JSON.generate(texts.map { |text|
  begin
    text.split(/^---\n/).map { |part| YAML.safe_load(part, permitted_classes: [], aliases: true) }
  rescue StandardError => error
    { 'refused' => error.message }
  end
}))
"""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text, and the keys that lead to it; in a Jenkinsfile, the step or argument that contains it."""

    path: tuple[str, ...]
    text: str


def psych(texts: Sequence[str]) -> list[Any]:
    """Return the documents of each of *texts*, read by Ruby's Psych."""
    done = subprocess.run(
        ["ruby", "-e", _PSYCH], input=json.dumps(list(texts)), capture_output=True, text=True, check=True, timeout=600
    )
    data: list[Any] = json.loads(done.stdout)
    return data


def others(text: str) -> dict[str, Any]:
    """Return the documents of *text*, read by other libraries and with another YAML version."""
    new = YAML(typ="safe", pure=True)
    new.version = (1, 2)
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    return {
        "ruamel 1.2": list(new.load_all(text)),
        "PyYAML": list(yaml.load_all(text, Loader=loader)),
    }


def leaves(data: Any, path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """Yield the texts in *data*, including names of entries."""
    match data:
        case str():
            yield Leaf(path, data)
        case Mapping():
            for key, value in data.items():
                yield Leaf((*path, "name"), str(key))
                yield from leaves(value, (*path, str(key)))
        case list():
            for item in data:
                yield from leaves(item, path)


def groovy(texts: Sequence[str]) -> list[list[Leaf]]:
    """Return the texts of each Jenkinsfile of *texts*, parsed by Groovy."""
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder, "request.json"), Path(folder, "answer.json")
        request.write_text(json.dumps({str(number): text for number, text in enumerate(texts)}), "utf-8")
        run_java("validator.Texts", str(request), str(answer), seconds=600)
        data = json.loads(answer.read_text("utf-8"))
    return [[Leaf((owner,), text) for owner, text in data[str(number)]] for number in range(len(texts))]
