"""Jobs: their needs, reads, bound names, and shared resources."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, of, plan_of, plans_of, reported, shown, wrong

from pipegen.bindings.expression import Text
from pipegen.plan.model import (
    Export,
    FetchOptions,
    Output,
    RunContainer,
    Selection,
    SharedResources,
    Submodules,
    Workspace,
)


def outputs(pairs: tuple[Output, ...]) -> list[str]:
    """Return outputs as `stage.name`."""
    return [str(output) for output in pairs]


def argument(stages: str, stage: str, execution: str = "") -> str:
    """Return the first argument that *stage* runs with."""
    value = of(RunContainer, plan_of(stages, execution).job(stage)).arguments[0]
    assert isinstance(value, Text)
    return shown(value)


def test_needs_are_the_arcs_direct_predecessors() -> None:
    """In the order of the arcs, including redundant ones."""
    plan = plan_of("[{name: a}, {name: b}, {name: c}]", "[[b, c], [a, c], [a, b]]")

    assert [(job.stage, job.needs) for job in plan.jobs] == [("a", ()), ("b", ("a",)), ("c", ("b", "a"))]


def test_jobs_are_in_the_users_order() -> None:
    """Frames have the order of running."""
    plan = plan_of("[{name: c}, {name: a}, {name: b}]", "[[a, b, c]]")

    assert [(job.stage, job.frame) for job in plan.jobs] == [("c", 2), ("a", 0), ("b", 1)]


def test_a_job_has_the_span_of_its_name() -> None:
    """So that a target can point to it."""
    assert job_of("{build: x, name: s}").span.text == "s"


@pytest.mark.parametrize(
    ("stage", "binds"),
    [
        ("{name: s, exports: {}}", ()),
        ("{name: s}", ("imageID", "imageLocalName", "container", "output")),
        ("{name: s, build: x}", ("imageID", "imageLocalName")),
        (
            "{name: s, build: x, run: true, copy: [a]}",
            ("imageID", "imageLocalName", "container", "output", "artifactURLs"),
        ),
        (
            "{name: s, build: x, publish: {image: true}, deploy: {test: true}, exports: {b: '1', a: '2'}}",
            (
                *("imageID", "imageLocalName"),
                *("imageName", "imageFullName", "imageTag", "imageTags", "publishedImage"),
                *("releaseName", "b", "a"),
            ),
        ),
    ],
)
def test_names_that_a_stage_binds(stage: str, binds: tuple[str, ...]) -> None:
    """In the order of its steps, without its own name."""
    assert job_of(stage).binds == binds


@pytest.mark.parametrize("name", ["imageID", "container", "stage", "status"])
def test_an_export_binds_no_name_again(name: str) -> None:
    """Neither a step's nor one of pipegen's."""
    assert wrong(f"[{{name: s, build: x, run: true, exports: {{{name}: y}}}}]") == [("PG309", name)]


def test_an_export_may_have_the_name_of_a_step() -> None:
    """Its value is the one at its position."""
    assert job_of("{name: s, build: x, exports: {build: '1', deploy: '${.build}'}}").binds[-2:] == ("build", "deploy")
    assert wrong("[{name: s, build: x, run: {arguments: ['${.build}']}, exports: {build: '1'}}]") == [
        ("PG308", "${.build}")
    ]


CHAIN = """[{name: a, build: x}, {name: b, exports: {one: 'i-${a.imageID}'}}, {name: c, exports: {two: '<${b.one}>'}},
    {name: d, build: y, run: {arguments: ['${c.two}', '${c.two|none}', '${b.stage}']}}]"""


def test_reads_are_in_the_order_of_the_file() -> None:
    """Regardless of the order of a stage's steps and keys; each once, at its first location."""
    run = "run: {arguments: ['${a.output}'], env: {X: '${a.imageID}', Y: '${a.output}'}, image: '${a.imageID}'}"
    a = "{name: a, build: x, run: {tail: 1}}"
    plan = plan_of(f"[{a}, {{name: b, exports: {{e: '${{a.container}}'}}, {run}, build: '${{a.stage}}'}}]")

    assert outputs(plan.job("b").reads) == ["a.container", "a.output", "a.imageID", "a.stage"]


def test_reads_are_as_written_and_inputs_are_resolved() -> None:
    """Forwarded exports are resolved over several stages."""
    job = plan_of(CHAIN).job("d")

    assert outputs(job.reads) == ["c.two", "b.stage"]
    assert outputs(job.inputs) == ["a.imageID"]


def test_only_outputs_that_jobs_read_are_passed_on() -> None:
    """By the stage that measures them."""
    assert [(job.stage, job.outputs) for job in plan_of(CHAIN).jobs] == [
        ("a", ("imageID",)),
        ("b", ()),
        ("c", ()),
        ("d", ()),
    ]


def test_a_forwarded_export_replaces_its_references() -> None:
    """A text that is never empty needs no default."""
    run = of(RunContainer, plan_of(CHAIN).job("d"))

    assert [shown(value) for value in run.arguments] == [
        "<i-<stage a.imageID>>",
        "<i-<stage a.imageID>>",
        "b",
    ]


@pytest.mark.parametrize(
    ("export", "read", "expected"),
    [
        ("${.imageID}", "${a.e}", "<stage a.imageID>"),
        ("${.imageID}", "${a.e|d}", "<stage a.imageID|d>"),
        ("${.imageID|x}", "${a.e}", "<stage a.imageID|x>"),
        ("${.imageID|x}", "${a.e|d}", "<stage a.imageID|x>"),
        ("${.imageID|}", "${a.e|d}", "<stage a.imageID|d>"),
        ("${.imageID}${setup.tag}", "${a.e|d}", "(<stage a.imageID><setup setup.tag>|d)"),
        ("${.imageID}-", "${a.e|d}", "<stage a.imageID>-"),
        ("", "${a.e|d}", "d"),
        ("v", "${a.e|d}", "v"),
        ("${setup.pipeline}/${.stage}", "${a.e}", "p/a"),
        ("${setup.logURL}", "${a.e|d}", "<stage a.e|d>"),
        ("${FOO}", "${a.e}", "${FOO}"),
    ],
)
def test_a_default_applies_to_a_forwarded_export(export: str, read: str, expected: str) -> None:
    """It replaces the value if all of it is empty."""
    stages = (
        f"[{{name: a, build: x, exports: {{e: '{export}'}}}}, {{name: b, build: x, run: {{arguments: ['{read}']}}}}]"
    )

    assert argument(stages, "b") == expected


def test_a_default_applies_to_a_joined_export_as_a_whole() -> None:
    """The default of a default."""
    stages = """[{name: a, build: x, exports: {e: '${.imageID}${setup.tag}'}}, {name: b, exports: {f: '${a.e|d}'}},
        {name: c, build: x, run: {arguments: ['${b.f|z}']}}]"""

    assert argument(stages, "c") == "((<stage a.imageID><setup setup.tag>|d)|z)"


def test_later_exports_read_earlier_ones() -> None:
    """As the bindings that they join."""
    job = job_of(
        """{name: s, build: x, exports: {a: '${.imageID}', b: '${.a}-${a}'},
        trigger: {name: t, parameters: {P: '${.b}'}}}"""
    )

    assert shown(job.steps[-1].parameters[0][1]) == "<own s.imageID>-<own s.imageID>"  # type: ignore[union-attr] # the trigger


def test_an_export_with_a_run_time_value_is_a_step() -> None:
    """Each job has its own log URL."""
    plan = plan_of("[{name: a, exports: {u: '${setup.logURL}'}}, {name: b, build: x, run: {arguments: ['${a.u}']}}]")

    assert of(Export, plan.job("a")).name == "u"
    assert (plan.job("a").outputs, outputs(plan.job("b").inputs)) == (("u",), ["a.u"])


def test_a_mail_reads_outputs() -> None:
    """Outputs of earlier stages."""
    plan = plan_of("[{name: a}, {name: b, notify: {email: {to: x, body: '${a.imageID}'}}}]")

    assert outputs(plan.job("b").inputs) == ["a.imageID"]


@pytest.mark.parametrize(
    ("directory", "hint"),
    [
        ("/src", 'write "src": a directory is relative to the root of the repository'),
        ("/", 'write ".": a directory is relative to the root of the repository'),
        ("a/../../b", "use a directory in the repository, relative to its root"),
        ("..", "use a directory in the repository, relative to its root"),
    ],
)
def test_a_directory_is_in_the_repository(directory: str, hint: str) -> None:
    """Even if the graph has a cycle."""
    for execution in ("[[a, b]]", "[[a, b], [b, a]]"):
        stages = "stages: [{name: a}, {name: b}]"
        diagnostics = reported(f"pipelines: {{p: {{directory: {directory}, execution: {execution}, {stages}}}}}")

        assert (diagnostics[0].code.number, diagnostics[0].hint) == ("PG505", hint)


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        ("run: {image: '${a.imageID}'}", SharedResources(image=True)),
        ("build: x, publish: {image: {id: '${a.imageID}'}}", SharedResources(image=True)),
        ("build: x, run: {arguments: ['${a.imageLocalName}']}", SharedResources(image=True)),
        ("build: x, run: {arguments: ['${a.container}']}", SharedResources(container=True)),
        ("build: x, run: {arguments: ['${a.releaseName}']}", SharedResources(release=True)),
        ("build: x, run: {arguments: ['${a.imageName}']}", SharedResources()),
        ("exports: {}", SharedResources()),
    ],
)
def test_shared_resources_are_the_ones_that_others_use(reader: str, expected: SharedResources) -> None:
    """They are its image, its container and its release."""
    plan = plan_of(
        f"[{{name: a, build: x, run: true, publish: {{image: true}}, deploy: {{test: true}}}}, {{name: b, {reader}}}]"
    )

    assert plan.job("a").shared == expected


def test_the_container_of_another_stage_is_shared_by_its_paths() -> None:
    """Only files are copied out of it, each path once."""
    copy = "copy: [{from: '${a.container}', source: x}, {from: '${a.container}', source: y}]"
    plan = plan_of(f"[{{name: a}}, {{name: b, {copy}}}, {{name: c, {copy}}}]")

    assert [shown(path) for path in plan.job("a").shared.container_paths] == ["x", "y"]
    assert (plan.job("a").shared.container, plan.job("a").outputs) == (True, ())
    assert (plan.job("b").containers, plan.job("b").inputs) == (("a",), ())


def test_images_are_shared_through_exports() -> None:
    """The image in an export is shared."""
    plan = plan_of("[{name: a, build: x, exports: {i: '${.imageID}'}}, {name: b, run: {image: '${a.i}'}}]")

    assert plan.job("a").shared == SharedResources(image=True)
    assert of(RunContainer, plan.job("b")).image.producer == "a"


@pytest.mark.parametrize(
    ("fetch", "expected"),
    [
        ("", None),
        ("fetch: {},", FetchOptions(depth=20, submodules=Submodules.ALL, tags=False)),
        (
            "fetch: {depth: 5, submodules: false, tags: true},",
            FetchOptions(depth=5, submodules=Submodules.NONE, tags=True),
        ),
        ("fetch: {shallow: false},", FetchOptions(depth=None, submodules=Submodules.ALL, tags=False)),
        (
            "fetch: {clone: true, path: app, submodules: direct, submodule_depth: 1},",
            FetchOptions(depth=20, submodules=Submodules.DIRECT, tags=False, submodule_depth=1, clone=True, path="app"),
        ),
        ("fetch: {shallow: false, depth: 3},", FetchOptions(depth=None, submodules=Submodules.ALL, tags=False)),
    ],
)
def test_fetch_has_pipelinelibs_defaults(fetch: str, expected: FetchOptions | None) -> None:
    """If the key is present."""
    (plan,) = plans_of(f"pipelines: {{p: {{{fetch} stages: [{{name: a}}]}}}}")

    assert plan.fetch == expected


@pytest.mark.parametrize(
    ("pipeline", "workspace", "directory"),
    [
        ("", Workspace.ISOLATED, "."),
        ("workspace: isolated,", Workspace.ISOLATED, "."),
        ("workspace: shared, directory: ./a//b/,", Workspace.SHARED, "a/b"),
        ("directory: '.',", Workspace.ISOLATED, "."),
    ],
)
def test_a_pipeline_sets_workspace_and_directory(pipeline: str, workspace: Workspace, directory: str) -> None:
    """A folder of the checkout, shared or isolated."""
    (plan,) = plans_of(f"pipelines: {{p: {{{pipeline} stages: [{{name: a}}]}}}}")

    assert (plan.workspace, plan.jobs[0].directory) == (workspace, directory)


@pytest.mark.parametrize(
    ("stage", "verb"),
    [
        ("build: x, publish: {image: true}", "publishes"),
        ("promote: [{version: '1'}]", "promotes"),
        ("deploy: {image: i, tag: t}", "deploys"),
        ("trigger: {name: t}", "triggers another job"),
    ],
)
def test_of_several_pipelines_one_with_effects_is_on_demand(stage: str, verb: str) -> None:
    """A note reports it; alone, or chosen, it runs."""
    config = f"pipelines: {{p: {{stages: [{{name: a}}]}}, q: {{stages: [{{name: b, {stage}}}]}}}}"
    single = f"pipelines: {{q: {{stages: [{{name: b, {stage}}}]}}}}"
    (diagnostic,) = reported(config)

    assert [plan.selection for plan in plans_of(config)] == [Selection.ALWAYS, Selection.ON_DEMAND]
    assert [plan.selection for plan in plans_of(config, "q")] == [Selection.ALWAYS]
    assert [plan.selection for plan in plans_of(single)] == [Selection.ALWAYS]
    assert (diagnostic.code.number, diagnostic.message.endswith(verb)) == ("PG501", True)


def test_stages_of_the_same_name_have_different_slugs() -> None:
    """In the whole file, including long and unusual names."""
    names = ("A b", "a.b", "a_b", "…", "é", "x" * 60, "x" * 61)
    sample = plan_of(f"[{', '.join(f'{{name: {name}}}' for name in names)}]")
    plans = plans_of("pipelines: {p: {stages: [{name: a}]}, q: {stages: [{name: a}]}, p-: {stages: [{name: a}]}}")

    assert [job.slug for job in sample.jobs] == ["a-b", "a-b-2", "a-b-3", "stage", "stage-2", "x" * 40, f"{'x' * 40}-2"]
    assert [plan.jobs[0].slug for plan in plans] == ["p-a", "q-a", "p-a-2"]


def test_slugs_are_unique() -> None:
    """Even if a stage is named like a numbered slug."""
    plan = plan_of("[{name: a}, {name: a-2}, {name: A}, {name: A-2}]")

    assert len({job.slug for job in plan.jobs}) == 4


def test_all_combinations_have_an_output_that_is_read_of_one() -> None:
    """So their scripts are the same. Images are only left where they are used, and so are outputs of other stages."""
    made = "matrix: {v: [a, b]}, script: make, outputs: {size: {command: du}, unread: {command: x}}, build: image"
    end = "script: 'x \"${make[v=a].size}\"'}, {name: last, run: {image: '${make[v=a].imageID}'}"
    other = "script: x, outputs: {size: {command: du}}"
    plan = plan_of(f"[{{name: make, {made}}}, {{name: other, {other}}}, {{name: end, {end}}}]")

    assert [(job.stage, job.outputs) for job in plan.jobs] == [
        ("make: a", ("size", "imageID")),
        ("make: b", ("size",)),
        ("other", ()),
        ("end", ()),
        ("last", ()),
    ]
