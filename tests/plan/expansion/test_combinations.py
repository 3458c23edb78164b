"""Matrix stages: their combinations, how arcs join them, and what references to them mean."""

from __future__ import annotations

import pytest
from plan.planned import items, of, plan_of, plans_of, reported, shown, wrong

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import BuildImage, Combination, Commands, Plan, PublishImage, RunContainer

BUILD = "{name: build, matrix: {python: [3.10, '3.11'], os: [linux, macos]}, script: [make], outputs: [v]}"


def combinations(matrix: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Return the name and the values of each combination of a stage `t` with *matrix*."""
    plan = plan_of(f"[{{name: t, matrix: {matrix}, script: [make]}}]")
    return [(job.stage, job.combination.values) for job in plan.jobs if job.combination is not None]


def values(plan: Plan, stage: str) -> dict[str, str]:
    """Return what each reference in the script of *stage* comes to."""
    step = of(Commands, plan.job(stage))
    return {str(reference): shown(text) for line in step.lines for reference, text in line.values}


def test_a_combination_for_each_combination_in_the_order_of_the_axes() -> None:
    """Values are text as it is written: 3.10 is not 3.1."""
    assert combinations("{python: [3.10, '3.11'], os: [linux, true]}") == [
        ("t: 3.10, linux", (("python", "3.10"), ("os", "linux"))),
        ("t: 3.10, true", (("python", "3.10"), ("os", "true"))),
        ("t: 3.11, linux", (("python", "3.11"), ("os", "linux"))),
        ("t: 3.11, true", (("python", "3.11"), ("os", "true"))),
    ]


def test_what_is_excluded_and_included() -> None:
    """An exclude fits all combinations that have its values; an include may have other axes."""
    assert [
        name for name, _ in combinations("{a: [1, 2], b: [x, y], exclude: [{a: 1}], include: [{b: x, a: 1}, {c: z}]}")
    ] == [
        "t: 2, x",
        "t: 2, y",
        "t: x, 1",
        "t: z",
    ]


def test_a_job_knows_its_combination() -> None:
    """The stage as the user named it, and the values."""
    assert plan_of(f"[{BUILD}]").job("build: 3.11, macos").combination == Combination(
        "build", (("python", "3.11"), ("os", "macos"))
    )


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("''", "t: -"),
        ('" two\\n lines "', "t: two lines"),
        (f"'{'x' * 50}'", f"t: {'x' * 39}…"),
        ("'a / b: [c], ${d} \"e\"'", "t: a / b: [c], {d} e"),
    ],
)
def test_names_are_readable(value: str, name: str) -> None:
    """One line, not too long, never nothing."""
    assert [name for name, _ in combinations(f"{{a: [{value}]}}")] == [name]


def test_names_are_unique() -> None:
    """Also where values look alike, or another stage has the name."""
    plan = plan_of("[{name: t, matrix: {a: [x, ' x', 'x ']}, script: [make]}, {name: 't: x', script: [make]}]")

    assert [job.stage for job in plan.jobs] == ["t: x (2)", "t: x (3)", "t: x (4)", "t: x"]
    assert len({job.slug for job in plan.jobs}) == 4


def test_arcs_go_from_each_combination_to_each() -> None:
    """An arc to or from a matrix stage means all of its combinations."""
    plan = plan_of(f"[{{name: a, script: [make]}}, {BUILD}, {{name: z, script: [make]}}]", "[[a, build, z]]")
    names = [job.stage for job in plan.jobs if job.combination]

    assert plan.graph == ExecutionGraph([arc for name in names for arc in (["a", name], [name, "z"])])
    assert plan.frames == (("a",), tuple(names), ("z",))


def test_combinations_taken_from_another_stage_wait_for_their_own() -> None:
    """Through any number of stages, whichever way the arc goes."""
    plan = plan_of(
        "[{name: a, matrix: {x: [1, 2]}, script: [make], outputs: [v]}, {name: b, matrix: {from: a}, script: [make]}, "
        "{name: c, matrix: {from: b}, script: ['echo ${a.v} ${matrix.x}']}]",
        "[[a, b, c], [a, c]]",
    )

    assert plan.job("c: 2").needs == ("b: 2", "a: 2")
    assert values(plan, "c: 2") == {"${a.v}": "<stage a: 2.v>", "${matrix.x}": "2"}


def test_stages_that_take_their_combinations_from_one_are_not_combinations_of_each_other() -> None:
    """Between the two an arc means all."""
    plan = plan_of(
        "[{name: a, matrix: {x: [1, 2]}, script: [make]}, {name: b, matrix: {from: a}, script: [make]}, "
        "{name: c, matrix: {from: a}, script: [make]}]",
        "[[a, b, c]]",
    )

    assert plan.job("c: 1").needs == ("b: 1", "b: 2")


def test_axes_in_values_scripts_and_words() -> None:
    """Constant text everywhere; in a script it is a value like any other."""
    plan = plan_of(
        "[{name: t, matrix: {os: [linux, mac os]}, directory: 'd/${matrix.os}', artifacts: ['${matrix.os|x}'], "
        "env: {OS: 'on ${matrix.os}'}, script: ['make ${matrix.os}']}]"
    )
    job = plan.job("t: mac os")
    step = of(Commands, job)

    assert (job.directory, job.artifacts[0].path) == ("d/mac os", "d/mac os/mac os")
    assert {name: shown(value) for name, value in step.env} == {"OS": "on mac os"}
    assert values(plan, "t: mac os") == {"${matrix.os}": "mac os"}


def test_axes_in_services() -> None:
    """An image is text with references, an argument is a word."""
    services = "['redis:${matrix.v}', {image: 'db:${matrix.v}', alias: db, command: ['-v${matrix.v}']}]"
    plan = plan_of(f"[{{name: t, matrix: {{v: [1]}}, image: i, services: {services}, script: [make]}}]")
    first, second = plan.jobs[0].machine.services

    assert (shown(first.image), shown(second.image), second.command) == ("redis:1", "db:1", ("-v1",))


def test_a_value_is_no_reference() -> None:
    """What looks like one in an axis is text."""
    plan = plan_of("[{name: t, matrix: {a: ['${t.stage}', '${matrix.a}']}, env: {A: '${matrix.a}'}, script: [make]}]")

    assert [shown(of(Commands, job).env[0][1]) for job in plan.jobs] == ["${t.stage}", "${matrix.a}"]


def test_outputs_of_all_combinations_and_of_one() -> None:
    """One on a line in text; an item each in a list; brackets pick one."""
    plan = plan_of(
        f"[{BUILD}, {{name: z, script: ['echo ${{build.v|none}} ${{build[os=macos, python=3.10].v}}'], "
        "run: {image: '0123456789ab', arguments: {$each: v, $in: '${build.v}', $yield: '-${.v}'}}}]"
    )
    names = [job.stage for job in plan.jobs if job.combination]

    assert values(plan, "z") == {
        "${build.v}": "\n".join(f"<stage {name}.v|none>" for name in names),
        "${build[os=macos, python=3.10].v}": "<stage build: 3.10, macos.v>",
    }
    assert items(of(RunContainer, plan.job("z")).arguments) == [f"-<stage {name}.v>" for name in names]
    assert plan.job("z").needs == tuple(names)


def test_a_single_combination_is_a_list_too() -> None:
    """How many combinations there are does not change what a reference means."""
    plan = plan_of(
        "[{name: b, matrix: {x: [1]}, script: [make], outputs: [v]}, "
        "{name: z, run: {image: '0123456789ab', arguments: {$each: v, $in: '${b.v}'}}}]"
    )

    assert items(of(RunContainer, plan.job("z")).arguments) == ["<stage b: 1.v>"]


def test_a_combination_knows_its_own_name() -> None:
    """`${.stage}` is the combination's; the variant that it builds is the stage's."""
    plan = plan_of("[{name: t, matrix: {x: [1, 2]}, script: ['echo ${.stage} ${t.stage}']}]")

    assert values(plan, "t: 2") == {"${.stage}": "t: 2", "${t.stage}": "t: 2"}


def test_files_of_all_combinations() -> None:
    """Or of the same combination, where combinations are taken."""
    plan = plan_of(
        "[{name: a, matrix: {x: [1, 2]}, script: [make], artifacts: ['${matrix.x}']}, "
        "{name: b, matrix: {from: a}, script: [make], files_from: [a]}, "
        "{name: z, script: [make], files_from: [a]}]"
    )

    assert plan.job("b: 2").files == ("a: 2",)
    assert plan.job("z").files == ("a: 1", "a: 2")


def test_a_stage_may_be_named_matrix() -> None:
    """As in a config of PipelineLib, which knows none."""
    plan = plan_of("[{name: matrix, script: [make], outputs: [v]}, {name: z, script: ['echo ${matrix.v}']}]")

    assert values(plan, "z") == {"${matrix.v}": "<stage matrix.v>"}


def test_one_mistake_in_a_matrix_stage_is_told_once() -> None:
    """However many combinations it has."""
    stage = "{name: t, matrix: {x: [1, 2, 3]}, script: ['echo ${build.w} ${u.v}'], files_from: [build]}"

    assert wrong(f"[{BUILD}, {stage}, {{name: u, script: [x], outputs: [v]}}]") == [
        ("PG307", "${build.w}"),
        ("PG306", "${u.v}"),
        ("PG307", "build"),
    ]


def test_two_hundred_combinations() -> None:
    """And not one more."""
    axis = ", ".join(map(str, range(200)))

    assert len(plan_of(f"[{{name: t, matrix: {{x: [{axis}]}}, script: [make]}}]").jobs) == 200
    assert wrong(f"[{{name: t, matrix: {{x: [{axis}, 200]}}, script: [make]}}]") == [("PG411", "matrix")]


def test_huge_products_are_not_gone_through() -> None:
    """Ten axes of ten values."""
    axes = ", ".join(f"{name}: [{', '.join(map(str, range(10)))}]" for name in "abcdefghij")
    (found,) = reported(f"pipelines: {{p: {{stages: [{{name: t, matrix: {{{axes}}}, script: [make]}}]}}}}")

    assert found.message == 'the matrix of stage "t" has more than 100,000 combinations; the limit is 200'


def test_defaults_of_steps_for_a_combination() -> None:
    """The variant is the stage's; the tag tells the combinations apart, as a registry takes it."""
    plan = plan_of("[{name: t, matrix: {x: ['1 2']}, build: {context: .}, publish: {image: {name: n}}}]")
    (job,) = plan.jobs

    assert shown(of(BuildImage, job).variant) == "t"
    assert shown(of(PublishImage, job).tag) == "<setup setup.timestamp>-t-1-2"


def test_the_short_hand_in_a_matrix() -> None:
    """A stage with only a name builds the variant of that name in each combination; so does one with the default."""
    (plan,) = plans_of(
        "pipelines: {p: {defaults: {matrix: {x: [1, 2]}}, "
        "stages: [{name: unit}, {name: v, build: '${.stage}', matrix: {x: [1]}}]}}"
    )

    assert {job.stage: shown(of(BuildImage, job).variant) for job in plan.jobs} == {
        "unit: 1": "unit",
        "unit: 2": "unit",
        "v: 1": "v",
    }


def test_combinations_of_a_finally_stage() -> None:
    """Each runs last, and reads what came of all combinations of another stage."""
    (plan,) = plans_of(
        "pipelines: {p: {finally: [z], stages: [{name: t, matrix: {x: [1, 2]}, script: [make]}, "
        "{name: z, matrix: {to: [mail, chat]}, script: ['./tell ${matrix.to} ${t.status}']}]}}"
    )
    final = [job for job in plan.jobs if job.is_final]

    assert [job.stage for job in final] == ["z: mail", "z: chat"]
    assert [job.statuses for job in final] == [("t: 1", "t: 2")] * 2
    assert plan.graph.nodes == ("t: 1", "t: 2")
