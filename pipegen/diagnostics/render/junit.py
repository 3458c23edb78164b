"""Diagnostics as JUnit's XML: a suite for each file, a case for each diagnostic.

Errors and warnings are failures, their severity is the type; what is merely told passes. When nothing is told, one case
passes: engines take a report without cases for a mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.render.identity import path_of, words
from pipegen.visible import visible_lines

_NAME = "pipegen"


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:  # noqa: ARG001 - XML has no colours
    """Return *diagnostics* in their order, those about no file in a suite of that name."""
    files: dict[str, list[Diagnostic]] = {}
    for found in diagnostics:
        files.setdefault(path_of(found) or _NAME, []).append(found)
    suites = Element("testsuites", name=_NAME)
    for path, own in (files or {_NAME: []}).items():
        suites.append(_suite(path, own))
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _suite(path: str, diagnostics: Sequence[Diagnostic]) -> Element:
    suite = Element(
        "testsuite",
        name=_clean(path),
        tests=str(max(len(diagnostics), 1)),
        failures=str(sum(_is_failure(found) for found in diagnostics)),
        errors="0",
        time="0",
    )
    for found in diagnostics:
        suite.append(_case(path, found))
    if not diagnostics:
        SubElement(suite, "testcase", name="no diagnostics", classname=_clean(path), time="0")
    return suite


def _case(path: str, found: Diagnostic) -> Element:
    first = found.primary.span.first if found.primary else None
    place = f"{first.line}:{first.column}" if first else ""
    name = f"{found.code.number} {found.code.name}{f' at {place}' if place else ''}"
    case = Element("testcase", name=name, classname=_clean(path), time="0")
    told = f"{path}:{place}\n{words(found)}" if place else words(found)
    if _is_failure(found):
        SubElement(case, "failure", message=_clean(found.message), type=found.severity.value).text = _clean(told)
    else:
        SubElement(case, "system-out").text = _clean(told)
    return case


def _is_failure(found: Diagnostic) -> bool:
    return found.severity is not Severity.INFO


def _clean(text: str) -> str:
    # What XML 1.0 cannot hold, https://www.w3.org/TR/xml/#charsets, nobody can see either.
    return visible_lines(text)
