"""The choice of a style, and its diagnostics."""

from __future__ import annotations

import pytest
from targets.jenkins.sample_plans import DIAMOND, SPAN, jenkinsfile, lowered, mail, plan, scripts, text

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import TriggerJob, Workspace
from pipegen.source.text import Located
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import PlanScripts

SHARED = Workspace.SHARED


def row(count: int) -> PlanScripts:
    """Return *count* stages in sequence."""
    return scripts(plan([f"s{number}" for number in range(count)]))


def shared(work: PlanScripts) -> PlanScripts:
    """Return *work* with a shared workspace."""
    return replace(work, plan=replace(work.plan, workspace=SHARED))


@pytest.mark.parametrize(
    ("arcs", "expected"),
    [
        ((("a", "b", "c"),), model.Declarative),
        ((("a", "b", "d"), ("a", "c", "d")), model.Declarative),
        ((("a", "b"), ("c", "d")), model.Declarative),
        (DIAMOND, model.ScriptedPipelines),
    ],
)
def test_auto_is_declarative_if_blocks_are_exact(arcs: tuple[tuple[str, ...], ...], expected: type) -> None:
    """For sequences of parallel chains; other graphs are scripted."""
    assert isinstance(lowered(scripts(plan(*arcs))).body, expected)


@pytest.mark.parametrize(
    ("arcs", "expected"),
    [
        ((("a", "b", "d"), ("a", "c", "d")), model.Declarative),
        ((("a",), ("b", "c")), model.ScriptedPipelines),
        ((("a", "b", "d"), ("c", "d")), model.ScriptedPipelines),
    ],
)
def test_fail_fast_is_scripted_if_a_stage_may_start_after_a_failure_of_another(
    arcs: tuple[tuple[str, ...], ...], expected: type
) -> None:
    """In layers, the stages that do not wait for the one that fails have started with it."""
    work = scripts(plan(*arcs))
    failing = replace(work, plan=replace(work.plan, is_fail_fast=True))

    body = lowered(failing).body

    assert isinstance(body, expected)
    assert isinstance(lowered(work).body, model.Declarative)
    assert ("failFast" in jenkinsfile(failing)) == (expected is model.ScriptedPipelines)


def test_several_pipelines_count_as_one_graph() -> None:
    """Two parallel chains are exact; a fork next to a chain is not."""
    chains = [scripts(plan(("a", "b"), name=name)) for name in ("one", "two")]
    fork = scripts(plan(("a", "b"), ("a", "c"), name="three"))

    assert isinstance(lowered(*chains).body, model.Declarative)
    assert isinstance(lowered(*chains, fork).body, model.ScriptedPipelines)


def test_auto_is_scripted_if_declarative_is_too_large() -> None:
    """The file would not fit into one method."""
    assert isinstance(lowered(row(30)).body, model.Declarative)
    assert isinstance(lowered(row(80)).body, model.ScriptedPipelines)


def test_forced_declarative_moves_steps_into_functions() -> None:
    """Stages then fit into one method, up to the size limit."""
    report = Report()
    text = jenkinsfile(row(60), style="declarative", report=report)

    assert "        stage('s49') {\n            agent any\n            steps {\n                steps50()\n" in text
    assert "// What stage s49 does.\ndef steps50() {\n    checkoutCommit()\n    sh 'echo s49'\n}\n" in text
    assert not report.diagnostics()


def test_forced_declarative_has_a_size_limit() -> None:
    """The hint is to use the scripted style."""
    report = Report()
    lowered(row(100), style="declarative", report=report)
    (diagnostic,) = report.diagnostics()

    assert diagnostic.code is codes.DECLARATIVE_TOO_LARGE
    assert diagnostic.message.startswith("100 stages do not fit")
    assert diagnostic.hint is not None
    assert "scripted" in diagnostic.hint


def test_added_waits_are_reported() -> None:
    """They are in the warning and the header, with the stages that run after a failure."""
    report = Report()
    file = lowered(scripts(plan(*DIAMOND)), style="declarative", report=report)
    (diagnostic,) = report.diagnostics()

    assert diagnostic.code is codes.ADDED_WAITS
    assert diagnostic.message.endswith(
        'does not require: "docs" for "lint" (1 pair of stages in all); the longest path stays at 3 stages'
    )
    assert diagnostic.hint is not None
    assert "is skipped when the other stage fails" in diagnostic.hint
    assert file.notes[:2] == ("Style: declarative.", 'Added wait: "docs" for "lint".')
    assert "scripted adds none" in file.notes[2]


def test_the_header_lists_the_first_added_waits() -> None:
    """It has the number of the others."""
    arcs = [
        arc
        for number in range(11)
        for arc in (
            (f"a{number}", f"c{number}", f"a{number + 1}"),
            (f"a{number}", f"d{number}", f"a{number + 1}"),
            (f"b{number}", f"d{number}", f"b{number + 1}"),
            (f"c{number}", f"b{number + 1}"),
        )
    ]
    notes = lowered(scripts(plan(*arcs)), style="declarative").notes

    assert [note.partition(":")[0] for note in notes[1:9]] == ["Added wait"] * 8
    assert notes[9] == "And 3 more added waits."


def test_scripted_adds_no_waits() -> None:
    """The header mentions the style only if it is set."""
    report = Report()

    assert lowered(scripts(plan(*DIAMOND)), report=report).notes == ()
    assert lowered(scripts(plan(*DIAMOND)), style="scripted", report=report).notes == ("Style: scripted.",)
    assert not report.diagnostics()


def test_additional_plugins_are_in_the_header() -> None:
    """Mails require one."""
    assert lowered(scripts(plan(("a",), a={"mail": mail("x@y")}))).notes == ("Needs the plugin mailer.",)


def test_a_shared_workspace_with_one_root_is_declarative() -> None:
    """The root checks out the code; several roots would need another stage."""
    assert isinstance(lowered(shared(row(3))).body, model.Declarative)
    assert isinstance(lowered(shared(scripts(plan(("a", "c"), ("b", "c"))))).body, model.ScriptedPipelines)


def test_forced_declarative_adds_a_checkout_stage() -> None:
    """It has a unique name, and several roots follow it."""
    work = shared(scripts(plan(("checkout",), ("b",))))
    body = lowered(work, style="declarative").body
    assert isinstance(body, model.Declarative)

    assert [stage.name for stage in body.blocks[0].chains[0].stages] == ["checkout (2)"]
    assert [chain.stages[0].name for chain in body.blocks[1].chains] == ["checkout", "b"]


def test_forced_declarative_rejects_a_shared_workspace_next_to_others() -> None:
    """Neither a branch nor the pipeline could be its agent."""
    report = Report()
    plan_scripts = shared(scripts(plan(("a",), name="one")))
    lowered(plan_scripts, scripts(plan(("a",), name="two")), style="declarative", report=report)

    assert [diagnostic.code for diagnostic in report.diagnostics()] == [codes.DECLARATIVE_WORKSPACE]


def test_scripted_stages_are_in_functions_of_forty() -> None:
    """Up to forty stages are inline."""
    few, many = (lowered(row(count), style="scripted").body for count in (40, 81))
    assert isinstance(few, model.ScriptedPipelines)
    assert isinstance(many, model.ScriptedPipelines)

    assert [(chunk.function, len(chunk.stages)) for chunk in few.chunks] == [("", 40)]
    assert [(chunk.function, len(chunk.stages)) for chunk in many.chunks] == [
        ("addStages1", 40),
        ("addStages2", 40),
        ("addStages3", 1),
    ]


def test_a_stage_too_large_for_a_method_becomes_data() -> None:
    """An example is a trigger with hundreds of parameters; declarative pipelines have no such form."""
    parameters = tuple((f"P{number}", text("x")) for number in range(150))
    started = TriggerJob(name=Located("x", SPAN), parameters=parameters, propagate=True, wait=True, span=SPAN)
    work = scripts(plan(("a",), a={"steps": (started,)}))

    for style, expected in (("auto", []), ("declarative", [codes.STAGE_TOO_LARGE]), ("scripted", [])):
        report = Report()
        lowered(work, style=style, report=report)
        assert [diagnostic.code for diagnostic in report.diagnostics()] == expected
