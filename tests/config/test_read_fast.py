"""The parser in C reads what the one in Python reads, to the last place, or leaves it to that one."""

from __future__ import annotations

import pytest
from config.changes import CHANGES, TEXTS, changed
from hypothesis import given
from hypothesis import strategies as st

from pipegen.config import read as reading
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping, Node, Sequence

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
    part = node.part(0, len(node.text))
    return (place, node.text, node.kind, part.start, part.end)


def check(text: str) -> None:
    """Expect the same of both parsers."""
    fast = told(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "CParser", None)
        assert fast == told(text)


@pytest.mark.slow
def test_configs_are_read_alike() -> None:
    """All that the repository holds, right and wrong; most of it by the parser in C."""
    assert len(TEXTS) > 200
    for text in TEXTS:
        check(text)
    fast = sum(reading.fast_events(SourceFile("pipeline.yml", text)) is not None for text in TEXTS)

    assert fast / len(TEXTS) > 0.75


@given(st.sampled_from(TEXTS[: len(TEXTS) // 2]), CHANGES)
def test_changed_configs_are_read_alike(text: str, changes: list[tuple[float, str, int]]) -> None:
    """Pieces put in anywhere, in the place of some characters."""
    check(changed(text, changes))


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
