"""Files that jobs leave and get, and conflicts between them."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, messages, plan_of, plans_of, wrong


def left(copy: str) -> list[str | None]:
    """Return the paths of the artifacts of a stage with the copies *copy*."""
    return [artifact.path for artifact in job_of(f"{{name: s, build: x, run: true, copy: {copy}}}").artifacts]


@pytest.mark.parametrize(
    ("copy", "paths"),
    [
        ("[a/b]", ["a/b"]),
        ("[/srv/x/]", ["srv/x"]),
        ("[a, ./a, a/]", ["a"]),
        ("[{source: x, destination: a}, {source: z, destination: b/c}]", ["a", "b/c"]),
        ("[{source: /x/report.xml, destination: .}]", ["report.xml"]),
        ("[{source: /x/, destination: .}]", [None]),
        ("[{source: /x/., destination: .}]", [None]),
        ("['${setup.tag}']", [None]),
        ("[{source: '${setup.tag}', destination: a}]", ["a"]),
        ("{$each: i, $in: '${setup.tag}', $yield: 'a/${.i}'}", [None]),
        ("{$each: i, $in: [x, z], $yield: 'a/${.i}'}", ["a/x", "a/z"]),
        ("['a*']", [None]),
        ("['a b']", ["a b"]),
        ("['a$b', '-a', ' a']", [None]),
    ],
)
def test_copied_files_are_artifacts(copy: str, paths: list[str | None]) -> None:
    """Each path is listed once; a run-time path, or one with special characters, is None."""
    assert left(copy) == paths


def test_paths_are_relative_to_the_checkout() -> None:
    """They are not relative to the pipeline's directory."""
    (plan,) = plans_of("pipelines: {p: {directory: src, stages: [{name: s, build: x, run: true, copy: [a]}]}}")

    assert [artifact.path for artifact in plan.jobs[0].artifacts] == ["src/a"]


COPY = "{name: %s, build: x, run: true, copy: [%s]}"


def test_a_build_gets_the_files_of_all_ancestors() -> None:
    """In an order that the arcs allow; ancestors without files are omitted."""
    stages = f"[{{name: z, build: x}}, {COPY % ('c', 'c')}, {{name: b}}, {COPY % ('a', 'a')}, {COPY % ('other', 'o')}]"
    plan = plan_of(stages, "[[a, b, c, z], [other]]")

    assert plan.job("z").files == ("a", "c")
    assert plan.job("c").files == ("a",)


@pytest.mark.parametrize(
    "reader",
    ["run: {image: '${setup.tag}'}", "build: {context: 'https://x.org/y'}", "exports: {x: y}", "trigger: {name: t}"],
)
def test_a_stage_that_reads_no_files_gets_none(reader: str) -> None:
    """A remote context does not read the checkout."""
    assert plan_of(f"[{COPY % ('a', 'a')}, {{name: z, {reader}}}]").job("z").files == ()


def test_reading_an_output_also_brings_the_stages_files() -> None:
    """The reader may be of any kind, such as a trigger."""
    reader = "{name: z, trigger: {name: t, parameters: {P: '${a.output}'}}}"
    plan = plan_of(f"[{COPY % ('a', 'a')}, {COPY % ('b', 'b')}, {reader}]".replace("run: true", "run: {tail: 1}"))

    assert plan.job("z").files == ("a",)


@pytest.mark.parametrize(
    ("first", "other", "underlined"), [("a", "a", "a"), ("a", "a/b", "a/b"), ("a/b", "a", "a"), ("/a/", "./a", "./a")]
)
def test_conflicting_paths_are_reported(first: str, other: str, underlined: str) -> None:
    """The same path, or a folder and a file in it, if one stage gets both."""
    stages = f"[{COPY % ('a', first)}, {COPY % ('b', other)}, {{name: z, build: x}}]"

    assert wrong(stages, "[[a, z], [b, z]]") == [("PG504", underlined)]


@pytest.mark.parametrize("execution", ["[[a, b, z]]", "[[b, a, z]]", "[[a], [b, z]]", "[[a, n, z], [b, n]]"])
def test_ordered_or_unread_conflicts_are_valid(execution: str) -> None:
    """The later stage overwrites the earlier one."""
    stages = f"[{COPY % ('a', 'd')}, {COPY % ('b', 'd')}, {{name: z, build: x}}, {{name: n, trigger: {{name: t}}}}]"
    expected = [("PG504", "d")] if execution.endswith("[b, n]]") else []
    unused = [("PG402", "n")] if "n" not in execution else []

    assert sorted(wrong(stages, execution)) == sorted(expected + unused)


@pytest.mark.parametrize(("first", "other"), [("a", "ab"), ("a/b", "a/c"), ("'${setup.tag}'", "a"), ("a b", "a")])
def test_different_paths_are_valid(first: str, other: str) -> None:
    """Paths that are known only at run time are checked then."""
    stages = f"[{COPY % ('a', first)}, {COPY % ('b', other)}, {{name: z, build: x}}]"

    assert wrong(stages, "[[a, z], [b, z]]") == []


def test_all_conflicts_of_a_stage_are_reported_together() -> None:
    """Ordered stages do not conflict, nor do files that no stage gets together."""
    copies = [COPY % (name, "d") for name in "abcde"]
    stages = f"[{', '.join(copies)}, {{name: y, build: x}}, {{name: z, build: x}}]"

    assert messages(stages, "[[a, d, z], [b, z], [c, z], [e, y]]") == [
        'stage "b" leaves "d", as do "a", "d", and runs neither before nor after them',
        'stage "c" leaves "d", as do "a", "d", "b", and runs neither before nor after them',
    ]


def test_a_conflict_is_reported_once() -> None:
    """For any number of stages that get both."""
    stages = f"[{COPY % ('a', 'd')}, {COPY % ('b', 'd')}, {{name: y, build: x}}, {{name: z, build: x}}]"

    assert wrong(stages, "[[a, y, z], [b, y]]") == [("PG504", "d")]
