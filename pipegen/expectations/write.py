"""Tests that record the stages that a config runs today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.expectations.check import ConfigUnderTest
from pipegen.expectations.runs import RecordedRun, recorded_runs
from pipegen.plan.events import EventAnswer, answers
from pipegen.plan.known_values import UNKNOWN, ValuesBeforeRun, exports
from pipegen.plan.model import Event, Plan
from pipegen.plan.model.facts import RunFacts, start_event

Document = dict[str, object]


def recorded(config: ConfigUnderTest) -> Document:
    """Return tests that record, for each event that the conditions distinguish, what *config* runs today."""
    is_single = len(config.plans) == 1
    tests: Document = {}
    for plan in config.plans:
        for run in recorded_runs(plan, config):
            facts = config.facts(run.event, run.inputs, run.variables)
            title = run.title if is_single else f"{run.title}: {plan.name}"
            tests[title] = {
                "event": _event(run),
                **({} if is_single else {"pipeline": plan.name}),
                **_expected(plan, facts),
            }
    for plan in config.plans:
        order = [list(arc) for arc in plan.graph.arcs]
        if order:
            name = "order" if is_single else f"order: {plan.name}"
            tests[name] = {
                "event": _event(RecordedRun(event=start_event(Event.PUSH))),
                **({} if is_single else {"pipeline": plan.name}),
                "order": order,
            }
    return {"tests": tests}


def _event(run: RecordedRun) -> object:
    event = run.event
    keys: Document = {
        "kind": event.kind.value,
        **({"branch": event.branch} if event.branch else {}),
        **({"tag": event.tag} if event.tag else {}),
        **({"changed": list(event.changed)} if event.changed is not None else {}),
        **({"inputs": dict(run.inputs)} if run.inputs else {}),
        **({"variables": dict(run.variables)} if run.variables else {}),
    }
    return event.kind.value if len(keys) == 1 and event.kind is Event.MERGE_REQUEST else keys


def _expected(plan: Plan, facts: RunFacts) -> Mapping[str, object]:
    (answer,) = answers((plan,), facts)
    running = [stage_answer.job.stage for stage_answer in answer.stages if stage_answer.runs]
    approvals = [stage_answer.job.stage for stage_answer in answer.stages if stage_answer.waits_for_approval]
    values = dict(_values(answer))
    of_status = [stage_answer for stage_answer in answer.stages if stage_answer.runs and stage_answer.job.is_final]
    results = {
        status: [stage_answer.job.stage for stage_answer in of_status if stage_answer.job.on_status == status]
        for status in ("failed", "success")
    }
    return {
        "only": running,
        **({"approvals": approvals} if running else {}),
        **(results if of_status else {}),
        **({"values": values} if values else {}),
    }


def _values(answer: EventAnswer) -> Iterator[tuple[str, str]]:
    """Yield the outputs of stages that run, as far as they are known before the run."""
    known = ValuesBeforeRun(answer.plan, answer.facts)
    for job in (stage_answer.job for stage_answer in answer.stages if stage_answer.runs):
        for name, _ in exports(job):
            value = known.known_parts(job.stage, name)
            if set(value) != {UNKNOWN}:
                yield f"{job.stage}.{name}", value.replace(UNKNOWN, "*")
