"""What PipelineLib's lexer makes of a text, ours makes of it too."""

from __future__ import annotations

from typing import Any

from pipegen.bindings.expression import Reference, Text
from pipegen.bindings.parse import parse_text
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Scalar

CASES = "pipelinelib_lexer.json"

Case = dict[str, Any]


def lexed(text: str) -> tuple[Text, Report]:
    """Return *text* with its references."""
    report = Report()
    return parse_text(Scalar(text, Span(SourceFile("pipegen.yaml", text), 0, len(text))), report), report


def token(part: object) -> Case:
    """Return a part of a text as the cases tell it."""
    if isinstance(part, str):
        return {"lit": part}
    assert isinstance(part, Reference)
    told = {"var": str(part)[2:-1], "source": part.span.text}
    return told if part.default is None else {**told, "default": part.default}


def test_the_case_holds(case: Case) -> None:
    """The same tokens, or an error at the reference."""
    text, report = lexed(case["input"])
    tokens = [token(part) for part in text.parts]
    match case["expect"]:
        case {"tokens": expected}:
            assert (tokens, report.diagnostics()) == (expected, ())
        case {"scan_length": length, "first": first}:
            assert (len(tokens[0]["source"]), tokens[0]) == (length, first)
        case {"error": "InvalidVariable"}:
            (found,) = report.diagnostics()
            assert found.primary is not None
            assert found.code.number == "PG310"
            assert found.primary.span.start == case["input"].index("${")
        case expected:
            raise AssertionError(expected)


def test_every_case_is_accounted_for(cases: list[Case]) -> None:
    """No case has a key that the test passes over, and none needs an answer of our own."""
    assert len(cases) == 13
    assert {key for case in cases for key in case} == {"id", "origin", "source", "input", "expect"}
    assert {key for case in cases for key in case["expect"]} == {"tokens", "scan_length", "first", "error", "reason"}
