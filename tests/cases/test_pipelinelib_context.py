"""Names and values at compile time and in a run are those of PipelineLib's context at run time.

Each case becomes a pipeline whose stages export the case's names. A value is computed twice: with the values of names
known to the compiler, and with values that are known only in a run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from bindings.evaluation import World
from config.sample_configs import misread

from pipegen.bindings.names import SETUP_NAMES
from pipegen.graph.execution import ExecutionGraph

CASES = "pipelinelib_context.json"

Case = dict[str, Any]

# The errors that PipelineLib raises in a run, and the diagnostics of the compiler.
CODES = {"AncestorNotFound": "PG306", "NameNotFound": "PG307", "InvalidVariable": "PG310"}

# Checks for which DESIGN.md has another decision, by case and number of the check: the codes or the value, and the
# reason.
OURS: Mapping[tuple[str, int], tuple[object, str]] = {
    ("interpolate-default", 1): (["PG314"], "a default stands in for a name that is never bound, with a warning"),
    ("observed/unknown-namespace-with-default", 0): (
        ["PG304"],
        "a namespace that is no stage is a slip, whatever the default",
    ),
    ("observed/descendant-namespace-with-default", 0): (
        ["PG306"],
        "so is a stage that cannot have run; the arc is missing",
    ),
    ("observed/ancestor-never-created", 0): (["PG314"], "an ancestor that binds nothing gives the default"),
    ("observed/zero-with-default", 0): ("[0]", "a default stands in for what is absent or empty, and 0 is neither"),
    ("observed/shell-default-expansion", 0): ("echo ${FOO:-bar}", "what only a shell means passes through"),
    ("observed/first-brace-ends", 0): (["PG314"], "the default ends at the first brace; the name is never bound"),
    ("observed/nested-default", 0): (["PG314"], "a default is text, not looked into; the name is never bound"),
}
# Defects of PipelineLib that we do not have, and cases that are called defects and in which we agree.
AGREED = {
    "observed/each-delimiter-is-a-character-set": "DESIGN.md: another delimiter is a set of characters, as upstream's",
    "observed/bind-outside-graph": "the compiler has no such bindings: a stage in no arc is PG402 and binds nothing",
}


def world_of(case: Case) -> World:
    """Return the pipeline of *case*."""
    names: dict[str, dict[str, str]] = {}
    for stage, key, value in case["bindings"]:
        names.setdefault(stage, {})[key] = str(value)
    return World(tuple(map(tuple, case["arcs"])), names)


def check_value(world: World, check: Case, ours: object, value: Any) -> None:
    """Check *value*, read at the check's stage, against *ours*, or else against the check."""
    text = json.dumps(value)
    if ours is None and "error" in check:
        ours = [CODES[check["error"]]]
    if isinstance(ours, list):
        folded, report = world.folded(text, check["at"], known=False)
        assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ours
        assert report.has_errors() or world.evaluate(folded, {}) == check.get("expect", "d")
        return
    expected = check["expect"] if ours is None else ours
    for known in (True, False):
        assert world.value(text, check["at"], known=known) == expected


def check_all(world: World, check: Case) -> None:
    """Check the values of one name, or of all names, in each stage that the check's stage can read."""
    graph, at, data = ExecutionGraph(world.arcs), check["at"], check["all"]
    if data is None:
        assert {name: world.value(f"${{.{name}}}", at, known=False) for name in world.names[at]} == check["expect"]
        return
    readable = {
        stage: world.value(f"${{{stage}.{data}}}", at, known=False)
        for stage in graph.nodes
        if not world.codes(f"${{{stage}.{data}}}", at)
    }
    assert readable == check["expect"]


def check_case(case: Case, number: int, check: Case) -> None:
    """Check one entry of *case*."""
    world, ours = world_of(case), OURS.get((case["id"], number), (None, ""))[0]
    match check:
        case {"interpolate": value}:
            check_value(world, check, ours, value)
        case {"get": [*words]} | {"index": str() as words}:
            path = words if isinstance(words, str) else ".".join(["", *words] if len(words) == 1 else words)
            check_value(world, check, ours, f"${{{path}}}")
        case {"bind": [key, value], "error": "NameAlreadyBound"}:
            (diagnostic,) = misread(f"exports:\n  {key}: {world.names[check['at']][key]}\n  {key}: {value}\n")
            assert diagnostic.code.number == "PG103"
        case {"all": _}:
            check_all(world, check)
        case {"all_keys": [*keys]}:
            assert case["id"] in AGREED
            assert not {str(key).partition(".")[0] for key in keys} & set(ExecutionGraph(world.arcs).nodes)
        case _:
            raise AssertionError(check)


def test_case_has_the_values_of_pipelinelib(case: Case) -> None:
    """Where DESIGN.md decides otherwise, our own answer is expected."""
    for number, check in enumerate(case["checks"]):
        check_case(case, number, check)


def test_every_case_and_difference_is_covered(cases: list[Case]) -> None:
    """A defect that we do not copy has an answer or a reason, and every answer belongs to a check."""
    checks = {(case["id"], number): check for case in cases for number, check in enumerate(case["checks"])}
    defects = {case["id"] for case in cases if "upstream_defect" in case}

    assert (len(cases), len(checks)) == (33, 40)
    assert OURS.keys() <= checks.keys()
    assert defects <= {name for name, _ in OURS} | AGREED.keys()
    assert {key for case in cases for key in case} <= {
        "id",
        "origin",
        "source",
        "arcs",
        "bindings",
        "checks",
        "upstream_defect",
    }
    assert Counter(
        key for check in checks.values() for key in check if key not in {"at", "expect", "error"}
    ).keys() == {*("interpolate", "get", "index", "bind", "all", "all_keys")}


def test_setup_is_an_ancestor_of_every_stage() -> None:
    """Its names are readable everywhere and get their values in the run."""
    world = World((("a",), ("b",)))

    for name in (*SETUP_NAMES, "params.X"):
        assert world.value(f"${{setup.{name}}}", "b", known=True) == f"<setup.{name}>"


@pytest.mark.parametrize("at", ["a", "b"])
def test_a_name_of_a_stage_outside_the_graph_is_undefined(at: str) -> None:
    """PipelineLib lets such a stage bind names."""
    assert World((("a", "b"),), {"zzz": {"x": "1"}}).codes("${zzz.x}", at) == ["PG304"]
