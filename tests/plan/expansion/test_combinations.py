"""Matrix stages: their combinations, their arcs, and references to them."""

from __future__ import annotations

import pytest
from plan.sample_plans import items, of, plan_of, plans_of, reported, shown, wrong

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import BuildImage, Combination, Commands, Plan, PublishImage, RunContainer

BUILD = "{name: build, matrix: {python: [3.10, '3.11'], os: [linux, macos]}, script: [make], outputs: [v]}"


def combinations(matrix: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Return the name and the values of each combination of a stage `t` with *matrix*."""
    plan = plan_of(f"[{{name: t, matrix: {matrix}, script: [make]}}]")
    return [(job.stage, job.combination.values) for job in plan.jobs if job.combination is not None]


def values(plan: Plan, stage: str) -> dict[str, str]:
    """Return the value of each reference in the script of *stage*."""
    step = of(Commands, plan.job(stage))
    return {str(reference): shown(text) for line in step.lines for reference, text in line.values}


def test_combinations_are_in_the_order_of_the_axes() -> None:
    """Values are text as written: 3.10 is not 3.1."""
    assert combinations("{python: [3.10, '3.11'], os: [linux, true]}") == [
        ("t: 3.10, linux", (("python", "3.10"), ("os", "linux"))),
        ("t: 3.10, true", (("python", "3.10"), ("os", "true"))),
        ("t: 3.11, linux", (("python", "3.11"), ("os", "linux"))),
        ("t: 3.11, true", (("python", "3.11"), ("os", "true"))),
    ]


def test_exclude_removes_and_include_adds_combinations() -> None:
    """An exclude removes all combinations with its values; an include may have other axes."""
    assert [
        name for name, _ in combinations("{a: [1, 2], b: [x, y], exclude: [{a: 1}], include: [{b: x, a: 1}, {c: z}]}")
    ] == [
        "t: 2, x",
        "t: 2, y",
        "t: x, 1",
        "t: z",
    ]


def test_a_job_has_its_stage_and_axis_values() -> None:
    """The stage has the name that the user wrote."""
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
    """On one line, of limited length, never empty."""
    assert [name for name, _ in combinations(f"{{a: [{value}]}}")] == [name]


def test_names_are_unique() -> None:
    """Even if values look alike, or another stage has the name."""
    plan = plan_of("[{name: t, matrix: {a: [x, ' x', 'x ']}, script: [make]}, {name: 't: x', script: [make]}]")

    assert [job.stage for job in plan.jobs] == ["t: x (2)", "t: x (3)", "t: x (4)", "t: x"]
    assert len({job.slug for job in plan.jobs}) == 4


def test_arcs_go_from_each_combination_to_each() -> None:
    """An arc to or from a matrix stage means all of its combinations."""
    plan = plan_of(f"[{{name: a, script: [make]}}, {BUILD}, {{name: z, script: [make]}}]", "[[a, build, z]]")
    names = [job.stage for job in plan.jobs if job.combination]

    assert plan.graph == ExecutionGraph([arc for name in names for arc in (["a", name], [name, "z"])])
    assert plan.frames == (("a",), tuple(names), ("z",))


def test_equal_combinations_wait_only_for_each_other() -> None:
    """Across any number of stages, in both directions of arcs."""
    plan = plan_of(
        "[{name: a, matrix: {x: [1, 2]}, script: [make], outputs: [v]}, {name: b, matrix: {from: a}, script: [make]}, "
        "{name: c, matrix: {from: b}, script: ['echo ${a.v} ${matrix.x}']}]",
        "[[a, b, c], [a, c]]",
    )

    assert plan.job("c: 2").needs == ("b: 2", "a: 2")
    assert values(plan, "c: 2") == {"${a.v}": "<stage a: 2.v>", "${matrix.x}": "2"}


def test_two_matrices_that_share_axes_with_a_third_wait_for_all() -> None:
    """An arc between them means all combinations."""
    plan = plan_of(
        "[{name: a, matrix: {x: [1, 2]}, script: [make]}, {name: b, matrix: {from: a}, script: [make]}, "
        "{name: c, matrix: {from: a}, script: [make]}]",
        "[[a, b, c]]",
    )

    assert plan.job("c: 1").needs == ("b: 1", "b: 2")


def test_axes_are_resolved_in_values_scripts_and_words() -> None:
    """An axis is constant text; in a script it is a value like any other."""
    plan = plan_of(
        "[{name: t, matrix: {os: [linux, mac os]}, directory: 'd/${matrix.os}', artifacts: ['${matrix.os|x}'], "
        "env: {OS: 'on ${matrix.os}'}, script: ['make ${matrix.os}']}]"
    )
    job = plan.job("t: mac os")
    step = of(Commands, job)

    assert (job.directory, job.artifacts[0].path) == ("d/mac os", "d/mac os/mac os")
    assert {name: shown(value) for name, value in step.env} == {"OS": "on mac os"}
    assert values(plan, "t: mac os") == {"${matrix.os}": "mac os"}


def test_axes_are_resolved_in_services() -> None:
    """An image is text with references; an argument is a word."""
    services = "['redis:${matrix.v}', {image: 'db:${matrix.v}', alias: db, command: ['-v${matrix.v}']}]"
    plan = plan_of(f"[{{name: t, matrix: {{v: [1]}}, image: i, services: {services}, script: [make]}}]")
    first, second = plan.jobs[0].machine.services

    assert (shown(first.image), shown(second.image), second.command) == ("redis:1", "db:1", ("-v1",))


def test_axis_values_are_not_parsed_for_references() -> None:
    """Text that looks like a reference stays text; a value that only a run knows is an error."""
    plan = plan_of("[{name: t, matrix: {a: ['${x.stage}', '${HOME}']}, env: {A: '${matrix.a}'}, script: [make]}]")

    assert [shown(of(Commands, job).env[0][1]) for job in plan.jobs] == ["${x.stage}", "${HOME}"]
    assert wrong("[{name: t, matrix: {a: ['v${t.v}', '${setup.tag}']}, script: [make]}]") == [
        ("PG204", "${t.v}"),
        ("PG204", "${setup.tag}"),
    ]


def test_references_read_outputs_of_all_combinations_or_one() -> None:
    """In text, each is on a line; in a list, each is an item; brackets select one."""
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
    """References work in the same way for any number of combinations."""
    plan = plan_of(
        "[{name: b, matrix: {x: [1]}, script: [make], outputs: [v]}, "
        "{name: z, run: {image: '0123456789ab', arguments: {$each: v, $in: '${b.v}'}}}]"
    )

    assert items(of(RunContainer, plan.job("z")).arguments) == ["<stage b: 1.v>"]


def test_stage_is_the_name_of_the_combination() -> None:
    """`${.stage}` is the combination's name; the variant that it builds has the stage's name."""
    plan = plan_of("[{name: t, matrix: {x: [1, 2]}, script: ['echo ${.stage} ${t.stage}']}]")

    assert values(plan, "t: 2") == {"${.stage}": "t: 2", "${t.stage}": "t: 2"}


def test_files_come_from_all_combinations_or_the_same_one() -> None:
    """The same one, if the reader takes its combinations from that stage."""
    plan = plan_of(
        "[{name: a, matrix: {x: [1, 2]}, script: [make], artifacts: ['${matrix.x}']}, "
        "{name: b, matrix: {from: a}, script: [make], files_from: [a]}, "
        "{name: z, script: [make], files_from: [a]}]"
    )

    assert plan.job("b: 2").files == ("a: 2",)
    assert plan.job("z").files == ("a: 1", "a: 2")


def test_a_stage_may_be_named_matrix() -> None:
    """As in configs of PipelineLib, which has no matrix."""
    plan = plan_of("[{name: matrix, script: [make], outputs: [v]}, {name: z, script: ['echo ${matrix.v}']}]")

    assert values(plan, "z") == {"${matrix.v}": "<stage matrix.v>"}


def test_an_error_in_a_matrix_stage_is_reported_once() -> None:
    """For any number of combinations."""
    stage = "{name: t, matrix: {x: [1, 2, 3]}, script: ['echo ${build.w} ${u.v}'], files_from: [build]}"

    assert wrong(f"[{BUILD}, {stage}, {{name: u, script: [x], outputs: [v]}}]") == [
        ("PG307", "${build.w}"),
        ("PG306", "${u.v}"),
        ("PG307", "build"),
    ]


def test_the_limit_is_two_hundred_combinations() -> None:
    """One more is an error."""
    axis = ", ".join(map(str, range(200)))

    assert len(plan_of(f"[{{name: t, matrix: {{x: [{axis}]}}, script: [make]}}]").jobs) == 200
    assert wrong(f"[{{name: t, matrix: {{x: [{axis}, 200]}}, script: [make]}}]") == [("PG411", "matrix")]


def test_huge_products_are_not_computed() -> None:
    """Ten axes of ten values."""
    axes = ", ".join(f"{name}: [{', '.join(map(str, range(10)))}]" for name in "abcdefghij")
    (diagnostics,) = reported(f"pipelines: {{p: {{stages: [{{name: t, matrix: {{{axes}}}, script: [make]}}]}}}}")

    assert diagnostics.message == 'the matrix of stage "t" has more than 100,000 combinations; the limit is 200'


def test_combinations_have_default_variants_and_tags() -> None:
    """The variant is the stage's; the tag is unique to the combination and valid for registries."""
    plan = plan_of("[{name: t, matrix: {x: ['1 2']}, build: {context: .}, publish: {image: {name: n}}}]")
    (job,) = plan.jobs

    assert shown(of(BuildImage, job).variant) == "t"
    assert shown(of(PublishImage, job).tag) == "<setup setup.timestamp>-t-1-2"


def test_a_matrix_stage_without_steps_builds_its_variant() -> None:
    """A stage with only a name, or the default variant, builds the variant of that name in each combination."""
    (plan,) = plans_of(
        "pipelines: {p: {defaults: {matrix: {x: [1, 2]}}, "
        "stages: [{name: unit}, {name: v, build: '${.stage}', matrix: {x: [1]}}]}}"
    )

    assert {job.stage: shown(of(BuildImage, job).variant) for job in plan.jobs} == {
        "unit: 1": "unit",
        "unit: 2": "unit",
        "v: 1": "v",
    }


def test_combinations_of_a_finally_stage_run_last() -> None:
    """They read the results of all combinations of another stage."""
    (plan,) = plans_of(
        "pipelines: {p: {finally: [z], stages: [{name: t, matrix: {x: [1, 2]}, script: [make]}, "
        "{name: z, matrix: {to: [mail, chat]}, script: ['./tell ${matrix.to} ${t.status}']}]}}"
    )
    final = [job for job in plan.jobs if job.is_final]

    assert [job.stage for job in final] == ["z: mail", "z: chat"]
    assert [job.statuses for job in final] == [("t: 1", "t: 2")] * 2
    assert plan.graph.nodes == ("t: 1", "t: 2")


def test_plain_words_of_images_and_tools_contain_values_of_axes() -> None:
    """A Dockerfile, its arguments and the name of an installation can depend on the combination."""
    image = "{dockerfile: 'ci/${matrix.v}', build_args: {V: '${matrix.v}'}}"
    first, second = plan_of(f"[{{name: a, matrix: {{v: [1, 2]}}, script: x, image: {image}}}]").jobs
    tools = [
        job.machine.tools
        for job in plan_of("[{name: a, matrix: {v: [1, 2]}, script: x, tools: {jdk: '${matrix.v}'}}]").jobs
    ]

    files = [job.machine.image.file for job in (first, second) if job.machine.image is not None]
    assert [(file.path, file.arguments) for file in files if file is not None] == [
        ("ci/1", (("V", "1"),)),
        ("ci/2", (("V", "2"),)),
    ]
    assert tools == [(("jdk", "1"),), (("jdk", "2"),)]


TEST = "{name: test, matrix: {from: build}, script: [make]}"
DOCS = "{name: docs, script: [make]}"


@pytest.mark.parametrize(
    ("execution", "expected"),
    [
        (
            "[['build[python=3.10]', docs], [test]]",
            [("build: 3.10, linux", "docs"), ("build: 3.10, macos", "docs")],
        ),
        (
            "[[docs, 'build[os=linux, python=3.11]'], [test]]",
            [("docs", "build: 3.11, linux")],
        ),
        (
            "[[['build[python=3.10,os=linux]', 'build[python=3.11,os=macos]'], docs], [test]]",
            [("build: 3.10, linux", "docs"), ("build: 3.11, macos", "docs")],
        ),
        (
            "[['build[python=3.10,os=linux]', 'test[python=3.11,os=macos]'], [docs]]",
            [("build: 3.10, linux", "test: 3.11, macos")],
        ),
        (
            "[['build[os=linux]', 'build[os=macos]'], [docs, test]]",
            [
                *(
                    (f"build: {first}, linux", f"build: {last}, macos")
                    for first in ("3.10", "3.11")
                    for last in ("3.10", "3.11")
                ),
                *(("docs", f"test: {python}, {os}") for python in ("3.10", "3.11") for os in ("linux", "macos")),
            ],
        ),
    ],
)
def test_brackets_in_an_arc_select_combinations(execution: str, expected: list[tuple[str, str]]) -> None:
    """The arc connects exactly these, and the others run, too."""
    plan = plan_of(f"[{BUILD}, {TEST}, {DOCS}]", execution)

    assert sorted(plan.graph.arcs) == sorted(expected)
    assert len(plan.jobs) == 9


def test_a_stage_whose_name_ends_in_brackets_is_no_selection() -> None:
    """The name of a stage has precedence."""
    plan = plan_of("[{name: 'a[b=c]', script: [ls]}, {name: d, script: [ls]}]", "[['a[b=c]', d]]")

    assert plan.graph.arcs == (("a[b=c]", "d"),)


def test_combinations_that_wait_for_each_other_are_reported() -> None:
    """An order of single combinations of two stages may go back and forth, but not end where it began."""
    stages = f"[{BUILD}, {DOCS}]"
    plan = plan_of(stages, "[['build[os=linux]', docs, 'build[os=macos]']]")

    assert not plan.graph.cycles()
    assert [code for code, _ in wrong(stages, "[['build[os=linux]', docs, build]]")] == ["PG401"]
    assert [code for code, _ in wrong(stages, "[['build[os=linux]', 'build[python=3.10]'], [docs]]")] == ["PG401"]


def test_brackets_in_files_from_select_combinations() -> None:
    """The stage gets the files of these only."""
    build = "{name: build, matrix: {os: [linux, macos]}, script: [make], artifacts: ['${matrix.os}']}"
    plan = plan_of(f"[{build}, {{name: docs, script: [make], files_from: ['build[os=macos]']}}]")

    assert plan.job("docs").files == ("build: macos",)


def test_a_combination_gets_the_files_of_the_combinations_before_it() -> None:
    """With a name in `files_from` that also stands for others."""
    build = "{name: build, matrix: {os: [linux, macos]}, script: [make], artifacts: ['${matrix.os}']}"
    test = "{name: test, matrix: {os: [linux, macos], x: [y]}, script: [make], files_from: [build]}"
    arcs = "[['build[os=linux]', 'test[os=linux]'], ['build[os=macos]', 'test[os=macos]']]"
    plan = plan_of(f"[{build}, {test}]", arcs)

    assert plan.job("test: linux, y").files == ("build: linux",)
    assert plan.job("test: macos, y").files == ("build: macos",)
    assert [code for code, _ in wrong(f"[{build}, {test}]", "[['build[os=linux]', 'test[os=linux]']]")] == ["PG306"]


def test_a_variable_of_an_axis_is_not_set_in_combinations_without_it() -> None:
    """Only if it is nothing but the value of the axis: other text needs a default."""
    matrix = "matrix: {a: ['1'], include: [{a: '2', b: x}]}"
    plan = plan_of(f"[{{name: t, {matrix}, env: {{A: '${{matrix.a}}', B: '${{matrix.b}}'}}, script: [make]}}]")
    names = {job.stage: [name for name, _ in of(Commands, job).env] for job in plan.jobs}

    assert names == {"t: 1": ["A"], "t: 2, x": ["A", "B"]}
    assert [code for code, _ in wrong(f"[{{name: t, {matrix}, env: {{B: 'x${{matrix.b}}'}}, script: [make]}}]")] == [
        "PG347"
    ]
