"""The lexer returns the same tokens as PipelineLib's."""

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
    """Return *text* split into its references and literals, and the report."""
    report = Report()
    return parse_text(Scalar(text, Span(SourceFile("pipegen.yaml", text), 0, len(text))), report), report


def token(part: object) -> Case:
    """Return a part of a text in the notation of the cases."""
    if isinstance(part, str):
        return {"lit": part}
    assert isinstance(part, Reference)
    values = {"var": str(part)[2:-1], "source": part.span.text}
    return values if part.default is None else {**values, "default": part.default}


def test_case_has_the_tokens_of_pipelinelib(case: Case) -> None:
    """An error is reported at the reference."""
    text, report = lexed(case["input"])
    tokens = [token(part) for part in text.parts]
    match case["expect"]:
        case {"tokens": expected}:
            assert (tokens, report.diagnostics()) == (expected, ())
        case {"scan_length": length, "first": first}:
            assert (len(tokens[0]["source"]), tokens[0]) == (length, first)
        case {"error": "InvalidVariable"}:
            (diagnostic,) = report.diagnostics()
            assert diagnostic.primary is not None
            assert diagnostic.code.number == "PG310"
            assert diagnostic.primary.span.start == case["input"].index("${")
        case expected:
            raise AssertionError(expected)


def test_every_case_is_covered(cases: list[Case]) -> None:
    """The test reads every key of the cases, and none of them needs our own answer."""
    assert len(cases) == 13
    assert {key for case in cases for key in case} == {"id", "origin", "source", "input", "expect"}
    assert {key for case in cases for key in case["expect"]} == {"tokens", "scan_length", "first", "error", "reason"}
