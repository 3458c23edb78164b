"""Groovy code whose strings and numbers are extracted, and inserted again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipegen.emit.groovy import literal
from pipegen.targets.jenkins.styles.shapes import Shape, filled, hole, holes, shaped

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize(
    ("groovy", "code", "texts"),
    [
        ("retry(3)", "retry(Integer.parseInt(texts[0]))", ("3",)),
        ("lock(resource: 'a b')", "lock(resource: texts[0])", ("a b",)),
        ("withEnv(['A=' + status('x')])", "withEnv([texts[0] + status(texts[1])])", ("A=", "x")),
        ("tryAgain(2, ['script'])", "tryAgain(Integer.parseInt(texts[0]), [texts[1]])", ("2", "script")),
        ("f('it\\'s \\\\ \\n \\u00e9')", "f(texts[0])", ("it's \\ \n é",)),
        # Values that no argument can replace.
        ("f('a': 1.5, b2: x3, y: 12L)", "f('a': 1.5, b2: x3, y: 12L)", ()),
        ("f('\\x', \"b\", '''c''')", "f('\\x', \"b\", '''c''')", ()),
        ("x.'odd name'()", "x.'odd name'()", ()),
        ("f(12345678901)", "f(12345678901)", ()),
        # Syntax that only a full parser could tell apart.
        ("f(/a 'b' c/)", "f(/a 'b' c/)", ()),
        ("f(\"${x ? 'a' : 'b'}\")", "f(\"${x ? 'a' : 'b'}\")", ()),
    ],
)
def test_strings_and_numbers_are_extracted(groovy: str, code: str, texts: tuple[str, ...]) -> None:
    """Only where that is safe."""
    shape = holes(groovy)

    assert filled(shape.code, [None] * len(shape.texts)) == code
    assert shape.texts == texts


@given(st.lists(TEXTS.filter(lambda text: "\uffff" not in text), max_size=4))
def test_any_string_is_extracted_and_inserted_unchanged(texts: list[str]) -> None:
    """The resulting code equals the original."""
    groovy = f"f({', '.join(f'a{number}: {literal(text)}' for number, text in enumerate(texts))})"
    shape = holes(groovy)

    assert shape.texts == tuple(texts)
    assert filled(shape.code, texts) == groovy


def test_joined_parts_share_a_numbering_of_holes() -> None:
    """Strings that are inserted everywhere are not counted."""
    joined = shaped("mail to: ", hole("a"), ", subject: ", holes("x('b', 7)"), Shape(" {}"))

    assert joined.texts == ("a", "b", "7")
    assert filled(joined.code, [None, "it's", None]) == (
        "mail to: texts[0], subject: x('it\\'s', Integer.parseInt(texts[1])) {}"
    )
