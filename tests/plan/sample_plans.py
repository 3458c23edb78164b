"""Plans of configs, for tests."""

from __future__ import annotations

from typing import TypeVar

from config.sample_configs import written

from pipegen.bindings.expression import Defaulted, Loop, Reference, Scope, Text
from pipegen.compiler import analyse
from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.report import Report, Stopped
from pipegen.plan.model import Job, Plan, Step

S = TypeVar("S", bound=Step)


def plans_of(config: str, *chosen: str) -> tuple[Plan, ...]:
    """Return the plans of *config*, or of the pipelines *chosen*; warnings and errors fail the test."""
    report = Report()
    plans = analyse(written(config), chosen, report).plans

    assert [diagnostic.message for diagnostic in report.diagnostics() if diagnostic.severity is not Severity.INFO] == []
    return plans


def plan_of(stages: str, execution: str = "") -> Plan:
    """Return the plan of a pipeline `p` with the flow list *stages* and the arcs *execution*."""
    (plan,) = plans_of(_pipeline(stages, execution))
    return plan


def job_of(stage: str) -> Job:
    """Return the job of the flow map *stage*, the only stage of its pipeline."""
    (job,) = plan_of(f"[{stage}]").jobs
    return job


def reported(config: str, *chosen: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of *config*."""
    report = Report()
    try:
        analyse(written(config), chosen, report)
    except Stopped:
        assert report.has_errors()
    return report.diagnostics()


def wrong(stages: str, execution: str = "") -> list[tuple[str, str]]:
    """Return the number of each diagnostic of a pipeline `p` of *stages*, and the text that it underlines."""
    diagnostics = reported(_pipeline(stages, execution))
    return [
        (diagnostic.code.number, diagnostic.primary.span.text if diagnostic.primary else "")
        for diagnostic in diagnostics
    ]


def messages(stages: str, execution: str = "") -> list[str]:
    """Return the message of each diagnostic of a pipeline `p` of *stages*."""
    return [diagnostic.message for diagnostic in reported(_pipeline(stages, execution))]


def shown(value: Text | Loop[Text] | None) -> str:
    """Return *value* with its references as `<scope namespace.name|default>`."""
    match value:
        case None:
            return "none"
        case Loop():
            return f"[{' '.join(value.names)} in {shown(value.source)}: {shown(value.body)}]"
        case Text():
            return "".join(part if isinstance(part, str) else _shown(part) for part in value.parts)


def step(kind: type[S], stage: str) -> S:
    """Return the step of *kind* of a stage `s` with the keys *stage*."""
    return of(kind, job_of(f"{{name: s, {stage}}}"))


def of(kind: type[S], job: Job) -> S:
    """Return the one step of *kind* of *job*."""
    (matching,) = (step for step in job.steps if isinstance(step, kind))
    return matching


def kinds(stage: str) -> list[str]:
    """Return the names of the steps of the flow map *stage*."""
    return [type(step).__name__ for step in job_of(stage).steps]


def items(values: tuple[Text | Loop[Text], ...]) -> list[str]:
    """Return each of *values* as text."""
    return [shown(value) for value in values]


def _shown(part: object) -> str:
    match part:
        case Reference():
            namespace = "" if part.scope is Scope.LOOP else f"{part.namespace}."
            default = "" if part.default is None else f"|{part.default}"
            return f"<{part.scope.value} {namespace}{part.name}{default}>"
        case Defaulted():
            return f"({shown(part.text)}|{part.default})"
        case _:
            return getattr(part, "source", "")


def _pipeline(stages: str, execution: str) -> str:
    lines = f"pipelines:\n  p:\n    stages: {stages}\n"
    return f"{lines}    execution: {execution}\n" if execution else lines
