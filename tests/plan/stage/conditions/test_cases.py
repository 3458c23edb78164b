"""`cases`: the chosen case of a run, and rejected cases."""

from __future__ import annotations

import pytest

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report, Stopped
from pipegen.plan.events import answers, plans_that_run
from pipegen.plan.model import Commands, Event, Plan
from pipegen.plan.model.facts import RunFacts, start_event
from pipegen.source.text import SourceFile


class _NoFiles:
    """A repository without files."""

    files = ()

    def changed(self, base: str) -> None:
        """Return nothing: the branch *base* does not exist."""


def _plans(stage: str) -> tuple[Plan, ...]:
    text = f"pipelines: {{p: {{stages: [{{name: a, script: [make], {stage}}}]}}}}"
    return tuple(analyse(SourceFile("pipeline.yml", text), (), Report()).plans)


def _env(stage: str, event: Event, branch: str = "") -> dict[str, str | None]:
    """Return the variables of the script of *stage* in a run."""
    facts = RunFacts(event=start_event(event, branch), inputs={}, variables={}, repository=_NoFiles())
    (plan,) = plans_that_run(answers(_plans(stage), facts))
    (script,) = [step for step in plan.jobs[0].steps if isinstance(step, Commands)]
    assert plan.jobs[0].cases == ()
    return {name: text.constant for name, text in script.env}


_CASES = (
    "env: {A: 0, B: 0}, cases: [{when: {branch: main}, env: {A: 1}}, {when: {not: {event: push}}, env: {A: 2, C: 2}}]"
)


def test_the_first_case_that_holds_applies_to_an_event() -> None:
    """Its variables replace those of `env`, and the others remain."""
    assert _env(_CASES, Event.PUSH, "main") == {"A": "1", "B": "0"}
    assert _env(_CASES, Event.SCHEDULE, "main") == {"A": "1", "B": "0"}
    assert _env(_CASES, Event.SCHEDULE, "dev") == {"A": "2", "B": "0", "C": "2"}
    assert _env(_CASES, Event.PUSH, "dev") == {"A": "0", "B": "0"}


def test_the_script_gets_variables_of_cases_in_one_order() -> None:
    """Those of `env` first, also if a case replaces them, then others in the order of the cases."""
    cases = (
        'env: {A: "${X}", B: "${A}"}, cases: [{when: {branch: main}, env: {D: "${C}", A: "${Y}", C: "1"}}, '
        "{when: {branch: dev}, env: {C: 2, D: 3}}]"
    )

    assert list(_env(cases, Event.PUSH, "main").items()) == [("A", "${Y}"), ("B", "${A}"), ("D", "${C}"), ("C", "1")]
    assert list(_env(cases, Event.PUSH, "dev").items()) == [("A", "${X}"), ("B", "${A}"), ("D", "3"), ("C", "2")]


@pytest.mark.parametrize(
    ("stage", "computed"),
    [
        ("env: {A: 0}, cases: [{when: {branch: main}, env: {A: 1, B: x y}}]", ()),
        ('env: {A: "${A}"}, cases: [{when: {branch: main}, env: {A: 1}}]', ()),
        ('env: {A: "${setup.branch}", C: "${B}"}, cases: [{when: {branch: main}, env: {A: 1, B: 2}}]', ("A",)),
        ('cases: [{when: {branch: main}, env: {A: 1, B: "${X}"}}, {when: {branch: dev}, env: {B: 2}}]', ("B",)),
        ('cases: [{when: {branch: main}, env: {A: "1\\n2", B: "$5", C: "${setup.pipeline}"}}]', ("A", "B")),
    ],
)
def test_the_script_computes_variables_that_an_engine_cannot_set(stage: str, computed: tuple[str, ...]) -> None:
    """The engine sets the number of the case for them."""
    (job,) = _plans(stage)[0].jobs

    assert job.computed_names == computed
    for number, case in enumerate(job.engine_cases, 1):
        values = {name: text.constant for name, text in case.variables}
        assert values.keys().isdisjoint(computed)
        assert values.get("PIPEGEN_CASE") == (str(number) if computed else None)


def test_a_value_of_a_matrix_in_a_case_is_text() -> None:
    """It is not read as a reference."""
    stage = 'matrix: {v: ["$${setup.branch}"]}, cases: [{when: {branch: main}, env: {A: "${matrix.v}-$${matrix.v}"}}]'
    (job,) = _plans(stage)[0].jobs
    ((_, value),) = job.cases[0].variables

    assert value.constant == "$${setup.branch}-${matrix.v}"


def test_a_run_needs_an_approval_and_allows_failures_as_its_conditions_say() -> None:
    """Afterwards, neither depends on a condition."""
    stage = "approve: {when: {branch: main}}, allow_failure: {when: {event: schedule}, exit_codes: 2}"

    def limits(event: Event, branch: str) -> tuple[bool, tuple[int, ...] | None]:
        facts = RunFacts(event=start_event(event, branch), inputs={}, variables={}, repository=_NoFiles())
        (job,) = plans_that_run(answers(_plans(stage), facts))[0].jobs
        allowed, approval = job.limits.allow_failure, job.deployment.approval
        assert all(setting.condition is None for setting in (allowed, approval) if setting is not None)
        return approval is not None, allowed.exit_codes if allowed is not None else None

    assert limits(Event.PUSH, "main") == (True, None)
    assert limits(Event.SCHEDULE, "main") == (True, (2,))
    assert limits(Event.SCHEDULE, "dev") == (False, (2,))
    assert limits(Event.PUSH, "dev") == (False, None)


@pytest.mark.parametrize(
    ("keys", "allowed", "approved"),
    [
        ("allow_failure: {when: {inputs: {level: full}}}", True, False),
        ("allow_failure: {when: {inputs: {level: quick}}}", False, False),
        ("approve: {when: {inputs: {level: full}}}", False, True),
        ("approve: {when: {inputs: {level: quick}}}", False, False),
        ("approve: {when: {inputs: {level: full}}, optional: true}", True, True),
        ("approve: {when: {inputs: {level: quick}}, optional: true}", False, False),
    ],
)
def test_inputs_that_are_fixed_decide_conditions(keys: str, *, allowed: bool, approved: bool) -> None:
    """This happens at compile time."""
    text = f"inputs: {{level: full}}\npipelines: {{p: {{stages: [{{name: a, script: [make], {keys}}}]}}}}"
    (job,) = analyse(SourceFile("pipeline.yml", text), (), Report(), {"level": "full"}).plans[0].jobs

    assert (job.limits.allow_failure is not None) is allowed
    assert (job.deployment.approval is not None) is approved
    assert job.conditions == (None,)


def test_a_case_that_inputs_decide_is_the_last_or_none() -> None:
    """Cases after one that always applies are dropped."""
    text = """
inputs: {level: full}
pipelines:
  p:
    stages:
      - name: a
        script: [make]
        cases:
          - {when: {inputs: {level: quick}}, env: {A: 1}}
          - {when: {branch: dev}, env: {A: 2}}
          - {when: {inputs: {level: full}}, env: {A: 3}}
          - {when: {branch: main}, env: {A: 4}}
"""
    plans = analyse(SourceFile("pipeline.yml", text), (), Report(), {"level": "full"}).plans
    (job,) = plans[0].jobs

    assert [(case.condition is None, case.variables[0][1].constant) for case in job.cases] == [
        (False, "2"),
        (True, "3"),
    ]


@pytest.mark.parametrize(
    ("stage", "code", "underlined"),
    [
        ('cases: [{when: {branch: main}, env: {A: "${unknown.url}"}}]', "PG304", "${unknown.url}"),
        ("cases: [{when: {exists: x}, env: {A: 1}}]", "PG546", "x"),
        ("cases: [{when: {branch: main}, env: {1A: 1}}]", "PG510", "1A"),
        ("secrets: {A: a}, cases: [{when: {branch: main}, env: {A: 1}}]", "PG536", "A"),
        ("cases: [{when: {branch: main}, env: {A: 1}}], build: x", "PG546", "cases"),
        ("approve: {delay: 1 hour, when: {branch: main}}", "PG204", "when"),
        ("approve: {optional: true, when: {branch: main}}, allow_failure: {exit_codes: 2}", "PG204", "allow_failure"),
    ],
)
def test_what_engines_cannot_set_is_refused(stage: str, code: str, underlined: str) -> None:
    """Each error is at its location, and reported once."""
    report = Report()
    text = f"pipelines: {{p: {{stages: [{{name: a, script: [make], {stage}}}]}}}}"
    with pytest.raises(Stopped):
        analyse(SourceFile("pipeline.yml", text), (), report)

    assert [
        (diagnostic.code.number, diagnostic.primary.span.text)
        for diagnostic in report.diagnostics()
        if diagnostic.primary
    ] == [(code, underlined)]
