"""The sample outputs that define the layout, written again from their data."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import FoldedScalarString

from pipegen.emit.yaml import Commented, Data, Flow, Folded, Value, write

_MODELS = sorted((Path(__file__).parents[3] / "shared" / "output" / "gitlab").glob("*.yml"))


def _value(node: Any) -> Value:
    """Return *node* of ruamel's round trip as our types: its data and the layout that the writer needs."""
    match node:
        case CommentedMap() | CommentedSeq() if node.fa.flow_style():
            return Flow(_data(node))
        case CommentedMap():
            return {key: _value(item) for key, item in node.items()}
        case CommentedSeq():
            return list(_items(node))
        case FoldedScalarString():
            breaks = [-1, *getattr(node, "fold_pos", []), len(node)]
            return Folded(tuple(str(node[start + 1 : end]) for start, end in pairwise(breaks)))
        case _:
            return _scalar(node)


def _items(sequence: CommentedSeq) -> Iterator[Value]:
    """Yield the items of *sequence*, each with its comment (ruamel stores a comment above with the item before)."""
    above = ""
    for place, item in enumerate(sequence):
        token = sequence.ca.items.get(place, [None])[0]
        comment = token.value.strip().removeprefix("# ") if token else ""
        is_below = token is not None and (token.value[0] == "\n" or token.start_mark.column == sequence.lc.col)
        beside = "" if is_below else comment
        value = _value(item)
        yield Commented(value, above, beside) if above or beside else value
        above = comment if is_below else ""


def _data(node: Any) -> Any:
    """Return *node* without any layout."""
    if isinstance(node, CommentedMap):
        return {key: _data(item) for key, item in node.items()}
    return [_data(item) for item in node] if isinstance(node, CommentedSeq) else _scalar(node)


def _scalar(node: Any) -> Data:
    """Return the plain value of scalar *node*."""
    return str(node) if isinstance(node, str) else node


def _split(model: str) -> tuple[Iterable[str], str]:
    """Return the comment lines at the top of *model*, and the rest."""
    header, _, body = model.partition("\n\n")
    return [line.removeprefix("# ") for line in header.splitlines()], body


@pytest.mark.skipif(not _MODELS, reason="the model outputs are not beside the checkout")
@pytest.mark.parametrize("model", _MODELS, ids=lambda path: path.name)
def test_reproduces_the_sample_outputs(model: Path) -> None:
    """Each one is equal byte for byte, with flow style, folds and comments."""
    text = model.read_text(encoding="utf-8")
    header, body = _split(text)
    document = YAML(typ="rt").load(body)

    assert write({key: _value(item) for key, item in document.items()}, header) == text
