"""Stages as tables: their contents, and when they are used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from targets.jenkins.sample_plans import lowered, plan, scripts, work_of

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import AllowFailure
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.styles import scripted as form
from pipegen.targets.jenkins.styles.tables import lower_tables

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60)


def made_tables(*stages: model.StageBlock) -> model.Tables:
    """Return the tables of *stages*, all of one pipeline."""
    return lower_tables(work_of("p"), stages)


def stage(
    name: str, *steps: model.Step, after: tuple[str, ...] = (), agent: model.Agent | None = None
) -> model.StageBlock:
    """Return a stage."""
    return model.StageBlock(name=name, pipeline="p", after=after, agent=agent, steps=steps)


def test_a_table_describes_its_stages() -> None:
    """Each line has one property; common code is in Groovy."""
    label = model.Agent("linux")
    steps = (
        model.Checkout("fresh()"),
        model.Wrapped("within(60)", (model.Sh(prelude="values", lines=("a", "", "b")),)),
    )
    tables = made_tables(
        stage("one", *steps, agent=label),
        stage(
            "t\nwo", model.Checkout("fresh()"), model.Wrapped("within(60)", (model.Sh(lines=("c",)),)), after=("one",)
        ),
    )

    (text,) = tables.texts

    assert text == (
        "\nstage one\nagent linux\nsteps\n fresh\n within\n  sh\n|\n+a\n+\n+b\n"
        "stage t\n+wo\nafter one\nagentless\nsteps\n fresh\n within\n  sh2\n|c\n"
    )
    assert [(kind.name, kind.code) for part in tables.steps for kind in part] == [
        ("fresh", "fresh()"),
        ("within", "within(60) {\n    runSteps(step.steps)\n}"),
        ("sh", "sh values() + texts[0]"),
        ("sh2", "sh texts[0]"),
    ]
    assert tables.words == {"stage", "after", "agent", "agentless", "steps"}


@given(st.lists(TEXTS, min_size=1, max_size=3), TEXTS, TEXTS)
def test_text_in_tables_is_unambiguous(lines: list[str], name: str, label: str) -> None:
    """All lines of a text begin with a mark and are otherwise unchanged."""
    tables = made_tables(stage(name, model.Sh(lines=tuple(lines)), model.Unstash(name), agent=model.Agent(label)))
    (text,) = tables.texts
    texts = [line[1:] for line in text.replace("\n+", "\0").split("\n") if line.startswith("|")]

    assert [part.replace("\0", "\n") for part in texts] == ["\n".join(lines), name]
    assert text.startswith("\nstage " + name.replace("\n", "\n+") + "\n")
    assert "" not in text[1:-1].split("\n")


def test_tables_fit_into_one_literal_each() -> None:
    """No stage is split between tables."""
    tables = made_tables(*(stage(f"s{number}", model.Sh(lines=("x" * 9_000,))) for number in range(10)))

    assert [text.count("\nstage ") for text in tables.texts] == [3, 3, 3, 1]
    assert all(len(text) < 30_100 for text in tables.texts)
    assert tables.spans == (model.PipelineRange(model.Selected(), 1, 4),)


def test_code_too_large_for_a_class_becomes_tables() -> None:
    """The tables have all stages."""
    sample = plan([f"s{number}" for number in range(700)])
    few, many = (
        lowered(scripts(plan([f"s{number}" for number in range(count)])), style="scripted").body for count in (300, 700)
    )
    assert isinstance(few, model.ScriptedPipelines)
    assert isinstance(many, model.ScriptedPipelines)

    assert few.tables is None
    assert many.chunks == ()
    assert many.tables is not None
    assert "".join(many.tables.texts).count("\nstage ") == len(sample.jobs)


def test_a_step_too_large_for_a_function_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even as a separate kind of step."""
    monkeypatch.setattr(form, "MOST_CODE", 0)
    report = Report()
    work = scripts(plan(("a", "b")))
    first, *others = work.plan.jobs
    limits = replace(first.limits, allow_failure=AllowFailure(tuple(range(1, 201)), first.span))
    work = replace(work, plan=replace(work.plan, jobs=(replace(first, limits=limits), *others)))
    lowered(work, style="scripted", report=report)
    (diagnostic,) = report.diagnostics()

    assert diagnostic.code is codes.STAGE_TOO_LARGE
    assert diagnostic.message.startswith('stage "a" is too large')


def test_steps_after_a_failure_test_the_error_where_it_is_caught() -> None:
    """The functions that run inner steps do not know it."""
    after = model.Wrapped(model.NOT_STOPPED, (model.Sh(lines=("b",)),))
    tables = made_tables(stage("one", model.Ensured(steps=(model.Sh(lines=("a",)),), on_failure=(after,))))
    codes_of_kinds = [kind.code for part in tables.steps for kind in part]
    (ensured,) = [code for code in codes_of_kinds if "catch" in code]

    assert [code for code in codes_of_kinds if "error" in code] == [ensured]
    assert f"catch (error) {{\n    {model.NOT_STOPPED} {{\n        runSteps(step.steps[1].steps)\n    }}\n" in ensured
