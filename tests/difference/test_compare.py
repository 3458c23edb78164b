"""Differences in meaning between two configs."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from difference.versions import between, keys, pipeline, rows, summary, version
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
EQUIVALENT = """\
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


def test_equivalent_configs_have_no_difference() -> None:
    """Comments, layout, order of keys and stages, templates and defaults do not matter, nor does text or list."""
    other = EQUIVALENT.replace("any: [{ branch: 'v*' }, { branch: main }], ", "")

    assert not between(PLAIN, other).has_changes
    assert [change.key for change in pipeline(PLAIN, EQUIVALENT).changes] == ["when"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_a_config_equals_itself(path: Path) -> None:
    """It is read twice."""
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
        (
            "script: [x], approve: true",
            "script: [x], approve: {optional: true, timeout: 1h}",
            ("approve", "true", "optional: true, timeout: 1 h"),
        ),
        (
            "script: [x], environment: e",
            "script: [x], environment: {name: e, auto_stop_in: 2h}",
            ("environment.auto_stop_in", None, "2 h"),
        ),
        (
            "script: [x], reports: {junit: a, sast: b}",
            "script: [x], reports: {sast: c, junit: a}",
            ("reports.sast", "b", "c"),
        ),
        ("script: [x], reports: {sast: a}", "script: [x], reports: {dast: a, sast: a}", ("reports.dast", None, "a")),
        ("script: [x], cache: {key: k, paths: [a]}", "script: [x], cache: {key: l, paths: [a]}", CACHE),
        ("script: [x], raw: {gitlab: {a: 1}}", "script: [x], raw: {gitlab: {a: 2}}", ("raw.gitlab.a", "1", "2")),
    ],
)  # fmt: skip
def test_a_changed_key_has_its_old_and_new_value(
    old: str, new: str, expected: tuple[str, str | None, str | None]
) -> None:
    """A missing value is None."""
    assert keys(old, new) == [expected]


def test_equal_changes_are_grouped() -> None:
    """A new default is one change, for any number of stages."""
    config = (
        "pipelines: { p: { defaults: { image: 'a:1' }, stages: [{ name: a, script: [x] }, { name: b, script: [y] }] } }"
    )
    (changed,) = pipeline(config, config.replace("a:1", "a:2")).changed

    assert changed.stages == ("a", "b")


def test_a_renamed_stage_is_the_same_stage() -> None:
    """Stages that read from it, follow it, or are renamed too, have not changed."""
    new = re.sub(r"\blint\b", "style", re.sub(r"\bbuild\b", "package", PLAIN))
    result = pipeline(PLAIN, new)

    assert result.renamed == (Rename("lint", "style"), Rename("build", "package"))
    assert (result.added, result.removed, result.changed) == ((), (), ())
    assert (result.gained.count, result.lost.count, result.old_path == result.new_path) == (0, 0, True)


def test_a_changed_file_of_a_child_pipeline_is_one_change() -> None:
    """The first file is also the name of the pipeline. A new name of the stage that generates it is no change."""
    old = "{name: a, script: [x], artifacts: [c.yml]}, {name: b, trigger: {include: [{artifact: c.yml, stage: a}]}}"

    assert keys("trigger: {include: ci/a.yml}", "trigger: {include: ci/b.yml}") == [
        ("trigger.include.1.path", "ci/a.yml", "ci/b.yml")
    ]
    assert pipeline(rows(old), rows(old.replace("name: a", "name: z").replace("stage: a", "stage: z"))).changed == ()


def test_a_renamed_stop_stage_does_not_change_the_environment() -> None:
    """The deploying stage names it and counts as unchanged."""
    old = """
pipelines:
  p:
    execution: [[deploy, stop]]
    stages:
      - { name: deploy, script: [make up], environment: { name: review, on_stop: stop } }
      - { name: stop, script: [make down] }
"""
    result = pipeline(
        old,
        old.replace("on_stop: stop", "on_stop: halt").replace(", stop]", ", halt]").replace("name: stop", "name: halt"),
    )

    assert (result.renamed, result.changed) == ((Rename("stop", "halt"),), ())


def test_a_chain_of_renamed_readers_is_followed() -> None:
    """A renamed stage is detected once the stages that it reads from are."""
    old = rows(
        "{name: a, script: [x], outputs: {v: {command: x}}}, "
        "{name: b, script: ['y ${a.v}'], outputs: {v: {command: y}}}, {name: c, script: ['z ${b.v}']}"
    )
    new = re.sub(r"\b([abc])\b", r"new-\1", old)

    assert [renaming.new for renaming in pipeline(old, new).renamed] == ["new-a", "new-b", "new-c"]


def test_stages_with_equal_work_are_matched_by_order() -> None:
    """Otherwise the first ones match."""
    old = rows("{name: a, script: [x]}, {name: b, script: [y]}, {name: c, script: [y]}", "[[a, b], [c]]")
    new = rows("{name: a, script: [x]}, {name: d, script: [y]}, {name: e, script: [y]}", "[[d], [a, e]]")

    assert set(pipeline(old, new).renamed) == {Rename("b", "e"), Rename("c", "d")}


def test_a_renamed_stage_may_have_other_settings() -> None:
    """They are reported as changes; an equal stage matches first."""
    old = rows("{name: a, image: 'x:1', script: [x]}, {name: b, image: 'x:2', script: [x]}", "[[a], [b]]")
    new = rows("{name: c, image: 'x:2', script: [x]}, {name: d, image: 'x:3', script: [x]}", "[[c], [d]]")
    result = pipeline(old, new)

    assert set(result.renamed) == {Rename("b", "c"), Rename("a", "d")}
    assert [
        (changed_stages.stages, [summary(change) for change in changed_stages.changes])
        for changed_stages in result.changed
    ] == [
        (("d",), [("image.name", "x:1", "x:3")]),
    ]


def test_a_stage_with_other_work_is_a_different_stage() -> None:
    """It has its predecessors and successors."""
    result = pipeline(
        rows("{name: a, script: [x]}, {name: b, script: [y]}"),
        rows("{name: a, script: [x]}, {name: c, script: [z]}"),
    )

    assert [(stage_summary.stage, stage_summary.after) for stage_summary in (*result.added, *result.removed)] == [
        ("c", ("a",)),
        ("b", ("a",)),
    ]


def test_changes_of_order_are_minimal() -> None:
    """Implied pairs are counted, not listed."""
    stages = ", ".join(f"{{name: {name}, script: [x]}}" for name in "abcd")
    result = pipeline(rows(stages, "[[a, b], [c, d]]"), rows(stages, "[[a, b, c, d]]"))
    back = pipeline(rows(stages, "[[a, b, c, d]]"), rows(stages, "[[a, b], [c, d]]"))

    assert (result.gained.count, result.gained.arcs, result.lost.count) == (4, ((("b",), ("c",)),), 0)
    assert (back.lost.count, back.lost.arcs, back.gained.count) == (4, ((("b",), ("c",)),), 0)
    assert (result.old_path.length, result.new_path.length) == (2, 4)


def test_prompts_are_listed_separately() -> None:
    """They are approvals and secrets, including those of new stages."""
    old = rows("{name: a, script: [x], approve: true, secrets: {T: one}}")
    new = rows("{name: a, script: [x], secrets: {T: one}}, {name: b, script: [y], secrets: {U: two}, approve: true}")
    result = pipeline(old, new)

    assert result.newly_asked == (Prompt("b", ""), Prompt("b", "two"))
    assert result.no_longer_asked == (Prompt("a", ""),)


def test_changes_of_pipelines_inputs_and_settings() -> None:
    """They are added, removed or renamed, or have changed keys."""
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
    result = between(old, new)

    assert [(input_.name, input_.kind) for input_ in result.inputs] == [
        *(("level", ChangeKind.CHANGED), ("gone", ChangeKind.REMOVED), ("fresh", ChangeKind.ADDED)),
    ]
    assert [(target.name, target.kind) for target in result.targets] == [
        ("gitlab", ChangeKind.CHANGED),
        ("jenkins", ChangeKind.ADDED),
    ]
    assert (
        [added_pipeline.name for added_pipeline in result.added],
        [removed_pipeline.name for removed_pipeline in result.removed],
    ) == (["c"], ["b"])
    assert [(changed_pipeline.old_name, changed_pipeline.name) for changed_pipeline in result.pipelines] == [("a", "d")]


def test_a_matrix_is_renamed_as_a_whole() -> None:
    """Its combinations are not listed."""
    old = rows("{name: unit, matrix: {py: ['3.11', '3.12']}, script: ['x ${matrix.py}']}")

    assert pipeline(old, old.replace("unit", "tests")).renamed == (Rename("unit", "tests"),)


NAMES = "abcde"
ARCS = st.lists(
    st.sampled_from([(first, second) for first, second in product(NAMES, NAMES) if first < second]), unique=True
)


@settings(max_examples=60)
@given(ARCS, ARCS, st.sets(st.sampled_from(NAMES)))
def test_listed_changes_transform_the_old_order_into_the_new(
    before: list[tuple[str, str]], after: list[tuple[str, str]], renamed: set[str]
) -> None:
    """Gained arcs and common order imply the new order; lost pairs are counted; names do not matter."""

    def config(arcs: list[tuple[str, str]], names: dict[str, str]) -> str:
        stages = ", ".join(f"{{name: {names[name]}, script: [do {name}]}}" for name in NAMES)
        return rows(
            stages, str([[names[earlier], names[later]] for earlier, later in arcs] + [[names[name]] for name in NAMES])
        )

    names = {name: name.upper() if name in renamed else name for name in NAMES}
    result = compare(version(config(before, {name: name for name in NAMES})), version(config(after, names)))
    old, new = (ordered([(names[a], names[b]) for a, b in arcs]) for arcs in (before, after))
    if not result.pipelines:
        assert (old, renamed) == (new, set())
        return
    (difference,) = result.pipelines
    gained = {arc for earlier, later in difference.gained.arcs for arc in product(earlier, later)}

    assert {(change.old, change.new) for change in difference.renamed} == {(name, name.upper()) for name in renamed}
    assert (difference.gained.count, difference.lost.count) == (len(new - old), len(old - new))
    assert gained <= new - old
    assert ordered([*(old & new), *gained]) == new


def ordered(arcs: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return all pairs that *arcs* order, directly or not."""
    graph = ExecutionGraph(arcs)
    return {(earlier, later) for earlier in graph.nodes for later in graph.descendants(earlier)}
