"""Diagnostics as SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.

Paths are relative to the root of the repository, `%SRCROOT%`, whose location is omitted, so that the report does not
depend on the machine. Columns count Unicode characters. The rules are the reported codes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.metadata import version
from urllib.parse import quote

from pipegen.diagnostics.codes import find
from pipegen.diagnostics.explain import page
from pipegen.diagnostics.model import Code, Diagnostic, Edit, Fix, Label, Severity
from pipegen.diagnostics.render.identity import fingerprints, words
from pipegen.source.text import SourceFile, Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_NOWHERE = {"physicalLocation": {"artifactLocation": {"uri": ".", "uriBaseId": _ROOT}}}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_SECTION = re.compile(r"^## ([^\n]+)\n\n(.+?)(?=\n\n## |\Z)", re.MULTILINE | re.DOTALL)


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:  # noqa: ARG001 - JSON has no colours
    """Return *diagnostics* in order, in ASCII."""
    rules = {diagnostic.code.number: find(diagnostic.code.number) or diagnostic.code for diagnostic in diagnostics}
    numbers = sorted(rules)
    fingerprinted = zip(diagnostics, fingerprints(diagnostics), strict=True)
    run = {
        "tool": {
            "driver": {
                "name": "pipegen",
                "version": version("pipegen"),
                "rules": [_rule(rules[number]) for number in numbers],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "results": [
            _result(diagnostic, numbers.index(diagnostic.code.number), fingerprint)
            for diagnostic, fingerprint in fingerprinted
        ],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: Code) -> dict[str, object]:
    text = page(code.number) or ""
    sections = {match[1]: " ".join(match[2].split()) for match in _SECTION.finditer(text)}
    description, reason = sections.get("Description", code.name), sections.get("Why it matters", "")
    return {
        "id": code.number,
        "name": code.name,
        "shortDescription": {"text": description},
        "fullDescription": {"text": f"{description} {reason}".strip()},
        "help": {"text": f'"pipegen explain {code.number}" shows this page.\n\n{text}', "markdown": text},
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }


def _result(diagnostic: Diagnostic, rule: int, fingerprint: str) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": diagnostic.code.number,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        # Without "arguments", braces are literal, as in other tools: viewers do not unescape "{{".
        "message": {"text": words(diagnostic)},
        # GitHub rejects reports with results without a location.
        "locations": [_location(diagnostic.primary) if diagnostic.primary else _NOWHERE],
        "partialFingerprints": {"pipegen/v1": fingerprint},
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": index, **_location(label)} for index, label in enumerate(diagnostic.related, 1)
        ]
    if diagnostic.fix is not None:
        result["fixes"] = [_fix(diagnostic.fix)]
    return result


def _location(label: Label) -> dict[str, object]:
    physical = {"artifactLocation": _artifact(label.span.file), "region": _region(label.span)}
    return {"physicalLocation": physical, **({"message": {"text": label.text}} if label.text else {})}


def _artifact(file: SourceFile) -> dict[str, object]:
    return {"uri": quote(file.from_root.encode(errors="surrogateescape")), "uriBaseId": _ROOT}


def _region(span: Span) -> dict[str, int]:
    """Return the region of *span*; the end is exclusive in both."""
    first, last = span.first, span.last
    return {
        "startLine": first.line,
        "startColumn": first.column,
        "endLine": last.line,
        "endColumn": last.column,
        "charOffset": span.start,
        "charLength": span.end - span.start,
    }


def _fix(fix: Fix) -> dict[str, object]:
    files: dict[str, tuple[SourceFile, list[Edit]]] = {}
    for edit in fix.edits:
        files.setdefault(edit.span.file.from_root, (edit.span.file, []))[1].append(edit)
    changes = [
        {
            "artifactLocation": _artifact(file),
            "replacements": [
                {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}} for edit in edits
            ],
        }
        for file, edits in files.values()
    ]
    return {"description": {"text": fix.title}, "artifactChanges": changes}
