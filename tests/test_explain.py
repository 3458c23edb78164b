"""The pages that explain codes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

import pipegen.diagnostics
from pipegen.compiler import analyse
from pipegen.config.files.load import decode
from pipegen.config.ignores import report_unused
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.explain import page
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report, Stopped

_PAGES = Path(pipegen.diagnostics.__file__).parent / "pages"
_HEADINGS = ["What it finds", "Why it matters", "Before", "After", "What to do"]
_EXAMPLE = re.compile(r"^## (Before|After)\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _examples(code: Code) -> dict[str, str]:
    return dict(_EXAMPLE.findall(page(code.number) or ""))


def _found(text: str) -> set[str]:
    """Return the codes for a config that are found before a target has a say."""
    report = Report()
    with suppress(Stopped):
        file = decode(text.encode(), "pipegen.yaml", "", report)
        analyse(file, (), report)
        report_unused(report, file, lambda _: True)
    return {found.code.number for found in report.diagnostics()}


@pytest.mark.parametrize("code", table(), ids=lambda code: code.number)
def test_page_of_each_code(code: Code) -> None:
    """Each code has a page with its number, name and severity, and all headings in their order."""
    text = (_PAGES / f"{code.number}.md").read_text(encoding="utf-8")

    assert text.splitlines()[0] == f"# {code.number} {code.name} ({code.severity.value})"
    assert re.findall("^## (.*)$", text, re.MULTILINE) == _HEADINGS
    assert "" not in [part.strip() for part in re.split("^## .*$", text, flags=re.MULTILINE)]


def test_no_page_without_a_code() -> None:
    """A page of a code that is gone would never be read."""
    assert {path.name for path in _PAGES.iterdir()} == {f"{code.number}.md" for code in table()}


def test_numbers_and_names_are_unique() -> None:
    """No number and no name stands for two codes."""
    words = [word for code in table() for word in (code.number, code.name)]

    assert len(words) == len(set(words))


@pytest.mark.parametrize("code", [code for code in table() if code.number < "PG6" and _examples(code)], ids=str)
def test_examples_of_what_the_compiler_finds(code: Code) -> None:
    """The example before has what the page explains, the one after has not, nor any other error."""
    examples = _examples(code)
    errors = {one.number for one in table() if one.severity.value == "error"}

    assert code.number in _found(examples["Before"])
    assert not _found(examples["After"]) & (errors | {code.number})


@pytest.mark.parametrize("code", [code for code in table() if code.number > "PG6" and _examples(code)], ids=str)
def test_examples_of_what_targets_find(code: Code) -> None:
    """Both examples are right in themselves: what is told of is the target's matter."""
    errors = {one.number for one in table() if one.severity.value == "error"}

    assert not any(_found(text) & errors for text in _examples(code).values())


@pytest.mark.parametrize("word", ["PG301", "pg301", " Pg301\n", "unknown-stage", "Unknown-Stage"])
def test_words_for_a_page(word: str) -> None:
    """A page is found by number or name, in any case."""
    assert (page(word) or "").startswith("# PG301 unknown-stage (error)\n")


@pytest.mark.parametrize("word", ["", "PG3", "PG999", "stage", "../codes"])
def test_words_for_no_page(word: str) -> None:
    """What is no code has no page."""
    assert page(word) is None
