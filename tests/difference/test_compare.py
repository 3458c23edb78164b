"""What is different in meaning between two configs, and what is not."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from difference.versions import between, keys, pipeline, rows, told, version
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report
from pipegen.difference.compare import compare
from pipegen.difference.model import ChangeKind, Prompt, Rename
from pipegen.graph.execution import ExecutionGraph

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((*(ROOT / "examples").glob("*/pipegen.yaml"), *(ROOT / "tests" / "golden").glob("*/pipeline.yml")))

CACHE = ("cache.1.key", "k", "l")
PLAIN = """\
pipelines:
  service:
    when: { branch: [main, 'v*'] }
    stages:
      - { name: lint, image: python:3.12, timeout: 5 minutes, script: [ruff check .] }
      - name: build
        image: python:3.12
        script: [make dist, make docs]
        env: { A: x, B: y }
        outputs: { v: { command: cat VERSION } }
        artifacts: [dist/, docs/]
      - { name: test, image: python:3.12, script: ['pytest "${build.v}"'] }
    execution:
      - [[lint, build], test]
"""
WRITTEN_OTHERWISE = """\
# The same.
templates:
  python: { image: 'python:3.12' }
pipelines:
  service:
    when: { any: [{ branch: 'v*' }, { branch: main }], branch: ['v*', main] }
    defaults: { extends: python }
    execution:
      - [build, test]
      - [lint, test]
    stages:
      - name: test
        script: |
          pytest "${build.v}"
      - name: build
        artifacts: [docs/, dist/]
        outputs: { v: { command: "cat VERSION" } }
        env: { B: y, A: 'x' }
        script: |
          make dist
          make docs
      - { name: lint, timeout: 300 seconds, script: ruff check . }
"""


def test_another_way_to_write_it_is_no_change() -> None:
    """Comments, layout, order of keys and stages, templates and defaults, one text or a list."""
    other = WRITTEN_OTHERWISE.replace("any: [{ branch: 'v*' }, { branch: main }], ", "")

    assert not between(PLAIN, other).has_changes
    assert [change.key for change in pipeline(PLAIN, WRITTEN_OTHERWISE).changes] == ["when"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_a_config_means_what_it_means(path: Path) -> None:
    """Nothing is different from itself, read twice."""
    first, second = (version(load(path, Report())) for _ in range(2))

    assert not compare(first, second).has_changes


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("script: [make a]", "script: [make b]", ("script", "make a", "make b")),
        ("script: [x], image: 'a:1'", "script: [x], image: 'a:2'", ("image.name", "a:1", "a:2")),
        ("script: [x]", "script: [x], image: a", ("image", None, "name: a")),
        ("script: [x], env: {A: x}", "script: [x], env: {A: y}", ("env.A", "x", "y")),
        ("script: [x]", "script: [x], timeout: 90 minutes", ("timeout", None, "1 h 30 min")),
        ("script: [x], agent: [a, b]", "script: [x], agent: [b, c]", ("agent", "a, b", "b, c")),
        ("script: [x], when: {branch: a}", "script: [x]", ("when", "branch a", None)),
        ("script: [x], secrets: {T: one}", "script: [x], secrets: {T: two}", ("secrets.T", "one (text)", "two (text)")),
        ("script: [x], retry: 1", "script: [x], retry: 2", ("retry.count", "1", "2")),
        ("script: [x]", "script: [x], artifacts: [a]", ("artifacts", None, "a")),
        ("script: [x]", "script: [x], allow_failure: true", ("allow_failure", None, "true")),
        ("script: [x], lock: a", "script: [x], lock: b", ("lock", "a", "b")),
        ("build: a", "build: b", ("build.variant", "a", "b")),
        ("script: [x], outputs: {v: {command: a}}", "script: [x], outputs: {v: {command: b}}", ("outputs.v", "a", "b")),
        ("script: [x]", "script: [x], approve: Really?", ("approve", None, "message: Really?")),
        ("script: [x], cache: {key: k, paths: [a]}", "script: [x], cache: {key: l, paths: [a]}", CACHE),
        ("script: [x], raw: {gitlab: {a: 1}}", "script: [x], raw: {gitlab: {a: 2}}", ("raw.gitlab.a", "1", "2")),
    ],
)  # fmt: skip
def test_a_key_that_says_something_else(old: str, new: str, expected: tuple[str, str | None, str | None]) -> None:
    """It is told with what it said and what it says."""
    assert keys(old, new) == [expected]


def test_stages_that_differ_alike_stand_together() -> None:
    """One new default is one change, however many stages have it."""
    config = (
        "pipelines: { p: { defaults: { image: 'a:1' }, stages: [{ name: a, script: [x] }, { name: b, script: [y] }] } }"
    )
    (changed,) = pipeline(config, config.replace("a:1", "a:2")).changed

    assert changed.stages == ("a", "b")


def test_a_stage_under_another_name_is_the_same_stage() -> None:
    """Whoever reads of it, comes after it, or is renamed too, has not changed."""
    new = re.sub(r"\blint\b", "style", re.sub(r"\bbuild\b", "package", PLAIN))
    found = pipeline(PLAIN, new)

    assert found.renamed == (Rename("lint", "style"), Rename("build", "package"))
    assert (found.added, found.removed, found.changed) == ((), (), ())
    assert (found.gained.count, found.lost.count, found.old_path == found.new_path) == (0, 0, True)


def test_a_chain_of_renamed_readers_is_followed() -> None:
    """That a stage does the same is known once it is known of those it reads."""
    old = rows(
        "{name: a, script: [x], outputs: {v: {command: x}}}, "
        "{name: b, script: ['y ${a.v}'], outputs: {v: {command: y}}}, {name: c, script: ['z ${b.v}']}"
    )
    new = re.sub(r"\b([abc])\b", r"new-\1", old)

    assert [one.new for one in pipeline(old, new).renamed] == ["new-a", "new-b", "new-c"]


def test_of_stages_that_do_the_same_the_place_in_the_order_decides() -> None:
    """Else the first ones are taken for each other."""
    old = rows("{name: a, script: [x]}, {name: b, script: [y]}, {name: c, script: [y]}", "[[a, b], [c]]")
    new = rows("{name: a, script: [x]}, {name: d, script: [y]}, {name: e, script: [y]}", "[[d], [a, e]]")

    assert set(pipeline(old, new).renamed) == {Rename("b", "e"), Rename("c", "d")}


def test_a_stage_under_another_name_may_differ_in_what_stands_around_its_work() -> None:
    """That is told beside it; one that is alike in all goes first."""
    old = rows("{name: a, image: 'x:1', script: [x]}, {name: b, image: 'x:2', script: [x]}", "[[a], [b]]")
    new = rows("{name: c, image: 'x:2', script: [x]}, {name: d, image: 'x:3', script: [x]}", "[[c], [d]]")
    found = pipeline(old, new)

    assert set(found.renamed) == {Rename("b", "c"), Rename("a", "d")}
    assert [(one.stages, [told(change) for change in one.changes]) for one in found.changed] == [
        (("d",), [("image.name", "x:1", "x:3")]),
    ]


def test_a_stage_that_does_something_else_is_another_one() -> None:
    """It is told where it stands."""
    found = pipeline(
        rows("{name: a, script: [x]}, {name: b, script: [y]}"),
        rows("{name: a, script: [x]}, {name: c, script: [z]}"),
    )

    assert [(one.stage, one.after) for one in (*found.added, *found.removed)] == [("c", ("a",)), ("b", ("a",))]


def test_order_is_told_in_the_fewest_arcs() -> None:
    """Pairs that follow are counted, and not told."""
    stages = ", ".join(f"{{name: {name}, script: [x]}}" for name in "abcd")
    found = pipeline(rows(stages, "[[a, b], [c, d]]"), rows(stages, "[[a, b, c, d]]"))
    back = pipeline(rows(stages, "[[a, b, c, d]]"), rows(stages, "[[a, b], [c, d]]"))

    assert (found.gained.count, found.gained.arcs, found.lost.count) == (4, ((("b",), ("c",)),), 0)
    assert (back.lost.count, back.lost.arcs, back.gained.count) == (4, ((("b",), ("c",)),), 0)
    assert (found.old_path.length, found.new_path.length) == (2, 4)


def test_what_is_asked_of_people_is_told_apart() -> None:
    """Approvals and secrets, also those of new stages."""
    old = rows("{name: a, script: [x], approve: true, secrets: {T: one}}")
    new = rows("{name: a, script: [x], secrets: {T: one}}, {name: b, script: [y], secrets: {U: two}, approve: true}")
    found = pipeline(old, new)

    assert found.newly_asked == (Prompt("b", ""), Prompt("b", "two"))
    assert found.no_longer_asked == (Prompt("a", ""),)


def test_pipelines_inputs_and_settings() -> None:
    """Added, removed, renamed, or with keys that say something else."""
    old = """\
    inputs: { level: { default: full }, gone: { type: boolean, default: true } }
    targets: { gitlab: { images: local } }
    pipelines: { a: { stages: [{ name: x, script: [x] }] }, b: { stages: [{ name: y, script: [y] }] } }
    """
    new = """\
    inputs: { level: { default: quick }, fresh: { default: '' } }
    targets: { gitlab: { images: registry }, jenkins: {} }
    pipelines:
      c: { when: { tag: true }, stages: [{ name: z, script: [z] }] }
      d: { stages: [{ name: x, script: [x] }] }
    """
    found = between(old, new)

    assert [(one.name, one.kind) for one in found.inputs] == [
        *(("level", ChangeKind.CHANGED), ("gone", ChangeKind.REMOVED), ("fresh", ChangeKind.ADDED)),
    ]
    assert [(one.name, one.kind) for one in found.targets] == [
        ("gitlab", ChangeKind.CHANGED),
        ("jenkins", ChangeKind.ADDED),
    ]
    assert ([one.name for one in found.added], [one.name for one in found.removed]) == (["c"], ["b"])
    assert [(one.old_name, one.name) for one in found.pipelines] == [("a", "d")]


def test_a_matrix_is_renamed_as_it_is_written() -> None:
    """Its combinations are not told one by one."""
    old = rows("{name: unit, matrix: {py: ['3.11', '3.12']}, script: ['x ${matrix.py}']}")

    assert pipeline(old, old.replace("unit", "tests")).renamed == (Rename("unit", "tests"),)


NAMES = "abcde"
ARCS = st.lists(st.sampled_from([(one, other) for one, other in product(NAMES, NAMES) if one < other]), unique=True)


@settings(max_examples=60)
@given(ARCS, ARCS, st.sets(st.sampled_from(NAMES)))
def test_the_order_that_is_told_makes_the_new_one_of_the_old(
    before: list[tuple[str, str]], after: list[tuple[str, str]], renamed: set[str]
) -> None:
    """What is gained, with what both have, implies the new order; what is lost is counted; names do not matter."""

    def config(arcs: list[tuple[str, str]], names: dict[str, str]) -> str:
        stages = ", ".join(f"{{name: {names[one]}, script: [do {one}]}}" for one in NAMES)
        return rows(stages, str([[names[one], names[other]] for one, other in arcs] + [[names[one]] for one in NAMES]))

    names = {one: one.upper() if one in renamed else one for one in NAMES}
    found = compare(version(config(before, {one: one for one in NAMES})), version(config(after, names)))
    old, new = (ordered([(names[a], names[b]) for a, b in arcs]) for arcs in (before, after))
    if not found.pipelines:
        assert (old, renamed) == (new, set())
        return
    (one,) = found.pipelines
    gained = {arc for earlier, later in one.gained.arcs for arc in product(earlier, later)}

    assert {(change.old, change.new) for change in one.renamed} == {(name, name.upper()) for name in renamed}
    assert (one.gained.count, one.lost.count) == (len(new - old), len(old - new))
    assert gained <= new - old
    assert ordered([*(old & new), *gained]) == new


def ordered(arcs: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return all pairs that *arcs* put in order, however far."""
    graph = ExecutionGraph(arcs)
    return {(earlier, later) for earlier in graph.nodes for later in graph.descendants(earlier)}
