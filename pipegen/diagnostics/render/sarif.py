"""Diagnostics as SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.

Files are named from the root of the repository, `%SRCROOT%`; where that stands is left open, so that the report says
nothing of the machine that wrote it. Columns count Unicode characters. The rules are the codes that are told.
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
    """Return *diagnostics* in their order, in ASCII."""
    rules = {found.code.number: find(found.code.number) or found.code for found in diagnostics}
    numbers = sorted(rules)
    marked = zip(diagnostics, fingerprints(diagnostics), strict=True)
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
        "results": [_result(found, numbers.index(found.code.number), fingerprint) for found, fingerprint in marked],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: Code) -> dict[str, object]:
    text = page(code.number) or ""
    sections = {found[1]: " ".join(found[2].split()) for found in _SECTION.finditer(text)}
    finds, matters = sections.get("What it finds", code.name), sections.get("Why it matters", "")
    return {
        "id": code.number,
        "name": code.name,
        "shortDescription": {"text": finds},
        "fullDescription": {"text": f"{finds} {matters}".strip()},
        "help": {"text": f'"pipegen explain {code.number}" shows this page.\n\n{text}', "markdown": text},
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }


def _result(found: Diagnostic, rule: int, fingerprint: str) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": found.code.number,
        "ruleIndex": rule,
        "level": _LEVELS[found.severity],
        # Without "arguments" braces are text, as other tools have them: what shows reports does not undo "{{".
        "message": {"text": words(found)},
        # GitHub refuses a report with a result that is nowhere.
        "locations": [_location(found.primary) if found.primary else _NOWHERE],
        "partialFingerprints": {"pipegen/v1": fingerprint},
    }
    if found.related:
        result["relatedLocations"] = [{"id": place, **_location(one)} for place, one in enumerate(found.related, 1)]
    if found.fix is not None:
        result["fixes"] = [_fix(found.fix)]
    return result


def _location(label: Label) -> dict[str, object]:
    physical = {"artifactLocation": _artifact(label.span.file), "region": _region(label.span)}
    return {"physicalLocation": physical, **({"message": {"text": label.text}} if label.text else {})}


def _artifact(file: SourceFile) -> dict[str, object]:
    return {"uri": quote(file.from_root.encode(errors="surrogateescape")), "uriBaseId": _ROOT}


def _region(span: Span) -> dict[str, int]:
    """Return where *span* stands; the end is just past it, as ours is."""
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
