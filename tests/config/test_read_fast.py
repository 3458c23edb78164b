"""The C parser gives the same tree and spans as the Python parser, or leaves the text to it."""

from __future__ import annotations

import re

import pytest
from config.changes import CHANGES, TEXTS, changed
from hypothesis import given
from hypothesis import strategies as st

from pipegen.config import read as reading
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping, Node, Scalar, Sequence

TAB = re.compile(r"\S[ \t]*\t")
BLANK_BLOCK = re.compile(r"[|>].*\n +\n")

pytestmark = pytest.mark.skipif(reading.CParser is None, reason="this platform has no build of ruamel.yaml.clib")


def tree_and_diagnostics(text: str) -> object:
    """Return the tree of *text* with all spans, and the diagnostics."""
    report = Report()
    try:
        tree: object = with_spans(read(SourceFile("pipeline.yml", text), report))
    except Stopped:
        tree = None
    return tree, report.diagnostics()


def with_spans(node: Node) -> object:
    """Return *node* with the spans, which comparisons otherwise ignore."""
    offsets = (node.span.start, node.span.end)
    if isinstance(node, Sequence):
        return (offsets, [with_spans(item) for item in node.items])
    if isinstance(node, Mapping):
        return (offsets, [(with_spans(entry.key), with_spans(entry.value)) for entry in node.entries])
    part = node.part(0, len(node.text))
    return (offsets, node.text, node.kind, part.start, part.end)


def check(text: str) -> None:
    """Check that both parsers have the same result."""
    fast = tree_and_diagnostics(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "CParser", None)
        slow = tree_and_diagnostics(text)
    # YAML allows tabs in and after plain texts (https://yaml.org/spec/1.2.2/#62-separation-spaces).
    is_tab_refused = TAB.search(text) and "a tab where YAML allows only spaces" in str(slow)
    # YAML allows blanks before the text of a block (https://yaml.org/spec/1.2.2/#8111-block-indentation-indicator).
    is_block_refused = BLANK_BLOCK.search(text) and "the block begins with a line of blanks" in str(slow)
    assert fast == slow or is_tab_refused or is_block_refused


def test_a_block_that_begins_with_blanks_is_named_if_the_python_parser_reads_the_file() -> None:
    """The C parser accepts it, but another error leaves the file to the Python parser."""
    report = Report()
    with pytest.raises(Stopped):
        read(SourceFile("pipeline.yml", "a: |\n \n   x\nb: [\n"), report)
    (diagnostic,) = report.diagnostics()

    assert diagnostic.message == "the block begins with a line of blanks"
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.first.line == 3
    assert diagnostic.hint == "remove the blanks"


@pytest.mark.slow
def test_both_parsers_agree_on_all_configs() -> None:
    """The C parser reads most of them."""
    assert len(TEXTS) > 200
    for text in TEXTS:
        check(text)
    fast = sum(reading.fast_events(SourceFile("pipeline.yml", text)) is not None for text in TEXTS)

    assert fast / len(TEXTS) > 0.75


@pytest.mark.parametrize(
    "text", ["a:\n  - b\t\n  - c \t # d\n", "a: [b, c]\t\n", "a: 'b'\t# c\n", "a: b\t", "a: |\n  b\t\nc: d\t\r\n"]
)
def test_tabs_may_follow_the_text_of_a_line(text: str) -> None:
    """The tree is that of the text with spaces; in a block they are text."""
    spaces = re.sub(r"(?<!^  b)\t", " ", text, flags=re.MULTILINE)

    assert tree_and_diagnostics(text) == tree_and_diagnostics(spaces)


@pytest.mark.parametrize(
    ("text", "words"), [("a:\n  - b\tc\n", "b\tc"), ("a: [b \tc, d]\n", "b \tc"), ("a: b-c\td # e\n", "b-c\td")]
)
def test_tabs_may_be_in_the_text_of_a_line(text: str, words: str) -> None:
    """GitLab reads such a command, too."""
    tree = read(SourceFile("pipeline.yml", text), Report())
    assert isinstance(tree, Mapping)
    value = tree.entries[0].value
    found = value.items[0] if isinstance(value, Sequence) else value

    assert isinstance(found, Scalar)
    assert found.text == words
    assert found.span.text == words


@pytest.mark.parametrize("text", ["run: |\n  echo &x.y *a/b\n", "# see &a.b\nk: 'x *y.z'\n"])
def test_signs_in_texts_and_comments_are_no_names(text: str) -> None:
    """The C parser reads files whose scripts contain such signs."""
    assert reading.fast_events(SourceFile("pipeline.yml", text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "a: { b: c:d, e: [x::y, http://z:1/] }\n",
        "a: [b:c: d, e:, f: g:]\n",
        'a: { "b":c, d:e }\n',
        "a: [b:c] # d:e\nf: |\n  g:h\n",
        "a: { &b:c d: e }\n",
        "a: [!b:c d, *e:f]\n",
        "a: [b:c, \ue000]\n",
        "a: [b:c\n",
    ],
)
def test_both_parsers_agree_on_colons_in_braces(text: str) -> None:
    """The C parser refuses those inside plain texts, and reads the file without them."""
    check(text)


def test_the_c_parser_reads_a_file_with_colons_in_braces(monkeypatch: pytest.MonkeyPatch) -> None:
    """An image with a tag is common there."""
    monkeypatch.setattr(reading, "_compose_slow", lambda *_: pytest.fail("read by the Python parser"))
    tree = read(SourceFile("pipeline.yml", "image: { name: node:22, url: http://x }\n"), Report())

    assert isinstance(tree, Mapping)
    assert isinstance(image := tree.get("image"), Mapping)
    assert [entry.value.span.text for entry in image.entries] == ["node:22", "http://x"]


@given(st.sampled_from(TEXTS[: len(TEXTS) // 2]), CHANGES)
def test_both_parsers_agree_on_changed_configs(text: str, changes: list[tuple[float, str, int]]) -> None:
    """Pieces of text are inserted or replaced anywhere."""
    check(changed(text, changes))


@pytest.mark.parametrize(
    "text",
    [
        "a:\n- # x-y\n- b\n",
        "a:\n  - x # a-b\n  - # c-d\n    # -\n  -\n",
        "a:\nb: [~, x]\n",
        "- \n- ? x\n- {y}\n",
        "a: &x\nb: *x\n",
        "run: |\n  echo &x.y *a/b !c!d!e\nb: [1]\n",
        "# see &a.b\nk: ['x &y.z', \"*q.r\", x *q.r]\n",
        "a: &x.y 1\nb: *x.y\n",
        "a: 'text *x.y'\nb: &x.y [1]\nc: [*x.y, 2]\n",
        "a: &x !y!z!w b\n",
        "a: [*x.y]\n",
        "a: &x:\n",
        "a: 'x\ty'\n",
        "a: |# b\n  c\n",
        "a: >-#b\n  c\n",
        "a: |+2#\n   c\n",
        "a: | # b\n  c\n",
        "a: |\n \r\n x\n",
        "",
        "# nothing\n",
    ],
)
def test_both_parsers_agree_on_missing_values(text: str) -> None:
    """A missing value has a span after its key or dash."""
    check(text)
