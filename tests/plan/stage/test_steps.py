"""Steps with PipelineLib's defaults and short-hands: their order, build, exports and trigger."""

from __future__ import annotations

import pytest
from plan.sample_plans import items, job_of, kinds, of, plans_of, shown, step, wrong

from pipegen.bindings.expression import Constant, List, Loop
from pipegen.plan.model import (
    BlubberInline,
    BlubberPath,
    BuildImage,
    Export,
    RunContainer,
    TriggerJob,
)


def test_a_stage_with_only_a_name_builds_and_runs() -> None:
    """The variant of that name."""
    job = job_of("{name: lint}")
    build, run = job.steps

    assert isinstance(build, BuildImage)
    assert isinstance(run, RunContainer)
    assert (shown(build.variant), shown(run.image.id), run.image.producer) == ("lint", "<own lint.imageID>", "lint")


@pytest.mark.parametrize(
    "stage",
    [
        "{name: s, exports: {}}",
        "{name: s, notify: {}}",
        "{name: s, build: false, run: false}",
        "{name: s, copy: [], promote: []}",
    ],
)
def test_a_stage_with_any_other_key_has_no_default_steps(stage: str) -> None:
    """Even if it then has none."""
    assert kinds(stage) == []


def test_steps_run_in_a_fixed_order() -> None:
    """Regardless of the order of keys."""
    stage = """{trigger: {name: j}, exports: {x: '${setup.logURL}'}, deploy: {test: true}, promote: true,
        publish: {image: true}, copy: [a], run: true, build: x, name: s}"""

    assert kinds(stage) == [
        "BuildImage",
        "RunContainer",
        "Copy",
        "PublishImage",
        "Promote",
        "Deploy",
        "Export",
        "TriggerJob",
    ]


def test_build_as_text_is_the_variant() -> None:
    """Other settings have their defaults."""
    build = step(BuildImage, "build: test")

    assert (shown(build.variant), shown(build.context), shown(build.pull)) == ("test", ".", "always")
    assert (build.has_local_context, build.excludes) == (True, None)
    assert isinstance(build.blubberfile, BlubberPath)
    assert shown(build.blubberfile.path) == "p/blubber.yaml"


@pytest.mark.parametrize(
    ("value", "variant"),
    [
        ("{context: .}", "s"),
        ("{variant: ''}", "s"),
        ("1.10", "1.10"),
        ("true", "true"),
        ("'x-${.stage}'", "x-s"),
        ("{variant: '${setup.branch}'}", "<setup setup.branch>"),
        ("{$merge: a, $with: b}", "ab"),
    ],
)
def test_a_build_has_a_default_variant(value: str, variant: str) -> None:
    """It is the name of the stage."""
    assert shown(step(BuildImage, f"build: {value}").variant) == variant


def test_a_build_takes_a_context_and_excludes() -> None:
    """And a pull policy."""
    build = step(BuildImage, "build: {context: src, excludes: [a, '${setup.tag}'], imagePullPolicy: never}")

    assert (shown(build.context), items(build.excludes or ()), shown(build.pull)) == (
        "src",
        ["a", "<setup setup.tag>"],
        "never",
    )


def test_empty_excludes_have_no_effect() -> None:
    """They replace nothing, and are valid with a remote context."""
    assert step(BuildImage, "build: {excludes: [], context: 'https://x.org/y'}").excludes is None


@pytest.mark.parametrize(
    ("context", "is_local"),
    [
        ("src", True),
        ("./src", True),
        ("/src", True),
        ("${setup.branch}", True),
        ("https://example.org/x.git#main", False),
        ("git@example.org:x.git", False),
        ("github.com/x/y", False),
        ("ssh://${setup.branch}", False),
        ("https", True),
        ("a-b", True),
    ],
)
def test_a_remote_context_is_not_a_folder(context: str, is_local: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A text that starts like a URL is remote."""
    assert step(BuildImage, f"build: {{context: '{context}'}}").has_local_context is is_local


def test_excludes_of_a_remote_context_are_reported() -> None:
    """They would have no effect."""
    assert wrong("[{name: s, build: {context: 'https://x.org/y', excludes: [a]}}]") == [("PG507", "[a]")]


@pytest.mark.parametrize(
    ("pipeline", "stage", "path"),
    [
        ("", "", "p/blubber.yaml"),
        ("blubberfile: all.yaml,", "", "all.yaml"),
        ("", "blubberfile: own.yaml,", "own.yaml"),
        ("blubberfile: all.yaml,", "blubberfile: '${.stage}.yaml',", "s.yaml"),
    ],
)
def test_a_stages_blubberfile_overrides_its_pipelines(pipeline: str, stage: str, path: str) -> None:
    """The default is the one in the pipeline's folder."""
    (plan,) = plans_of(f"pipelines: {{p: {{{pipeline} stages: [{{{stage} name: s, build: x}}]}}}}")
    blubberfile = of(BuildImage, plan.jobs[0]).blubberfile

    assert isinstance(blubberfile, BlubberPath)
    assert shown(blubberfile.path) == path


def test_a_blubberfile_can_be_written_in_the_config() -> None:
    """With numbers as numbers, references and loops."""
    stage = "{name: s, build: x, blubberfile: {a: 1, b: {$each: i, $in: '${setup.tag}'}, '${.stage}': '${setup.tag}'}}"
    blubberfile = of(BuildImage, job_of(stage)).blubberfile

    assert isinstance(blubberfile, BlubberInline)
    assert [shown(key) for key, _ in blubberfile.document.entries] == ["a", "b", "s"]
    number, loop, _ = (value for _, value in blubberfile.document.entries)
    assert isinstance(number, Constant)
    assert number.value == 1
    assert isinstance(loop, List)
    assert isinstance(loop.items[0], Loop)


def test_a_merged_blubberfile_is_one_map() -> None:
    """As in real configs."""
    stage = "{name: s, build: x, blubberfile: {$merge: {version: v4, a: {b: 1}}, $with: {a: {c: 2}}}}"
    blubberfile = of(BuildImage, job_of(stage)).blubberfile

    assert isinstance(blubberfile, BlubberInline)
    assert [shown(key) for key, _ in blubberfile.document.entries] == ["version", "a"]


def test_an_export_that_joins_bindings_is_not_a_step() -> None:
    """Its readers read the bindings."""
    assert kinds("{name: s, build: x, exports: {a: '${.imageID}', b: 'x${.a}', c: '${setup.tag}'}}") == ["BuildImage"]


def test_an_export_that_differs_between_jobs_is_a_step() -> None:
    """On some engines, each job has its own log URL."""
    steps = step(Export, "exports: {log: 'see ${setup.logURL}'}")

    assert (steps.name, shown(steps.value)) == ("log", "see <setup setup.logURL>")


def test_a_trigger_does_not_wait_and_propagates_failures() -> None:
    """By default."""
    trigger = step(TriggerJob, "trigger: {name: other}")

    assert (trigger.name.value, trigger.parameters, trigger.propagate, trigger.wait) == ("other", (), True, False)


def test_a_trigger_takes_parameters() -> None:
    """In the user's order, with all outputs of the stage."""
    trigger = step(
        TriggerJob,
        """build: x, exports: {e: v}, trigger: {name: o, parameters: {B: '${.imageID}', A: '${.e}', C: 1}, wait: true,
        propagate: false}""",
    )

    assert [(name, shown(value)) for name, value in trigger.parameters] == [
        ("B", "<own s.imageID>"),
        ("A", "v"),
        ("C", "1"),
    ]
    assert (trigger.propagate, trigger.wait) == (False, True)


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        ("{name: s, run: true}", "PG311"),
        ("{name: s, publish: {image: true}}", "PG311"),
        ("{name: s, deploy: {test: true}}", "PG312"),
        ("{name: s, promote: true}", "PG312"),
        ("{name: s, copy: [a]}", "PG317"),
    ],
)
def test_a_default_that_reads_a_missing_output_is_reported(stage: str, code: str) -> None:
    """The one message is at the step and about the step."""
    (diagnostics,) = wrong(f"[{stage}]")

    assert diagnostics[0] == code
    assert diagnostics[1] in {"run", "image", "deploy", "promote", "copy"}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("run: {arguments: {$merge: {a: 1}, $with: {b: 2}}}", "PG508"),
        ("run: {arguments: {$merge: a, $with: b}}", "PG508"),
        ("run: {env: {$each: i, $in: a}}", "PG508"),
        ("run: {arguments: [{$each: i, $in: a}]}", "PG508"),
        ("build: {variant: {$each: i, $in: a}}", "PG508"),
        ("publish: {image: {tags: [{$merge: [a], $with: [b]}]}}", "PG508"),
    ],
)
def test_a_value_of_the_wrong_kind_is_reported(value: str, code: str) -> None:
    """The schema accepts an operator wherever a value is valid."""
    build = "" if value.startswith("build") else "build: x, "

    assert [reported_code for reported_code, _ in wrong(f"[{{name: s, {build}{value}}}]")] == [code]
