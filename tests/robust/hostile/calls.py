"""The recorded calls of fake programs, as records by name."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import yaml

Named = Iterator[tuple[str, bytes]]


def spread(records: Path) -> None:
    """Write the data of each call in *records* into one record per text."""
    for call in sorted(records.glob("call.??????")):
        words = call.read_bytes().decode().split("\0")[:-1]
        for name, value in _NAMED.get(words[0], _nothing)(words, call):
            (records / name).write_bytes(value)


def _nothing(_words: list[str], _call: Path) -> Named:
    return iter(())


def _run(words: list[str], _call: Path) -> Named:
    """Yield the variables and arguments of a container: options take one word each, and the image follows them."""
    at = 1
    variables: dict[str, str] = {}
    while words[at].startswith("--"):
        if words[at] == "--env":
            name, _, value = words[at + 1].partition("=")
            variables[name] = value
        at += 2
    for name, value in variables.items():
        yield f"{variables.get('AT', '')}.{name}", value.encode()
    for number, value in enumerate(words[at + 1 :]):
        yield f"{variables.get('AT', '')}.{number}", value.encode()


def _build(words: list[str], call: Path) -> Named:
    """Yield the variant, the context, the ignore rules, and the texts of the blubberfile."""
    data = _document(call)
    yield f"{data['at']}.target", words[words.index("--target") + 1].encode()
    yield f"{data['at']}.context", words[-1].encode()
    yield from _texts(data)
    ignored = call.with_name(f"{call.name}-ignored")
    if ignored.exists():
        yield f"{data['at']}.ignored", ignored.read_bytes()


def _install(words: list[str], call: Path) -> Named:
    """Yield the chart, its version, and the texts of its values."""
    data = _document(call)
    yield f"{data['at']}.chart", words[2].encode()
    yield f"{data['at']}.version", words[words.index("--version") + 1].encode()
    yield from _texts(data)


def _document(call: Path) -> dict[str, object]:
    data = yaml.safe_load(call.with_name(f"{call.name}-file").read_bytes())
    if not isinstance(data, dict):
        raise TypeError(data)
    return data


def _texts(data: dict[str, object]) -> Named:
    """Yield the values and the names of values in a document."""
    values, names = data["values"], data["names"]
    if not isinstance(values, list) or not isinstance(names, dict):
        raise TypeError(data)
    for number, value in enumerate(values):
        yield f"{data['at']}.value{number}", str(value).encode()
    for name, number in names.items():
        yield f"{data['at']}.name{number}", str(name).encode()


_NAMED = {"run": _run, "build": _build, "install": _install}


def sent(log: Path) -> Named:
    """Yield the data that curl would send: subject and body of a mail, variables of a triggered pipeline."""
    for line in log.read_bytes().splitlines() if log.exists() else ():
        for part in map(b64decode, json.loads(line)["data"]):
            if match := re.fullmatch(rb"variables\[(\w+)\]=(.*)", part, re.DOTALL):
                yield f"trigger.{match[1].decode()}", match[2]
            if match := re.fullmatch(rb"From: .*?\nSubject: ([^\n]*)\n.*?\n\n(.*)\n", part, re.DOTALL):
                yield "mail.subject", match[1]
                yield "mail.body", match[2]
