"""Tests that record the stages that a config runs today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.expectations.check import ConfigUnderTest
from pipegen.plan.events import answers, usual_events
from pipegen.plan.known_values import ValuesBeforeRun, exports
from pipegen.plan.model import Event, Plan
from pipegen.plan.model.facts import RunFacts, StartEvent, start_event

Document = dict[str, object]


def recorded(config: ConfigUnderTest) -> Document:
    """Return tests that record, for each usual event, what *config* runs today."""
    is_single = len(config.plans) == 1
    tests: Document = {}
    for event in usual_events(config.plans):
        for plan in config.plans:
            title = event.title if is_single else f"{event.title}: {plan.name}"
            tests[title] = {
                "event": _event(event),
                **({} if is_single else {"pipeline": plan.name}),
                **_expected(plan, config.facts(event)),
            }
    for plan in config.plans:
        order = [list(arc) for arc in plan.graph.arcs]
        if order:
            name = "order" if is_single else f"order: {plan.name}"
            tests[name] = {
                "event": _event(start_event(Event.PUSH)),
                **({} if is_single else {"pipeline": plan.name}),
                "order": order,
            }
    return {"tests": tests}


def _event(event: StartEvent) -> object:
    if event.kind is Event.MERGE_REQUEST:
        return event.kind.value
    return {
        "kind": event.kind.value,
        **({"branch": event.branch} if event.branch else {}),
        **({"tag": event.tag} if event.tag else {}),
    }


def _expected(plan: Plan, facts: RunFacts) -> Mapping[str, object]:
    (answer,) = answers((plan,), facts)
    running = [one.job.stage for one in answer.stages if one.runs]
    approvals = [one.job.stage for one in answer.stages if one.waits_for_approval]
    values = dict(_values(plan, facts))
    return {
        "only": running,
        **({"approvals": approvals} if running else {}),
        **({"values": values} if values and running else {}),
    }


def _values(plan: Plan, facts: RunFacts) -> Iterator[tuple[str, str]]:
    known = ValuesBeforeRun(plan, facts)
    for job in plan.jobs:
        for name, _ in exports(job):
            if (value := known.value(job.stage, name)) is not None:
                yield f"{job.stage}.{name}", value
