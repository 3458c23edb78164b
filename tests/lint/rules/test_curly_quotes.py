"""Values in curly quotes."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.curly_quotes import check


def read(value: str) -> list[str]:
    """Return the underlined text in a stage with the variable *value*."""
    return [text for _, text in findings(check, stages(f"{{name: deploy, env: {{TITLE: {value}}}, script: ./deploy}}"))]


@pytest.mark.parametrize("value", ["\u201cmain\u201d", "\u2018main\u2019", "\u201emain\u201c", "'\u201cmain\u201d'"])
def test_a_value_in_curly_quotes_is_reported(value: str) -> None:
    """The quotes may be of any language, and inside quotes of YAML."""
    assert read(value) == [value]


@pytest.mark.parametrize(
    "value", ["the \u201cmain\u201d one", "\u201cone\u201d and \u201ctwo\u201d", "it\u2019s", "main"]
)
def test_curly_quotes_within_a_text_are_not_reported(value: str) -> None:
    """They may be intended."""
    assert read(value) == []
