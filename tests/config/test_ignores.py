"""Comments that ignore codes: which text is a comment, and which lines it applies to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipegen.config import ignores
from pipegen.config import read as reading
from pipegen.config.read import read
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile, Span

IGNORE = "# pipegen: ignore[PG402]"
MARKED = "<here>"


def is_ignored(text: str) -> bool:
    """Return whether a diagnostic at the mark in *text*, which is removed first, is ignored."""
    at = text.index(MARKED)
    file, report = SourceFile("pipegen.yaml", text.replace(MARKED, "")), Report()
    read(file, report)
    assert report.diagnostics() == ()
    report.add(codes.STAGE_IN_NO_ARC, "wrong", at=Span(file, at, at))
    return report.diagnostics() == ()


@pytest.fixture(params=["fast", "pure"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of the parser to use, after selecting it."""
    name: str = request.param
    if name == "pure":
        monkeypatch.setattr(reading, "CParser", None)
    return name


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"a: {MARKED}1 {IGNORE}\n", id="on the line"),
        pytest.param(f"a: {MARKED}1 {IGNORE}", id="at the end of the file"),
        pytest.param(f"a: {MARKED}1 # why {IGNORE}\n", id="on the line, behind another comment"),
        pytest.param(f"b: 1\n{IGNORE}\na: {MARKED}1\n", id="on the line above"),
        pytest.param(f"b: 1\n\n{IGNORE}\n\n# why\na: {MARKED}1\n", id="above, with lines between"),
        pytest.param(f"s:\n  - name: a {IGNORE}\n    x: {MARKED}1\n  - name: b\n", id="a stage, on its first line"),
        pytest.param(f"s:\n  {IGNORE}\n  - name: a\n    x:\n      - {MARKED}1\n", id="a stage, above it"),
        pytest.param(f"s:\n  - {IGNORE}\n    name: a\n    x: {MARKED}1\n", id="a stage, behind its dash"),
        pytest.param(f"s:\n  a: {IGNORE}\n    x: 1\n    y: {MARKED}1\n", id="a map"),
        pytest.param(f"a: | {IGNORE}\n  x\n  {MARKED}y\n", id="a block, on its head"),
        pytest.param(f"a: [1, {IGNORE}\n  2, {MARKED}3]\n", id="a list on several lines"),
        pytest.param(f"a: [1,\n  2, {MARKED}3] {IGNORE}\n", id="the end of a list"),
        pytest.param(f"# first\n\n{IGNORE}\na: 1\nb: {MARKED}1\n", id="the file, at its head"),
        pytest.param(f"%YAML 1.2\n---\n{IGNORE}\na: 1\nb: {MARKED}1\n", id="the file, below a directive"),
        pytest.param(f"{MARKED}{IGNORE}\na: 1\n", id="the very start of the file"),
        pytest.param(f"a: {MARKED}1 #pipegen:ignore[ PG210 ,PG402 ]because\n", id="several codes, loosely written"),
        pytest.param(f"a: |\n  x\nb: {MARKED}1 {IGNORE}\n", id="below a block"),
        pytest.param(f"a:\r\n  - {MARKED}1 {IGNORE}\r\n", id="with carriage returns"),
    ],
)
def test_an_ignore_comment_applies(text: str) -> None:
    """It covers values that start on its line or on the next one; at the top, it covers the file."""
    assert is_ignored(text)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"a: 1 {IGNORE}\nb: {MARKED}1\n", id="the line above"),
        pytest.param(f"a: {MARKED}1\nb: 1 {IGNORE}\n", id="the line below"),
        pytest.param(f"s:\n  - name: a {IGNORE}\n  - {MARKED}name: b\n", id="another stage"),
        pytest.param(f"s:\n  - a: 1\n  {IGNORE}\n  - b: 1\n  - c: {MARKED}1\n", id="the stage after"),
        pytest.param(f"a: |\n  {MARKED}x {IGNORE}\n", id="in a block"),
        pytest.param(f"a: |\n  {IGNORE}\n  {MARKED}x\n", id="in a block, alone"),
        pytest.param(f'a: {MARKED}"x {IGNORE}"\n', id="in quotes"),
        pytest.param(f'a: {MARKED}"x\n  {IGNORE}\n  y"\n', id="in quotes, alone"),
        pytest.param(f"a: &x\n  y: {MARKED}1\nb: *x {IGNORE}\n", id="what an alias brings"),
        pytest.param(f"a: &x\n  y: {MARKED}1\nb:\n  <<: *x {IGNORE}\n", id="what is merged"),
        pytest.param(f"b: 1\na: {MARKED}1\n{IGNORE}\n", id="nothing, at the end"),
        pytest.param(f"a: {MARKED}1 # pipegen: ignore[PG210]\n", id="another code"),
        pytest.param(f"# - name: b {IGNORE}\na: {MARKED}1\n", id="what is commented out"),
    ],
)
def test_an_ignore_comment_does_not_apply(text: str) -> None:
    """It covers no other lines, and text in a scalar is not a comment."""
    assert not is_ignored(text)


def test_only_text_with_the_marker_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other configs need no extra time."""
    searched: list[str] = []
    monkeypatch.setattr(reading, "read_ignores", lambda file, *_: searched.append(file.path))
    for path, text in (("without", "a: 1 # pipegen ignores\n"), ("with", "a: 1 # pipegen: ignore[PG402]\n")):
        read(SourceFile(path, text), Report())

    assert searched == ["with"]
    assert ignores.MARK in IGNORE


@given(st.text(st.sampled_from("ab:-[]{}#,|> \n'\"&*"), max_size=60), st.sampled_from(["fast", "pure"]))
def test_any_text_is_searched_without_errors(text: str, parser: str) -> None:
    """The spans of comments stay within the file."""
    file, report = SourceFile("pipegen.yaml", f"{text} {IGNORE}\n{text} {IGNORE}"), Report()
    with pytest.MonkeyPatch.context() as patch:
        if parser == "pure":
            patch.setattr(reading, "CParser", None)
        try:
            read(file, report)
        except Stopped:
            return

    assert all(0 <= ignore.start <= ignore.end <= len(file.text) + 1 for ignore in report.unused())
    assert all(ignore.span.text == "PG402" for ignore in report.unused())
