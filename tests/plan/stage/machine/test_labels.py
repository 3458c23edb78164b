"""Expressions over labels."""

import pytest

from pipegen.plan.stage.machine.labels import is_expression, label_operands


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("linux && docker", ("linux", "docker")),
        ("linux&&!arm", ("linux", "!arm")),
        ("(linux)", ("linux",)),
        ("a || b", ("a || b",)),
        ("a || b && c", ("a || b && c",)),
        ("(a||b) && c-1", ("a || b", "c-1")),
        ("(a) && (b)", ("a", "b")),
        ("!(a || b)", ("!(a || b)",)),
        ("a -> b", ("a -> b",)),
        ("a-b->c <-> d", ("a-b -> c <-> d",)),
        ("a &&", None),
        ("&& a", None),
        ("(a", None),
        ("a)", None),
        ("a b && c", None),
        ("()", None),
        ("a && $b", None),
        ("!", None),
    ],
)
def test_operands(text: str, operands: tuple[str, ...] | None) -> None:
    """Operands of `&&` are labels that the agent must have; any other operator makes one expression."""
    assert is_expression(text)
    assert label_operands(text) == operands


@pytest.mark.parametrize("text", ["linux", "big machine", "a-b", "a!b"])
def test_labels(text: str) -> None:
    """Jenkins reads these as one label."""
    assert not is_expression(text)
