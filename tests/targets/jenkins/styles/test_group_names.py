"""The names of what holds several stages."""

from targets.jenkins.made import plan

from pipegen.targets.jenkins.names import display_names
from pipegen.targets.jenkins.styles.group_names import CombinationName, chain_name, group_name

LEGS = {
    f"{stage}: {values}": CombinationName(stage, values)
    for stage in ("build", "main: test")
    for values in ("1, a", "2, b")
}


def test_legs_go_by_their_stage() -> None:
    """Names of legs have commas of their own; one leg alone keeps its name."""
    assert group_name(["x", *LEGS], LEGS) == "x, build, main: test"
    assert group_name(["x", "build: 1, a"], LEGS) == "x, build: 1, a"


def test_a_chain_of_legs_goes_by_their_values() -> None:
    """Where they are the same in all."""
    assert chain_name(["build: 1, a", "main: test: 1, a"], LEGS) == "1, a"
    assert chain_name(["build: 1, a", "main: test: 2, b"], LEGS) == "build: 1, a, main: test: 2, b"
    assert chain_name(["build: 1, a", "x"], LEGS) == "build: 1, a, x"


def test_many_are_counted() -> None:
    """A name is to be read."""
    assert group_name(list("abcdef"), {}) == "a, b, c and 3 more"


def test_a_name_is_one_literal() -> None:
    """U+FFFF can stand in none; stages whose names differ in nothing else are numbered."""
    made = plan(["a\uffff", "a\ufffd"])

    assert list(display_names([made]).values()) == ["a\ufffd", "a\ufffd (2)"]
