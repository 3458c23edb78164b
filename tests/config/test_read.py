"""Reading text to a tree: spans in every style, and text that cannot be read."""

from __future__ import annotations

import pytest
from config.sample_configs import misread, summary, tree_of, written

from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping, Scalar, Sequence


def value_of(text: str) -> Scalar | Sequence | Mapping:
    """Return the value of the key `a`."""
    tree = tree_of(text)
    assert isinstance(tree, Mapping)
    node = tree.get("a")
    assert node is not None
    return node


@pytest.mark.parametrize(
    ("written_as", "text"),
    [
        ("plain text", "plain text"),
        ("'single ''quoted'''", "single 'quoted'"),
        ('"double \\"quoted\\" \\t"', 'double "quoted" \t'),
        ("one\n  two\n\n  three", "one two\nthree"),
        ("'one\n  two'", "one two"),
        ("[x, y]", None),
        ("{x: y}", None),
        ("[\n  x,\n  y ]", None),
    ],
)
def test_the_span_of_a_value_includes_its_quotes(written_as: str, text: str | None) -> None:
    """It also includes brackets, and excludes a comment after the value."""
    node = value_of(f"a: {written_as} # comment\nb: 1\n")

    assert node.span.text == written_as
    assert text is None or (isinstance(node, Scalar) and node.text == text)


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("|", "one\n two\n"),
        ("|-", "one\n two"),
        ("|+", "one\n two\n\n"),
        (">", "one\n two\n"),
        (">-", "one\n two"),
        ("|2-", "one\n two"),
    ],
)
def test_the_span_of_a_block_begins_at_its_indicator(header: str, text: str) -> None:
    """It contains all lines of the block."""
    node = value_of(f"a: {header}\n  one\n   two\n\nb: 1\n")

    assert isinstance(node, Scalar)
    assert node.text == text
    assert node.span.text.startswith(f"{header}\n  one\n   two")
    assert "b:" not in node.span.text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_spans_are_correct_with_every_line_break(end: str) -> None:
    """Offsets count characters of the file, and lines end at any line break."""
    tree = read(SourceFile("f", f"a: 1{end}b:{end}  - x{end}  - 'y z'{end}"), Report())
    assert isinstance(tree, Mapping)
    items = tree.get("b")

    assert isinstance(items, Sequence)
    assert [(item.span.text, item.span.first.line) for item in items] == [("x", 3), ("'y z'", 4)]


def test_columns_count_code_points() -> None:
    """An emoji is one character."""
    node = value_of("{'😀': '𝒳', a: here}")

    assert (node.span.text, node.span.first.column) == ("here", 15)


def test_a_missing_value_has_an_empty_span_after_its_key() -> None:
    """Diagnostics can therefore point at it."""
    node = value_of("a:\nb: 1\n")

    assert (node.span.text, node.span.first.line) == ("", 1)


def test_keys_have_spans() -> None:
    """They exclude the colon."""
    tree = tree_of("'a b': 1\nc: 2\n")
    assert isinstance(tree, Mapping)

    assert [entry.key.span.text for entry in tree.entries] == ["'a b'", "c"]


@pytest.mark.parametrize(
    ("text", "words"), [("", "empty"), ("\n \n", "empty"), ("# a\n  # b\n", "comments"), ("---\n...\n", "")]
)
def test_a_file_without_a_config_is_reported(text: str, words: str) -> None:
    """The message says that it is empty or has only comments."""
    report = Report()
    file = written(text)
    try:
        tree = read(file, report)
    except Stopped:
        (diagnostic,) = report.diagnostics()
        assert diagnostic.code.number == "PG104"
        assert words in diagnostic.message
    else:
        assert isinstance(tree, Scalar)
        assert tree.value is None


@pytest.mark.parametrize(
    ("text", "location", "code"),
    [
        ("a: x\0y", "1:5", "PG108"),
        ('a: "x\\0y"', "1:4", "PG108"),
        ("a: \x07", "1:4", "PG102"),
        ("a: \ufffe", "1:4", "PG102"),
    ],
    ids=["NUL", "escaped NUL", "bell", "no character"],
)
def test_invalid_characters_are_reported(text: str, location: str, code: str) -> None:
    """The diagnostic is at the character."""
    (diagnostic,) = misread(text)

    assert summary(diagnostic)[:2] == (code, location)


@pytest.mark.parametrize("character", ["\x85", "\xa0", "\u2028", "\ufeff", "😀"])
def test_unusual_characters_are_text(character: str) -> None:
    """In quotes, they are kept, or become a blank where YAML folds lines."""
    node = value_of(f'a: "x{character}y"')

    assert isinstance(node, Scalar)
    assert node.text in {f"x{character}y", "x y"}


CONFIG = """\
defaults: &base  # shared
  image: 'docker.io/x:1'
  tags: [a, "b\\t\\u00e9", ${c}]
pipelines:
  test:
    <<: *base
    stages:
      - name: unit
        run: {env: {A: "1"}, arguments: [--x, 'it''s']}
        text: |
          one
            two
        folded: >-
          three
          four
      - ? key
        : value
      - !!str 12
"""


def test_every_prefix_of_a_config_is_read_or_reported() -> None:
    """No exception other than `Stopped` is raised."""
    for end in range(len(CONFIG)):
        report = Report()
        try:
            read(SourceFile("pipegen.yaml", CONFIG[:end]), report)
        except Stopped:
            assert report.has_errors()
        for diagnostic in report.diagnostics():
            assert diagnostic.primary is not None
            assert 0 <= diagnostic.primary.span.start <= diagnostic.primary.span.end <= end + 1


def test_a_config_with_any_missing_character_is_read_or_reported() -> None:
    """No exception other than `Stopped` is raised."""
    for at in range(len(CONFIG)):
        report = Report()
        try:
            read(SourceFile("pipegen.yaml", CONFIG[:at] + CONFIG[at + 1 :]), report)
        except Stopped:
            assert report.has_errors()


@pytest.mark.parametrize("properties", ["&x ", "!!str ", "&x !!str ", "!!str &x ", "&x\n  "])
@pytest.mark.parametrize("value", ["text", "'text'", '"te\\x78t"'])
def test_the_span_of_a_value_excludes_anchors_and_tags(properties: str, value: str) -> None:
    """Diagnostics underline only the value."""
    node = value_of(f"a: {properties}{value}\n")

    assert node.span.text == value
