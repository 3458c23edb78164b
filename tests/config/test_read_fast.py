"""The parser in C reads what the one in Python reads, to the last place, or leaves it to that one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipegen.config import read as reading
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping, Node, Sequence

ROOT = Path(__file__).parents[2]
FOLDERS = ("examples/*", "tests/golden/*", "tests/diagnostics/*")
PATHS = [path for folder in FOLDERS for path in sorted(ROOT.glob(f"{folder}/pip*.y*ml"))]
TEXTS = sorted((path.read_bytes().decode(errors="replace") for path in PATHS), key=len)
# What changes the meaning of a line of YAML, or breaks it.
PIECES = (
    *(":", ": ", "-", "- ", "? ", '"', "'", "[", "]", "{", "}", ",", "#", " #", "|", ">", "|-\n", ">+\n", "&a", "*a"),
    *("<<: ", "!x ", "!!str ", "%", "@", "`", "~", "\\", "\n", "\n\n", "  ", "\t", "---", "...", "\r\n", "\r", "\x07"),
    *("\ufeff", "\u2028", "\u0085", "\u00e9", "\U0001d4b3"),
)

pytestmark = pytest.mark.skipif(reading.CParser is None, reason="this platform has no build of ruamel.yaml.clib")


def told(text: str) -> object:
    """Return the tree of *text* with all places, and what is reported."""
    report = Report()
    try:
        tree: object = placed(read(SourceFile("pipeline.yml", text), report))
    except Stopped:
        tree = None
    return tree, report.diagnostics()


def placed(node: Node) -> object:
    """Return *node* with the places that comparisons leave out."""
    place = (node.span.start, node.span.end)
    if isinstance(node, Sequence):
        return (place, [placed(item) for item in node.items])
    if isinstance(node, Mapping):
        return (place, [(placed(entry.key), placed(entry.value)) for entry in node.entries])
    return (place, node.text, node.kind, node.start)


def check(text: str) -> None:
    """Expect the same of both parsers."""
    fast = told(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "CParser", None)
        assert fast == told(text)


def test_configs_are_read_alike() -> None:
    """All that the repository holds, right and wrong; most of it by the parser in C."""
    assert len(TEXTS) > 200
    for text in TEXTS:
        check(text)
    fast = sum(reading.fast_events(SourceFile("pipeline.yml", text)) is not None for text in TEXTS)

    assert fast / len(TEXTS) > 0.75


@given(
    st.sampled_from(TEXTS[: len(TEXTS) // 2]),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from(PIECES), st.integers(0, 3)), min_size=1, max_size=3),
)
def test_changed_configs_are_read_alike(text: str, changes: list[tuple[float, str, int]]) -> None:
    """Pieces put in anywhere, in the place of some characters."""
    for where, piece, gone in changes:
        place = int(where * len(text))
        text = text[:place] + piece + text[place + gone :]

    check(text)


@pytest.mark.parametrize(
    "text",
    [
        "a:\n- # x-y\n- b\n",
        "a:\n  - x # a-b\n  - # c-d\n    # -\n  -\n",
        "a:\nb: [~, x]\n",
        "- \n- ? x\n- {y}\n",
        "a: &x\nb: *x\n",
        "a: &x:\n",
        "a: 'x\ty'\n",
        "a: |\n \r\n x\n",
        "",
        "# nothing\n",
    ],
)
def test_places_of_what_is_not_there(text: str) -> None:
    """A missing value stands behind its key or dash."""
    check(text)
