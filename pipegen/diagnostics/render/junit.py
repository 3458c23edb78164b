"""Diagnostics as JUnit's XML: a suite for each file, a case for each diagnostic.

Errors and warnings are failures with their severity as the type; infos pass. Without diagnostics, there is one passing
case: engines reject a report without cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.render.identity import path_of, words
from pipegen.visible import visible_lines

_NAME = "pipegen"


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:  # noqa: ARG001 - XML has no colours
    """Return *diagnostics* in order; those without a file are in a suite "pipegen"."""
    files: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        files.setdefault(path_of(diagnostic) or _NAME, []).append(diagnostic)
    suites = Element("testsuites", name=_NAME)
    for path, own in (files or {_NAME: []}).items():
        suites.append(_suite(path, own))
    return _document(suites)


def render_tests(path: str, tests: Sequence[tuple[str, Sequence[Diagnostic]]]) -> str:
    """Return a suite for the file at *path*, with a case for each of *tests*: its name, and why it failed."""
    suites = Element("testsuites", name=_NAME)
    suite = _empty_suite(path, len(tests), sum(bool(diagnostics) for _, diagnostics in tests))
    suites.append(suite)
    for name, diagnostics in tests:
        case = SubElement(suite, "testcase", name=_clean(name), classname=_clean(path), time="0")
        if diagnostics:
            text = "\n".join(_text(path, diagnostic) for diagnostic in diagnostics)
            message = _clean(diagnostics[0].message)
            SubElement(case, "failure", message=message, type=Severity.ERROR.value).text = _clean(text)
    return _document(suites)


def _document(suites: Element) -> str:
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _suite(path: str, diagnostics: Sequence[Diagnostic]) -> Element:
    suite = _empty_suite(path, max(len(diagnostics), 1), sum(map(_is_failure, diagnostics)))
    for diagnostic in diagnostics:
        suite.append(_case(path, diagnostic))
    if not diagnostics:
        SubElement(suite, "testcase", name="no diagnostics", classname=_clean(path), time="0")
    return suite


def _empty_suite(path: str, tests: int, failures: int) -> Element:
    return Element("testsuite", name=_clean(path), tests=str(tests), failures=str(failures), errors="0", time="0")


def _case(path: str, diagnostic: Diagnostic) -> Element:
    location = _location(diagnostic)
    name = f"{diagnostic.code.number} {diagnostic.code.name}{f' at {location}' if location else ''}"
    case = Element("testcase", name=name, classname=_clean(path), time="0")
    text = _text(path, diagnostic)
    if _is_failure(diagnostic):
        SubElement(case, "failure", message=_clean(diagnostic.message), type=diagnostic.severity.value).text = _clean(
            text
        )
    else:
        SubElement(case, "system-out").text = _clean(text)
    return case


def _text(path: str, diagnostic: Diagnostic) -> str:
    location = _location(diagnostic)
    return f"{path}:{location}\n{words(diagnostic)}" if location else words(diagnostic)


def _location(diagnostic: Diagnostic) -> str:
    first = diagnostic.primary.span.first if diagnostic.primary else None
    return f"{first.line}:{first.column}" if first else ""


def _is_failure(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is not Severity.INFO


def _clean(text: str) -> str:
    # All characters that XML 1.0 does not allow are invisible: https://www.w3.org/TR/xml/#charsets
    return visible_lines(text)
