"""Names of stages that contain several others."""

from targets.jenkins.sample_plans import plan

from pipegen.targets.jenkins.names import display_names
from pipegen.targets.jenkins.styles.group_names import CombinationName, chain_name, group_name

COMBINATIONS = {
    f"{stage}: {values}": CombinationName(stage, values)
    for stage in ("build", "main: test")
    for values in ("1, a", "2, b")
}


def test_a_group_of_combinations_is_named_after_their_stage() -> None:
    """Names of combinations contain commas; a single combination keeps its name."""
    assert group_name(["x", *COMBINATIONS], COMBINATIONS) == "x, build, main: test"
    assert group_name(["x", "build: 1, a"], COMBINATIONS) == "x, build: 1, a"


def test_a_chain_of_combinations_is_named_after_their_values() -> None:
    """If all have the same values."""
    assert chain_name(["build: 1, a", "main: test: 1, a"], COMBINATIONS) == "1, a"
    assert chain_name(["build: 1, a", "main: test: 2, b"], COMBINATIONS) == "build: 1, a, main: test: 2, b"
    assert chain_name(["build: 1, a", "x"], COMBINATIONS) == "build: 1, a, x"


def test_a_group_of_many_stages_has_a_count() -> None:
    """The name stays readable."""
    assert group_name(list("abcdef"), {}) == "a, b, c and 3 more"


def test_display_names_are_unique_literals() -> None:
    """U+FFFF is invalid in a literal; names that differ only in it are numbered."""
    sample = plan(["a\uffff", "a\ufffd"])

    assert list(display_names([sample]).values()) == ["a\ufffd", "a\ufffd (2)"]
