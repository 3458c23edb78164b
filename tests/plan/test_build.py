"""Jobs: what they need, read, bind, and want of each other."""

from __future__ import annotations

import pytest
from plan.planned import job_of, of, plan_of, plans_of, reported, shown, wrong

from pipegen.bindings.expression import Text
from pipegen.plan.model import Export, FetchOptions, Output, RunContainer, Selection, SharedResources, Workspace


def outputs(found: tuple[Output, ...]) -> list[str]:
    """Return outputs as `stage.name`."""
    return [str(output) for output in found]


def argument(stages: str, stage: str, execution: str = "") -> str:
    """Return the first argument that *stage* runs with."""
    value = of(RunContainer, plan_of(stages, execution).job(stage)).arguments[0]
    assert isinstance(value, Text)
    return shown(value)


def test_needs_are_the_arcs_direct_predecessors() -> None:
    """In the order in which the arcs name them, however redundant."""
    plan = plan_of("[{name: a}, {name: b}, {name: c}]", "[[b, c], [a, c], [a, b]]")

    assert [(job.stage, job.needs) for job in plan.jobs] == [("a", ()), ("b", ("a",)), ("c", ("b", "a"))]


def test_jobs_are_in_the_users_order() -> None:
    """Frames tell the order of running."""
    plan = plan_of("[{name: c}, {name: a}, {name: b}]", "[[a, b, c]]")

    assert [(job.stage, job.frame) for job in plan.jobs] == [("c", 2), ("a", 0), ("b", 1)]


def test_a_job_knows_the_line_of_its_name() -> None:
    """So that a target can point at it."""
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
def test_what_a_stage_binds(stage: str, binds: tuple[str, ...]) -> None:
    """In the order of its steps, without its name."""
    assert job_of(stage).binds == binds


@pytest.mark.parametrize("name", ["imageID", "container", "stage", "status"])
def test_an_export_binds_no_name_again(name: str) -> None:
    """Neither a step's nor pipegen's own."""
    assert wrong(f"[{{name: s, build: x, run: true, exports: {{{name}: y}}}}]") == [("PG309", name)]


def test_an_export_may_have_the_name_of_a_step() -> None:
    """It is bound in its own time."""
    assert job_of("{name: s, build: x, exports: {build: '1', deploy: '${.build}'}}").binds[-2:] == ("build", "deploy")
    assert wrong("[{name: s, build: x, run: {arguments: ['${.build}']}, exports: {build: '1'}}]") == [
        ("PG308", "${.build}")
    ]


CHAIN = """[{name: a, build: x}, {name: b, exports: {one: 'i-${a.imageID}'}}, {name: c, exports: {two: '<${b.one}>'}},
    {name: d, build: y, run: {arguments: ['${c.two}', '${c.two|none}', '${b.stage}']}}]"""


def test_reads_are_in_the_order_in_which_they_are_written() -> None:
    """Whatever the order in which a stage's steps and keys are looked at; each once, at its first place."""
    run = "run: {arguments: ['${a.output}'], env: {X: '${a.imageID}', Y: '${a.output}'}, image: '${a.imageID}'}"
    a = "{name: a, build: x, run: {tail: 1}}"
    plan = plan_of(f"[{a}, {{name: b, exports: {{e: '${{a.container}}'}}, {run}, build: '${{a.stage}}'}}]")

    assert outputs(plan.job("b").reads) == ["a.container", "a.output", "a.imageID", "a.stage"]


def test_reads_are_what_the_user_wrote_and_inputs_what_travels() -> None:
    """An export that joins others is looked through, over several stages."""
    job = plan_of(CHAIN).job("d")

    assert outputs(job.reads) == ["c.two", "b.stage"]
    assert outputs(job.inputs) == ["a.imageID"]


def test_only_outputs_that_travel_are_kept() -> None:
    """Of the stage that measured them."""
    assert [(job.stage, job.outputs) for job in plan_of(CHAIN).jobs] == [
        ("a", ("imageID",)),
        ("b", ()),
        ("c", ()),
        ("d", ()),
    ]


def test_a_forwarded_export_is_put_in_where_it_is_read() -> None:
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
def test_a_default_goes_with_a_forwarded_export(export: str, read: str, expected: str) -> None:
    """It stands where all of it comes out empty."""
    stages = (
        f"[{{name: a, build: x, exports: {{e: '{export}'}}}}, {{name: b, build: x, run: {{arguments: ['{read}']}}}}]"
    )

    assert argument(stages, "b") == expected


def test_a_default_holds_a_joined_export_together_through_another() -> None:
    """The default of a default."""
    stages = """[{name: a, build: x, exports: {e: '${.imageID}${setup.tag}'}}, {name: b, exports: {f: '${a.e|d}'}},
        {name: c, build: x, run: {arguments: ['${b.f|z}']}}]"""

    assert argument(stages, "c") == "((<stage a.imageID><setup setup.tag>|d)|z)"


def test_an_export_of_ones_own_is_read_by_later_ones() -> None:
    """As what it joins."""
    job = job_of(
        """{name: s, build: x, exports: {a: '${.imageID}', b: '${.a}-${a}'},
        trigger: {name: t, parameters: {P: '${.b}'}}}"""
    )

    assert shown(job.steps[-1].parameters[0][1]) == "<own s.imageID>-<own s.imageID>"  # type: ignore[union-attr] # the trigger


def test_an_export_that_is_no_text_alone_is_a_step_and_travels() -> None:
    """The log's URL is each job's own."""
    plan = plan_of("[{name: a, exports: {u: '${setup.logURL}'}}, {name: b, build: x, run: {arguments: ['${a.u}']}}]")

    assert of(Export, plan.job("a")).name == "u"
    assert (plan.job("a").outputs, outputs(plan.job("b").inputs)) == (("u",), ["a.u"])


def test_a_mail_reads_too() -> None:
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
def test_a_directory_is_one_of_the_repository(directory: str, hint: str) -> None:
    """Also where the graph has a cycle."""
    for execution in ("[[a, b]]", "[[a, b], [b, a]]"):
        stages = "stages: [{name: a}, {name: b}]"
        found = reported(f"pipelines: {{p: {{directory: {directory}, execution: {execution}, {stages}}}}}")

        assert (found[0].code.number, found[0].hint) == ("PG505", hint)


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
def test_what_outlives_a_job_is_what_others_use(reader: str, expected: SharedResources) -> None:
    """Its image, its container, its release."""
    plan = plan_of(
        f"[{{name: a, build: x, run: true, publish: {{image: true}}, deploy: {{test: true}}}}, {{name: b, {reader}}}]"
    )

    assert plan.job("a").shared == expected


def test_the_container_of_another_stage_is_shared_by_its_paths() -> None:
    """Only files travel out of it, each path once."""
    copy = "copy: [{from: '${a.container}', source: x}, {from: '${a.container}', source: y}]"
    plan = plan_of(f"[{{name: a}}, {{name: b, {copy}}}, {{name: c, {copy}}}]")

    assert [shown(path) for path in plan.job("a").shared.container_paths] == ["x", "y"]
    assert (plan.job("a").shared.container, plan.job("a").outputs) == (True, ())
    assert (plan.job("b").containers, plan.job("b").inputs) == (("a",), ())


def test_images_are_shared_through_exports() -> None:
    """What an export joins is what is used."""
    plan = plan_of("[{name: a, build: x, exports: {i: '${.imageID}'}}, {name: b, run: {image: '${a.i}'}}]")

    assert plan.job("a").shared == SharedResources(image=True)
    assert of(RunContainer, plan.job("b")).image.producer == "a"


@pytest.mark.parametrize(
    ("fetch", "expected"),
    [
        ("", None),
        ("fetch: {},", FetchOptions(depth=20, submodules=True, tags=False)),
        ("fetch: {depth: 5, submodules: false, tags: true},", FetchOptions(depth=5, submodules=False, tags=True)),
        ("fetch: {shallow: false},", FetchOptions(depth=None, submodules=True, tags=False)),
        ("fetch: {shallow: false, depth: 3},", FetchOptions(depth=None, submodules=True, tags=False)),
    ],
)
def test_fetch_has_pipelinelibs_defaults(fetch: str, expected: FetchOptions | None) -> None:
    """Once it is said at all."""
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
def test_a_pipeline_says_where_stages_run(pipeline: str, workspace: Workspace, directory: str) -> None:
    """In a folder of the checkout, which they share or not."""
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
def test_of_several_pipelines_one_with_effects_waits_to_be_asked_for(stage: str, verb: str) -> None:
    """And a note says so; alone, or chosen, it runs."""
    config = f"pipelines: {{p: {{stages: [{{name: a}}]}}, q: {{stages: [{{name: b, {stage}}}]}}}}"
    alone = f"pipelines: {{q: {{stages: [{{name: b, {stage}}}]}}}}"
    (found,) = reported(config)

    assert [plan.selection for plan in plans_of(config)] == [Selection.ALWAYS, Selection.ON_DEMAND]
    assert [plan.selection for plan in plans_of(config, "q")] == [Selection.ALWAYS]
    assert [plan.selection for plan in plans_of(alone)] == [Selection.ALWAYS]
    assert (found.code.number, found.message.endswith(verb)) == ("PG501", True)


def test_stages_of_a_name_have_slugs_of_their_own() -> None:
    """In the whole file; long and odd names are told apart too."""
    names = ("A b", "a.b", "a_b", "…", "é", "x" * 60, "x" * 61)
    one = plan_of(f"[{', '.join(f'{{name: {name}}}' for name in names)}]")
    two = plans_of("pipelines: {p: {stages: [{name: a}]}, q: {stages: [{name: a}]}, p-: {stages: [{name: a}]}}")

    assert [job.slug for job in one.jobs] == ["a-b", "a-b-2", "a-b-3", "stage", "stage-2", "x" * 40, f"{'x' * 40}-2"]
    assert [plan.jobs[0].slug for plan in two] == ["p-a", "q-a", "p-a-2"]


def test_a_slug_is_never_taken_twice() -> None:
    """Not even by a stage that is named like a numbered one."""
    plan = plan_of("[{name: a}, {name: a-2}, {name: A}, {name: A-2}]")

    assert len({job.slug for job in plan.jobs}) == 4
