"""YAML syntax errors have our own messages, at the location to correct."""

from __future__ import annotations

import pytest
from config.sample_configs import misread, summary

CASES = {
    "tab for indentation": ("a:\n\tb: 1\n", "2:1", "tab"),
    "tab after a colon": ("a:\tb\n", "1:3", "tab"),
    "colon in a value": ("a: b: c\n", "1:4", "needs quotes"),
    "colon in an item": ("- echo: hi: you\n", "1:9", "needs quotes"),
    "key without colon": ("a: b\nc\nd: e\n", "2:1", 'without ":"'),
    "text under a block sign": ("a: |\nb\nc: d\n", "2:1", "is not indented"),
    "key too far left": ("a:\n   b: 1\n  c: 2\n", "3:3", "indentation"),
    "dash too far left": ("a:\n   - b\n  - c\n", "3:3", "indentation"),
    "list under text": ("a: b\n- c\n", "2:1", "indentation"),
    "dash on the line of its key": ("a: - b\n", "1:4", '"-"'),
    "single quote not closed": ("a: 'b\nc: d\n", "1:4", "quote is not closed"),
    "double quote not closed": ('a: "b\nc: d\n', "1:4", "quote is not closed"),
    "quote over a document": ("a: 'b\n---\nc: 'd'\n", "1:4", "quote is not closed"),
    "text after a quote": ("a: 'b' c\n", "1:4", "text follows it"),
    "list not closed": ("a: [b, c\nd: 1\n", "1:4", "not closed"),
    "list over lines not closed": ("a: [\n  b\nd: 1\n", "3:2", "not closed"),
    "list not closed above a map": ("a:\n  b: [c\n  d: { e: { f: 1 } }\n", "2:6", "a list on one line is not closed"),
    "quote of an item not closed": ('a: [\'b "${c.d}"]\ne: f\n', "1:5", "quote is not closed"),
    "blank other than a space": ("a:\n    b: 1\n\u00a0   c: 2\n    d: 3\n", "3:1", "U+00A0"),
    "blank other than a space before a key": ("a:\n  b:\n    c: 1\n \u00a0  d: 2\n", "4:2", "U+00A0"),
    "blank other than a space in a block": ("a: |\n  b\n  \u00a0c\n\n \nd: [e\nf: 1\n", "6:4", "a list on one line"),
    "blank other than a space below a block": ("a:\n  b: |\n    c\n  \u00a0d\n  e: 1\n", "4:3", "U+00A0"),
    "list not closed at the end": ("a: [b,\n", "2:1", "ends before"),
    "map not closed": ("a: {b: 1\nc: 2\n", "1:4", "not closed"),
    "comma missing in a map": ("a: {b: 1 c: 2}\n", "1:11", "not closed"),
    "bracket too many": ("a: ]\n", "1:4", "cannot begin"),
    "comma first": ("a: ,b\n", "1:4", "cannot begin"),
    "at sign": ("a: @b\n", "1:4", "cannot begin"),
    "backtick": ("a: `b`\n", "1:4", "cannot begin"),
    "percent": ("a: %b\n", "1:4", "cannot begin"),
    "ampersand": ("a: & b\n", "1:4", '"&"'),
    "star": ("a: * b\n", "1:4", '"*"'),
    "unknown escape": ('a: "\\d"\n', "1:6", "escape"),
    "unfinished escape": ('a: "\\xZ"\n', "1:7", "escape"),
    "text after a block sign": ("a: |x\n  b\n", "1:5", "block"),
    "unquoted reference in a list": ("a: [${b.c}]\n", "1:5", "quotes"),
    "unquoted reference in a map": ("a: {b: ${b.c}}\n", "1:8", "quotes"),
    "text after a folded block sign": ("a: >-  b\n", "1:8", "block"),
    "question mark": ("a: ? b\n", "1:4", '"?"'),
    "exclamation mark before a map": ("a:\n  - !{b: c}\n", "2:5", '"!"'),
    "text before the first key": ("# a\nhello world\n\nb: 1\n", "2:1", "neither a key nor a comment"),
    "list before the first key": ("[a]\nb: 1\n", "1:1", "neither a key nor a comment"),
    "percent at the start of a line": ("a:\n%b:\n  c: 1\n", "2:1", "instruction"),
    "two keys on one line": ("a:\n  b: true    c: [d]\n", "2:14", '"c" is on the line of another key'),
    "two keys of an item on one line": ("- a: b    c: [d]\n", "1:11", '"c" is on the line of another key'),
    "a key after a map": ("a: {b: c}  d: e\n", "1:12", '"d" is on the line of another key'),
    "nested keys on one line": ("a: b:\n  c: 1\n", "1:4", '"b" is on the line of another key'),
    "other version": ("%YAML 1.3\n---\na: 1\n", "1:1", "YAML 1.1 and 1.2"),
    "newer version": ("%YAML 2.0\n---\na: 1\n", "1:1", "YAML 1.1 and 1.2"),
}


@pytest.mark.parametrize(("text", "location", "words"), CASES.values(), ids=CASES)
def test_a_syntax_error_has_its_own_message_and_a_hint(text: str, location: str, words: str) -> None:
    """It is at the location that the user has to change."""
    (diagnostic,) = misread(text)

    assert summary(diagnostic)[:2] == ("PG102", location)
    assert words in diagnostic.message
    assert diagnostic.hint


CORRECTED = {
    "missing colon": ("a:\n  b\n    c: 1\n", "b", "b:"),
    "missing colon above a list": ("a\n- b: 1\n", "a", "a:"),
    "missing blank": ("a:\n  b:1\n  c: 2\n", "b:1", "b: 1"),
    "missing blank after a dash": ("- name:a\n  b: 2\n", "name:a", "name: a"),
    "item without name": ("- a\n  b: 1\n", "- a", "- name: a"),
    "test in brackets": ("- [ -f x ] && y\n", "[ -f x ] && y", "'[ -f x ] && y'"),
    "test of a quoted word": ("- [ \"$A\" = 'b' ] || y\n", "[ \"$A\" = 'b' ] || y", "'[ \"$A\" = ''b'' ] || y'"),
    "text after braces": ("a: {b} c\n", "{b} c", "'{b} c'"),
    "text after a quote": ("- \"a\" && 'b'\n", "\"a\" && 'b'", "'\"a\" && ''b'''"),
    "colon in a script": ("a: echo b: c d\n", "echo b: c d", "'echo b: c d'"),
    "map without braces": ("a: b: c\n", "b: c", "{b: c}"),
    "map with a list without braces": ("a: b: [c, d]\n", "b: [c, d]", "{b: [c, d]}"),
    "exclamation mark": ("- !{a}\n", "!{a}", "'!{a}'"),
    "question mark": ("a: ? b\n", "? b", "'? b'"),
    "references in a map": ("a: {b: c/${d.e}-${f.g} , h: 1}\n", "c/${d.e}-${f.g}", "'c/${d.e}-${f.g}'"),
    "reference in a list of a map": ("- {a: [b, c ${d.e}/f]}\n", "c ${d.e}/f", "'c ${d.e}/f'"),
}


@pytest.mark.parametrize(("text", "mistake", "correction"), CORRECTED.values(), ids=CORRECTED)
def test_a_hint_corrects_a_syntax_error(text: str, mistake: str, correction: str) -> None:
    """The hint contains the corrected text, which has no syntax error."""
    (error,) = misread(text)

    assert mistake.endswith(error.primary.span.text if error.primary else "")
    assert error.hint is not None
    assert correction in error.hint
    assert misread(text.replace(mistake, correction, 1)) == ()


def test_a_key_aligned_with_a_dash_has_a_hint() -> None:
    """The hint has the number of spaces to add."""
    (error,) = misread("-   name: a\nb: 1\n")

    assert error.hint == 'indent it by 4 spaces more, like "name"'
    assert misread("-   name: a\n    b: 1\n") == ()


FILLED = {
    "boolean": ("image: true\n  tags: [a]\n", "tags", "true"),
    "text": ("run: make all\n  env: {}\n", "env", "make all"),
    "quoted": ("image: 'x: y' # why\n  tags: [a]\n", "tags", "'x: y'"),
    "list": ("image: []\n  tags: [a]\n", "tags", "[]"),
    "after a dash": ("- name: x\n    build: y\n", "build", "x"),
    "comment between": ("image: true\n  # more\n\n  tags: [a]\n", "tags", "true"),
    "several words": ("image: true\n  more tags: [a]\n", "more tags", "true"),
}


@pytest.mark.parametrize(("text", "nested", "value"), FILLED.values(), ids=FILLED)
def test_keys_below_a_value_are_reported(text: str, nested: str, value: str) -> None:
    """The indented key has the primary label, and the value above it a related one."""
    (diagnostic,) = misread(text)

    assert summary(diagnostic)[::2] == ("PG107", nested)
    assert [label.span.text for label in diagnostic.related] == [value]


def test_the_hint_suggests_to_remove_true() -> None:
    """`image: true` with keys below mixes the short form with the long one."""
    (diagnostic,) = misread("image: true\n  tags: [a]\n")

    assert diagnostic.hint == 'remove "true" to give "image" the keys below, or line up "tags" with "image"'


def test_the_hint_suggests_to_keep_text() -> None:
    """Keys below `name: x` are indented too far."""
    (diagnostic,) = misread("- name: x\n    build: y\n")

    assert diagnostic.hint == 'line up "build" with "name"'


@pytest.mark.parametrize("text", ["a: b\n c d: e: f\n", "a: b\nc: d: e\n", "- a: b\n  c: d: e\n"])
def test_a_colon_in_text_is_a_different_error(text: str) -> None:
    """The line is not indented below the key, or has no key."""
    codes = {diagnostic.code.number for diagnostic in misread(text)}

    assert codes <= {"PG102", "PG107"}
    assert "PG102" in codes or text.startswith("a: b\n c d")
