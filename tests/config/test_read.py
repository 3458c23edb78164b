"""Text to tree: places in every style, and what cannot be read."""

from __future__ import annotations

import pytest
from config.sample_configs import misread, told, tree_of, written

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
def test_the_span_of_a_value_is_all_of_it_and_nothing_else(written_as: str, text: str | None) -> None:
    """With its quotes or brackets, without the comment behind."""
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
def test_the_span_of_a_block_begins_at_its_sign(header: str, text: str) -> None:
    """And holds all its lines."""
    node = value_of(f"a: {header}\n  one\n   two\n\nb: 1\n")

    assert isinstance(node, Scalar)
    assert node.text == text
    assert node.span.text.startswith(f"{header}\n  one\n   two")
    assert "b:" not in node.span.text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_are_right_with_every_line_break(end: str) -> None:
    """Offsets count the characters of the file, whatever breaks its lines."""
    tree = read(SourceFile("f", f"a: 1{end}b:{end}  - x{end}  - 'y z'{end}"), Report())
    assert isinstance(tree, Mapping)
    items = tree.get("b")

    assert isinstance(items, Sequence)
    assert [(item.span.text, item.span.first.line) for item in items] == [("x", 3), ("'y z'", 4)]


def test_places_count_characters_beyond_the_basic_plane() -> None:
    """An emoji is one."""
    node = value_of("{'😀': '𝒳', a: here}")

    assert (node.span.text, node.span.first.column) == ("here", 15)


def test_a_missing_value_stands_behind_its_key() -> None:
    """An empty span, so that something can be said of it."""
    node = value_of("a:\nb: 1\n")

    assert (node.span.text, node.span.first.line) == ("", 1)


def test_keys_have_places_too() -> None:
    """Without the colon."""
    tree = tree_of("'a b': 1\nc: 2\n")
    assert isinstance(tree, Mapping)

    assert [entry.key.span.text for entry in tree.entries] == ["'a b'", "c"]


@pytest.mark.parametrize(
    ("text", "words"), [("", "empty"), ("\n \n", "empty"), ("# a\n  # b\n", "comments"), ("---\n...\n", "")]
)
def test_a_file_without_a_config_is_reported(text: str, words: str) -> None:
    """It says that it is empty, or why it seems not to be."""
    report = Report()
    file = written(text)
    try:
        tree = read(file, report)
    except Stopped:
        (found,) = report.diagnostics()
        assert found.code.number == "PG104"
        assert words in found.message
    else:
        assert isinstance(tree, Scalar)
        assert tree.value is None


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        ("a: x\0y", "1:5", "PG108"),
        ('a: "x\\0y"', "1:4", "PG108"),
        ("a: \x07", "1:4", "PG102"),
        ("a: \ufffe", "1:4", "PG102"),
    ],
    ids=["NUL", "escaped NUL", "bell", "no character"],
)
def test_characters_that_may_not_stand_in_a_config(text: str, place: str, code: str) -> None:
    """Each is named, at its place."""
    (found,) = misread(text)

    assert told(found)[:2] == (code, place)


@pytest.mark.parametrize("character", ["\x85", "\xa0", "\u2028", "\ufeff", "😀"])
def test_odd_characters_are_text(character: str) -> None:
    """In quotes they mean themselves, or a blank where YAML folds them."""
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


def test_whatever_is_cut_off_is_told_in_words() -> None:
    """Every beginning of a config is read or reported, and no exception but `Stopped` ends the reading."""
    for end in range(len(CONFIG)):
        report = Report()
        try:
            read(SourceFile("pipegen.yaml", CONFIG[:end]), report)
        except Stopped:
            assert report.has_errors()
        for found in report.diagnostics():
            assert found.primary is not None
            assert 0 <= found.primary.span.start <= found.primary.span.end <= end + 1


def test_whatever_is_left_out_is_told_in_words() -> None:
    """The same for a config that lacks one character anywhere."""
    for at in range(len(CONFIG)):
        report = Report()
        try:
            read(SourceFile("pipegen.yaml", CONFIG[:at] + CONFIG[at + 1 :]), report)
        except Stopped:
            assert report.has_errors()


@pytest.mark.parametrize("properties", ["&x ", "!!str ", "&x !!str ", "!!str &x ", "&x\n  "])
@pytest.mark.parametrize("value", ["text", "'text'", '"te\\x78t"'])
def test_anchors_and_tags_are_no_part_of_a_value(properties: str, value: str) -> None:
    """What is underlined is the value."""
    node = value_of(f"a: {properties}{value}\n")

    assert node.span.text == value
