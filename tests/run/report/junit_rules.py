"""A table of the JUnit XML that Jenkins' xunit plugin accepts, restated from its schema `junit-10.xsd`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

# Groups of three digits may have commas between them.
_TIME = re.compile(r"(?:(?:[0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(?:\.[0-9]*)?")
_NUMBER = re.compile("[0-9]+")


@dataclass(frozen=True)
class Rule:
    """The content of an element: required and optional attributes, child elements, and whether it may contain text."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    has_text: bool = False


_TOLD = Rule(optional=frozenset({"type", "message"}), has_text=True)
_RULES = {
    "testsuites": Rule(
        optional=frozenset({"name", "time", "tests", "failures", "errors"}), inside=frozenset({"testsuite"})
    ),
    "testsuite": Rule(
        required=frozenset({"name", "tests", "failures", "errors"}),
        optional=frozenset(
            {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"}
        ),
        inside=frozenset({"testsuite", "properties", "testcase", "system-out", "system-err"}),
    ),
    "testcase": Rule(
        required=frozenset({"name"}),
        optional=frozenset({"time", "classname", "group"}),
        inside=frozenset({"skipped", "error", "failure", "system-out", "system-err"}),
    ),
    **dict.fromkeys(("skipped", "error", "failure"), _TOLD),
    **dict.fromkeys(("system-out", "system-err"), Rule(has_text=True)),
    "properties": Rule(inside=frozenset({"property"})),
    "property": Rule(required=frozenset({"name", "value"})),
}


def violations(root: Element) -> list[str]:
    """Return the parts of the document below *root* that Jenkins would reject or count wrongly."""
    texts = [] if root.tag in ("testsuites", "testsuite") else [f"{root.tag} is no root"]
    return texts + [fault for element in root.iter() for fault in (*_shape(element), *_sums(element))]


def _shape(element: Element) -> Iterator[str]:
    rule = _RULES.get(element.tag)
    if rule is None:
        yield f"{element.tag} is no element"
        return
    yield from (f"{element.tag} lacks {name}" for name in sorted(rule.required - element.attrib.keys()))
    yield from (f"{element.tag} has {name}" for name in sorted(element.attrib.keys() - rule.required - rule.optional))
    yield from (f"{element.tag} holds {child.tag}" for child in element if child.tag not in rule.inside)
    texts = [element.text, *(child.tail for child in element)]
    if not rule.has_text and any(text and text.strip() for text in texts):
        yield f"{element.tag} holds text"
    if element.tag != "testcase" and not _TIME.fullmatch(element.get("time", "")):
        yield f"{element.tag} takes {element.get('time')}"


def _sums(element: Element) -> Iterator[str]:
    """Yield wrong counts of a suite; the schema accepts any text there."""
    if element.tag != "testsuite":
        return
    cases = element.findall("testcase")
    counts = {"tests": len(cases)}
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counts[name] = sum(case.find(tag) is not None for case in cases)
    for name, count in counts.items():
        text = element.get(name, "0")
        if not _NUMBER.fullmatch(text) or int(text) != count:
            yield f"testsuite counts {text} {name}, and has {count}"
