"""Text as Groovy literals; tests/engines/test_groovy_literals.py reads them with Groovy."""

import pytest

from pipegen.emit.groovy import block, exact_block, literal, stripped_block


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", "''"),
        ("./ci/lint", "'./ci/lint'"),
        ("it's", r"'it\'s'"),
        ("a\\b", r"'a\\b'"),
        ("a\nb\tc\rd", r"'a\nb\tc\rd'"),
        ("$HOME ${x}", "'$HOME ${x}'"),
        ("\x00\x1b\x7f\x85\u2028\ufeff", r"'\u0000\u001b\u007f\u0085\u2028\ufeff'"),
        ("a\u202eb\u2066\u200f\u061c", r"'a\u202eb\u2066\u200f\u061c'"),
        ("\\\x01", r"'\\\u0001'"),
        ("für 🚀", "'für 🚀'"),
        ("a\uffffb", "'a' + (char) 65535 + 'b'"),
        ("\uffff", "'' + (char) 65535"),
    ],
)
def test_writes_text_on_one_line(text: str, written: str) -> None:
    """Only what Groovy needs escaped is escaped."""
    assert literal(text) == written


def test_indents_a_script_in_a_block() -> None:
    """Lines are one level deeper than the statement, blank lines are empty, and quotes are escaped only if needed."""
    script = "printf '%s\\n' \"$x\"\n\necho it'\\''s\n"

    assert block(script, "    ") == (
        "'''\n"
        "        printf '%s\\\\n' \"$x\"\n"
        "\n"
        "        echo it'\\\\''s\n"
        "    '''"
    )  # fmt: skip


def test_escapes_quotes_that_would_close_a_block() -> None:
    """Three quotes in a row and quotes at the end are escaped."""
    assert exact_block("a''b'''c'''''d''") == "'''\\\na''b\\'\\'\\'c\\'\\'\\'\\'\\'d\\'\\''''"


def test_keeps_a_shebang_at_the_start() -> None:
    """An exact block adds nothing: the line break after its quotes is escaped."""
    assert exact_block("#!/bin/bash\n\techo\n") == "'''\\\n#!/bin/bash\n\techo\n'''"


def test_indents_a_script_whose_lines_must_stay_at_the_margin() -> None:
    """Groovy removes the indentation, also that of texts in the script; an empty line stays empty."""
    assert stripped_block("cat <<END\n  it's\n\nEND", "    ") == (
        "'''\\\n"
        "        cat <<END\n"
        "          it's\n"
        "\n"
        "        END'''.stripIndent()"
    )  # fmt: skip


@pytest.mark.parametrize(
    "text", ["a\n \nb", "a \nb", "a\r\nb", "  a\n  b", "a\n", "a line of the script\n" * 3_000], ids=range(6)
)
def test_does_not_indent_what_groovy_would_strip_otherwise(text: str) -> None:
    """Blanks at the end of lines, other line breaks, blanks that all lines begin with, an empty last line; a sum."""
    assert stripped_block(text, "    ") == exact_block(text)


@pytest.mark.parametrize("character", ["a", "\x00", "é", "€", "🚀"])
def test_splits_literals_at_the_limit_of_class_files(character: str) -> None:
    """The limit is 65,535 bytes of modified UTF-8, with up to six bytes for each character."""
    written = literal(character * 70_000)
    pieces = written.split(" + ")
    text = literal(character).strip("'")

    assert all(len(piece.strip("'")) // len(text) <= (30_000 if character.isascii() else 10_000) for piece in pieces)
    assert "".join(piece.strip("'") for piece in pieces) == text * 70_000


def test_splits_long_scripts_at_the_end_of_a_line() -> None:
    """Each piece contains only complete lines."""
    pieces = exact_block("a line of the script\n" * 3_000).split(" + ")

    assert len(pieces) == 3
    assert all(piece.startswith("'''\\\na line") and piece.endswith("script\n'''") for piece in pieces)
