"""The names of stages around several others."""

from targets.jenkins.sample_plans import plan

from pipegen.targets.jenkins.names import display_names
from pipegen.targets.jenkins.styles.group_names import CombinationName, chain_name, group_name

COMBINATIONS = {
    f"{stage}: {values}": CombinationName(stage, values)
    for stage in ("build", "main: test")
    for values in ("1, a", "2, b")
}


def test_combinations_go_by_their_stage() -> None:
    """Names of combinations have commas of their own; one combination alone keeps its name."""
    assert group_name(["x", *COMBINATIONS], COMBINATIONS) == "x, build, main: test"
    assert group_name(["x", "build: 1, a"], COMBINATIONS) == "x, build: 1, a"


def test_a_chain_of_combinations_goes_by_their_values() -> None:
    """Where they are the same in all."""
    assert chain_name(["build: 1, a", "main: test: 1, a"], COMBINATIONS) == "1, a"
    assert chain_name(["build: 1, a", "main: test: 2, b"], COMBINATIONS) == "build: 1, a, main: test: 2, b"
    assert chain_name(["build: 1, a", "x"], COMBINATIONS) == "build: 1, a, x"


def test_many_are_counted() -> None:
    """A name is to be read."""
    assert group_name(list("abcdef"), {}) == "a, b, c and 3 more"


def test_a_name_is_one_literal() -> None:
    """U+FFFF can stand in none; stages whose names differ in nothing else are numbered."""
    made = plan(["a\uffff", "a\ufffd"])

    assert list(display_names([made]).values()) == ["a\ufffd", "a\ufffd (2)"]
