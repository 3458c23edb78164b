"""Validation of reports against published schemas; see `schemas/README.md`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import xmlschema
from jsonschema import Draft4Validator, Draft202012Validator

SCHEMAS = Path(__file__).parent / "schemas"

# The commands that GitHub's runner reads as annotations; values contain no unescaped comma, colon or line break.
_VALUE = r"[^,:\r\n]*"
_COMMAND = re.compile(rf"::(error|warning|notice) (\w+={_VALUE})(,\w+={_VALUE})*::[^\r\n]+")
_BARE_PERCENT = re.compile(r"%(?!25|0D|0A|3A|2C)")
_KNOWN = {"title", "file", "line", "endLine", "col", "endColumn"}


def sarif(text: str) -> list[str]:
    """Return the violations of the SARIF schema in *text*."""
    return [error.message for error in _sarif().iter_errors(json.loads(text))]


def gitlab(text: str) -> list[str]:
    """Return the violations of GitLab's rules in *text*; one rule is that fingerprints are unique."""
    document = json.loads(text)
    prints = [entry["fingerprint"] for entry in document]
    return [
        *(error.message for error in _gitlab().iter_errors(document)),
        *(f"{fingerprint} comes twice" for fingerprint in dict.fromkeys(prints) if prints.count(fingerprint) > 1),
    ]


def junit(text: str) -> list[str]:
    """Return the violations of the JUnit XML schema in *text*."""
    return [str(error.reason) for error in _junit().iter_errors(text)]


def github(text: str) -> list[str]:
    """Return the lines of *text* that are not valid commands."""
    wrong = []
    for line in text.splitlines():
        properties = line.partition(" ")[2].partition("::")[0]
        keys = {entry.partition("=")[0] for entry in properties.split(",")}
        if not _COMMAND.fullmatch(line) or _BARE_PERCENT.search(line) or keys - _KNOWN:
            wrong.append(line)
    return wrong


CHECKS: Mapping[str, Callable[[str], list[str]]] = {
    "sarif": sarif,
    "gitlab": gitlab,
    "junit": junit,
    "github": github,
}


@cache
def _sarif() -> Draft4Validator:
    schema = json.loads((SCHEMAS / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


@cache
def _gitlab() -> Draft202012Validator:
    schema = json.loads((SCHEMAS / "gitlab-code-quality.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema)


@cache
def _junit() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(SCHEMAS / "junit.xsd")
