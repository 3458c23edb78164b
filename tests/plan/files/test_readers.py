"""Files that jobs leave, get, and fight over."""

from __future__ import annotations

import pytest
from plan.planned import job_of, messages, plan_of, plans_of, wrong


def left(copy: str) -> list[str | None]:
    """Return the paths of the artifacts of a stage that copies the flow list *copy*."""
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
def test_what_is_copied_is_left(copy: str, paths: list[str | None]) -> None:
    """Each path once; what a run alone knows, or an engine would take for a pattern, has none."""
    assert left(copy) == paths


def test_paths_are_relative_to_the_checkout() -> None:
    """Not to the pipeline's directory."""
    (plan,) = plans_of("pipelines: {p: {directory: src, stages: [{name: s, build: x, run: true, copy: [a]}]}}")

    assert [artifact.path for artifact in plan.jobs[0].artifacts] == ["src/a"]


COPY = "{name: %s, build: x, run: true, copy: [%s]}"


def test_a_build_gets_the_files_of_all_ancestors() -> None:
    """In an order that the arcs allow; those that leave nothing are left out."""
    stages = f"[{{name: z, build: x}}, {COPY % ('c', 'c')}, {{name: b}}, {COPY % ('a', 'a')}, {COPY % ('other', 'o')}]"
    plan = plan_of(stages, "[[a, b, c, z], [other]]")

    assert plan.job("z").files == ("a", "c")
    assert plan.job("c").files == ("a",)


@pytest.mark.parametrize(
    "reader",
    ["run: {image: '${setup.tag}'}", "build: {context: 'https://x.org/y'}", "exports: {x: y}", "trigger: {name: t}"],
)
def test_a_stage_that_reads_no_files_gets_none(reader: str) -> None:
    """A remote context does not see the checkout."""
    assert plan_of(f"[{COPY % ('a', 'a')}, {{name: z, {reader}}}]").job("z").files == ()


def test_an_output_brings_the_files_of_its_stage() -> None:
    """Whatever the reader does."""
    reader = "{name: z, trigger: {name: t, parameters: {P: '${a.output}'}}}"
    plan = plan_of(f"[{COPY % ('a', 'a')}, {COPY % ('b', 'b')}, {reader}]".replace("run: true", "run: {tail: 1}"))

    assert plan.job("z").files == ("a",)


@pytest.mark.parametrize(
    ("one", "other", "underlined"), [("a", "a", "a"), ("a", "a/b", "a/b"), ("a/b", "a", "a"), ("/a/", "./a", "./a")]
)
def test_two_that_leave_the_same_are_reported(one: str, other: str, underlined: str) -> None:
    """Or one a folder, and the other something in it, where both come together."""
    stages = f"[{COPY % ('a', one)}, {COPY % ('b', other)}, {{name: z, build: x}}]"

    assert wrong(stages, "[[a, z], [b, z]]") == [("PG504", underlined)]


@pytest.mark.parametrize("execution", ["[[a, b, z]]", "[[b, a, z]]", "[[a], [b, z]]", "[[a, n, z], [b, n]]"])
def test_two_that_never_meet_or_have_an_order_are_fine(execution: str) -> None:
    """The later one has the last word."""
    stages = f"[{COPY % ('a', 'd')}, {COPY % ('b', 'd')}, {{name: z, build: x}}, {{name: n, trigger: {{name: t}}}}]"
    expected = [("PG504", "d")] if execution.endswith("[b, n]]") else []
    unused = [("PG402", "n")] if "n" not in execution else []

    assert sorted(wrong(stages, execution)) == sorted(expected + unused)


@pytest.mark.parametrize(("one", "other"), [("a", "ab"), ("a/b", "a/c"), ("'${setup.tag}'", "a"), ("a b", "a")])
def test_two_that_leave_different_things_are_fine(one: str, other: str) -> None:
    """What only a run knows is checked there."""
    stages = f"[{COPY % ('a', one)}, {COPY % ('b', other)}, {{name: z, build: x}}]"

    assert wrong(stages, "[[a, z], [b, z]]") == []


def test_a_stage_is_told_once_of_all_it_conflicts_with() -> None:
    """Those that run before it are not among them, nor is what no stage gets together with it."""
    copies = [COPY % (name, "d") for name in "abcde"]
    stages = f"[{', '.join(copies)}, {{name: y, build: x}}, {{name: z, build: x}}]"

    assert messages(stages, "[[a, d, z], [b, z], [c, z], [e, y]]") == [
        'stage "b" leaves "d", as do "a", "d", and runs neither before nor after them',
        'stage "c" leaves "d", as do "a", "d", "b", and runs neither before nor after them',
    ]


def test_a_conflict_is_reported_once() -> None:
    """However many stages get both."""
    stages = f"[{COPY % ('a', 'd')}, {COPY % ('b', 'd')}, {{name: y, build: x}}, {{name: z, build: x}}]"

    assert wrong(stages, "[[a, y, z], [b, y]]") == [("PG504", "d")]
