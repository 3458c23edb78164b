"""The pages of `pipegen explain`."""

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
_HEADINGS = ["Description", "Why it matters", "Before", "After", "What to do"]
_EXAMPLE = re.compile(r"^## (Before|After)\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _examples(code: Code) -> dict[str, str]:
    path = _PAGES / f"{code.number}.md"
    # A missing page fails the test of pages below.
    return dict(_EXAMPLE.findall(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _codes(text: str) -> set[str]:
    """Return the codes that the compiler reports for a config before it calls a target."""
    report = Report()
    with suppress(Stopped):
        file = decode(text.encode(), "pipegen.yaml", "", report)
        analyse(file, (), report)
        report_unused(report, file, lambda _: True)
    return {diagnostic.code.number for diagnostic in report.diagnostics()}


def test_each_code_has_a_page() -> None:
    """With its number, name and severity, and all headings in order."""
    for code in table():
        text = (_PAGES / f"{code.number}.md").read_text(encoding="utf-8")

        assert text.splitlines()[0] == f"# {code.number} {code.name} ({code.severity.value})"
        assert re.findall("^## (.*)$", text, re.MULTILINE) == _HEADINGS, code.number
        assert "" not in [part.strip() for part in re.split("^## .*$", text, flags=re.MULTILINE)], code.number


def test_each_page_has_a_code() -> None:
    """The page of a removed code could not be displayed."""
    assert {path.name for path in _PAGES.iterdir()} == {f"{code.number}.md" for code in table()}


def test_numbers_and_names_are_unique() -> None:
    """They identify one code each."""
    words = [word for code in table() for word in (code.number, code.name)]

    assert len(words) == len(set(words))


@pytest.mark.parametrize("code", [code for code in table() if code.number < "PG6" and _examples(code)], ids=str)
def test_examples_of_compiler_codes_are_correct(code: Code) -> None:
    """The first example has the diagnostic; the second has neither it nor any other error."""
    examples = _examples(code)
    errors = {code.number for code in table() if code.severity.value == "error"}

    assert code.number in _codes(examples["Before"])
    assert not _codes(examples["After"]) & (errors | {code.number})


@pytest.mark.parametrize("code", [code for code in table() if code.number > "PG6" and _examples(code)], ids=str)
def test_examples_of_target_codes_compile(code: Code) -> None:
    """Only a target reports the diagnostic."""
    errors = {code.number for code in table() if code.severity.value == "error"}

    assert not any(_codes(text) & errors for text in _examples(code).values())


@pytest.mark.parametrize("word", ["PG301", "pg301", " Pg301\n", "unknown-stage", "Unknown-Stage"])
def test_a_page_is_found_by_number_or_name(word: str) -> None:
    """In any case."""
    assert (page(word) or "").startswith("# PG301 unknown-stage (error)\n")


@pytest.mark.parametrize("word", ["", "PG3", "PG999", "stage", "../codes"])
def test_an_unknown_code_has_no_page(word: str) -> None:
    """Nor does a prefix of a code, or a path."""
    assert page(word) is None
