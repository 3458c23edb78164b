"""How text stands in Groovy source; tests/engines/test_groovy_literals.py has Groovy read it."""

import pytest

from pipegen.emit.groovy import block, exact_block, literal


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
        ("\\\x01", r"'\\\u0001'"),
        ("für 🚀", "'für 🚀'"),
        ("a\uffffb", "'a' + (char) 65535 + 'b'"),
        ("\uffff", "'' + (char) 65535"),
    ],
)
def test_writes_text_on_one_line(text: str, written: str) -> None:
    """Only what Groovy needs escaped is escaped."""
    assert literal(text) == written


def test_lays_a_script_out_in_its_block() -> None:
    """Script lines stand one step deeper than the statement, blank ones empty, quotes bare where they may be."""
    script = "printf '%s\\n' \"$x\"\n\necho it'\\''s\n"

    assert block(script, "    ") == (
        "'''\n"
        "        printf '%s\\\\n' \"$x\"\n"
        "\n"
        "        echo it'\\\\''s\n"
        "    '''"
    )  # fmt: skip


def test_escapes_quotes_that_would_close_a_block() -> None:
    """Three quotes in a row are escaped, as are those at the very end."""
    assert exact_block("a''b'''c'''''d''") == "'''\\\na''b\\'\\'\\'c\\'\\'\\'\\'\\'d\\'\\''''"


def test_keeps_a_shebang_first() -> None:
    """An exact block adds nothing: the line break behind its quotes is escaped."""
    assert exact_block("#!/bin/bash\n\techo\n") == "'''\\\n#!/bin/bash\n\techo\n'''"


@pytest.mark.parametrize("character", ["a", "\x00", "é", "€", "🚀"])
def test_cuts_what_a_class_file_cannot_hold(character: str) -> None:
    """No literal takes more than 65,535 bytes of modified UTF-8, at most six for each character; none is lost."""
    written = literal(character * 70_000)
    pieces = written.split(" + ")
    one = literal(character).strip("'")

    assert all(len(piece.strip("'")) // len(one) <= (30_000 if character.isascii() else 10_000) for piece in pieces)
    assert "".join(piece.strip("'") for piece in pieces) == one * 70_000


def test_cuts_behind_a_line() -> None:
    """A long script is cut where a line ends."""
    pieces = exact_block("a line of the script\n" * 3_000).split(" + ")

    assert len(pieces) == 3
    assert all(piece.startswith("'''\\\na line") and piece.endswith("script\n'''") for piece in pieces)
