"""Checks of a fleet as a whole: what can never run, has no effect, or takes too long to simulate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from math import floor, inf, isnan
from random import Random
from typing import TypeAlias

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, either, listed
from pipegen.fleet.arrivals import HOUR, Rates, Starts, expected, times
from pipegen.fleet.model import Fleet, FleetQueue, Load
from pipegen.fleet.state import job_queues
from pipegen.fleet.workflow import Stage
from pipegen.run.scheduling.amounts import Amounts, add_to, fits
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.nodes import node
from pipegen.run.scheduling.plugins import open_session, voters
from pipegen.run.scheduling.session import Session
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, child, children, items_of, number

# As many take about ten minutes.
_MOST_STAGES = 10_000_000
# The placements to try for a stage and its services.
_MOST_PLACEMENTS = 10_000
_LISTS = {"plugin": "tiers", "action": "actions"}
_NEEDED = ("enqueue", "allocate")
_SHARING = ("fair-share", "proportion", "capacity")
_Fields: TypeAlias = tuple[tuple[str, object, str, tuple[str, ...]], ...]
# Fields of queues and loads that have an effect only with one of these plugins or actions, and their default values.
_QUEUE_FIELDS: _Fields = (
    ("weight", 1, "plugin", ("fair-share", "proportion")),
    ("priority", 0, "plugin", _SHARING),
    ("capability", None, "plugin", _SHARING),
    ("guarantee", {}, "plugin", _SHARING),
    ("deserved", {}, "plugin", ("capacity",)),
    ("parent", "", "plugin", ("capacity",)),
    ("is_reclaimable", True, "action", ("reclaim",)),
)
_LOAD_FIELDS: _Fields = (
    ("priority", 0, "plugin", ("priority",)),
    ("waiting_time", inf, "plugin", ("sla",)),
    ("may_preempt", True, "action", ("preempt", "reclaim")),
)
# These are compared with those of others: equal ones have no effect with any plugin.
_COMPARED = ("weight", "priority")
# Results are grouped by the priority of loads in any case.
_ORDER = ("load", "priority")
# The votes of plugins without which these actions stop no stage.
_VOTES_FOR = {"preempt": ("preemptable", "is_starving"), "reclaim": ("reclaimable", "is_starving")}


def check_numbers(tree: Node, report: Report) -> None:
    """Report values that are not numbers, which a schema cannot compare."""
    if isinstance(tree, Scalar) and tree.kind is ScalarKind.NUMBER and isnan(number(tree.text)):
        _add(report, f'"{tree.text}" is not a number', tree.span, "write a number")
    for value in children(tree):
        check_numbers(value, report)


def check_fleet(fleet: Fleet, root: Mapping, loads: Sequence[tuple[Mapping, Load]], report: Report) -> None:
    """Report what can never run in *fleet*, whose file has the map *root*, or has no effect there."""
    _check_times(fleet, root, loads, report)
    _check_scheduling(fleet, root, report)
    _check_effects("queues", zip(items_of(root.get("queues")), fleet.queues, strict=False), fleet, report)
    _check_effects("load", loads, fleet, report)
    _check_actions(fleet, root, report)
    _check_guarantees(fleet, root, report)
    _check_leaves(fleet, loads, report)
    if not report.has_errors():
        _check_queues(fleet, loads, report)
    if not report.has_errors():
        _check_services(fleet, loads, report)


def _add(report: Report, message: str, span: Span, hint: str, related: Sequence[Label] = ()) -> None:
    report.add(codes.INVALID_FLEET_VALUE, message, at=span, hint=hint, related=related)


def _check_times(fleet: Fleet, root: Mapping, loads: Sequence[tuple[Mapping, Load]], report: Report) -> None:
    duration, warm_up = root.get("duration"), root.get("warm_up")
    if duration is not None and not fleet.duration:
        _add(report, "no pipeline starts in a duration of 0", duration.span, 'write a time such as "1 week"')
    elif warm_up is not None and fleet.warm_up >= fleet.duration:
        _add(report, "the warm-up is not shorter than the duration", warm_up.span, "shorten it, or simulate longer")
    if fleet.duration > fleet.most_hours * HOUR:
        hint = f"at most {fleet.most_hours:,} hours fit into the memory that a simulation may take"
        _add(report, f"a duration of {fleet.duration / HOUR:,.0f} hours is too long to simulate", fleet.span, hint)
    for item, load in loads:
        arrivals = item.get("arrivals")
        if isinstance(arrivals, Mapping) and fleet.duration:
            _check_arrivals(load, arrivals, fleet.duration, report)
    stages = sum(expected(load.arrivals, fleet.duration) * len(load.workflow.stages) for _, load in loads)
    if stages > _MOST_STAGES:
        largest = max(loads, key=lambda row: expected(row[1].arrivals, fleet.duration) * len(row[1].workflow.stages))
        _add(
            report,
            f"about {stages:,.0f} stages are too many to simulate",
            (largest[0].get("arrivals") or largest[0]).span,
            f"shorten the duration, or lower the rates, to at most {_MOST_STAGES:,} stages",
        )


def _check_arrivals(load: Load, arrivals: Mapping, duration: float, report: Report) -> None:
    """Report *arrivals* of *load* that never start a pipeline within the *duration*."""
    if isinstance(load.arrivals, Rates):
        if not expected(load.arrivals, duration):
            rate = arrivals.get("rate") or arrivals.get("rates") or arrivals
            hint = "write a rate above 0 for an hour of the duration, which begins on Monday 0:00, or remove the load"
            _add(report, f'"{load.name}" never starts: its rate is 0 in the whole duration', rate.span, hint)
    elif isinstance(load.arrivals, Starts) and not load.arrivals.seconds:
        empty = arrivals.get("file") or arrivals.get("times") or arrivals
        _add(report, f'"{load.name}" never starts: it has no start times', empty.span, "add a time, or remove the load")
    elif next(times(load.arrivals, duration, Random()), None) is None:  # noqa: S311 - only rates use it
        first = arrivals.get("cron") or arrivals.get("file") or next(iter(items_of(arrivals.get("times"))), arrivals)
        hint = 'write a longer "duration", which begins on Monday, January 1, or earlier times'
        _add(report, f'no time of "{load.name}" is within the duration', first.span, hint)
    elif isinstance(load.arrivals, Starts) and load.arrivals.seconds[-1] >= duration:
        count_, days = len(load.arrivals.seconds), floor(load.arrivals.seconds[-1] / (24 * HOUR)) + 1
        report.add(
            codes.IGNORED_FLEET_KEY,
            f'{count_ - expected(load.arrivals, duration):,.0f} of {count_:,} times of "{load.name}" start nothing: '
            "they are not within the duration",
            at=(arrivals.get("file") or arrivals.get("times") or arrivals).span,
            hint=f'write "duration: {days} {"day" if days == 1 else "days"}", or remove them',
        )


def _check_scheduling(fleet: Fleet, root: Mapping, report: Report) -> None:
    scheduling = root.get("scheduling")
    if not isinstance(scheduling, Mapping):
        return
    actions = scheduling.get("actions")
    for name in _NEEDED if actions is not None else ():
        if actions is not None and name not in fleet.scheduling.actions:
            _add(report, f'without "{name}", no stage starts', actions.span, f'add "{name}" to the actions')
    first: dict[str, Span] = {}
    for plugin in (plugin for tier in items_of(scheduling.get("tiers")) for plugin in items_of(tier)):
        if isinstance(plugin, Scalar):
            if plugin.text in first:
                related = [Label(first[plugin.text], "the first one")]
                _add(report, f'the plugin "{plugin.text}" is listed twice', plugin.span, "remove one of them", related)
            first.setdefault(plugin.text, plugin.span)


def _check_effects(section: str, rows: Iterable[tuple[Node, FleetQueue | Load]], fleet: Fleet, report: Report) -> None:
    """Report keys in a *section* that have an effect only with plugins or actions that are not used."""
    used = {*fleet.scheduling.actions, *_plugins(fleet)}
    pairs = [(item, model) for item, model in rows if isinstance(item, Mapping)]
    for field, default, kind, names in _QUEUE_FIELDS if section == "queues" else _LOAD_FIELDS:
        key = field.removeprefix("is_")
        values = [getattr(model, field) for _, model in pairs]
        if used.intersection(names) or (field in _COMPARED and all(value == values[0] for value in values)):
            continue
        for (item, _), value in zip(pairs, values, strict=True):
            node = item.get(key)
            # Amounts of 0 are as none.
            is_default = value == default or (default == {} and not any(value.values()))
            if node is not None and not is_default:
                is_order = (section, key) == _ORDER
                effect = f'stages do not start in the order of "{key}"' if is_order else f'"{key}" has no effect'
                rest = ", by which results are grouped" if is_order else ""
                report.add(
                    codes.IGNORED_FLEET_KEY,
                    f"{effect} without {_one_of(kind, names)}",
                    at=node.span,
                    hint=f'{_addition(kind, names[:1])}, or remove "{key}"{rest}',
                )


def _check_actions(fleet: Fleet, root: Mapping, report: Report) -> None:
    """Report actions that stop no stage: no stage may be stopped, or no plugin says for whom."""
    actions = items_of(child(root.get("scheduling"), "actions"))
    can_stop = any(stage.is_interruptible for load in fleet.loads for stage in load.workflow.stages)
    for action in actions:
        if not isinstance(action, Scalar) or action.text not in _VOTES_FOR:
            continue
        votes = [voters(vote) for vote in _VOTES_FOR[action.text]]
        missing = [names for names in votes if not _plugins(fleet).intersection(names)]
        needed = [_one_of("plugin", names) for names in missing]
        steps = [_addition("plugin", [names[0] for names in missing])] if missing else []
        if not can_stop:
            needed.append("a stage that is interruptible")
            steps.append('write "interruptible: true" for stages that may stop')
        if needed:
            report.add(
                codes.IGNORED_FLEET_KEY,
                f'"{action.text}" has no effect: it needs {", and ".join(needed)}',
                at=action.span,
                hint=f"{' and '.join(steps)}, or remove the action",
            )


def _one_of(kind: str, names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"the {kind} {either(quoted)}"


def _addition(kind: str, names: Sequence[str]) -> str:
    """Return how to add each of *names* to the plugins or actions."""
    added = " and ".join(f'"{name}"' for name in dict.fromkeys(names))
    return f'add {added} to "{_LISTS[kind]}" in "scheduling"'


def _plugins(fleet: Fleet) -> set[str]:
    return {name for tier in fleet.scheduling.tiers for name in tier}


def _check_guarantees(fleet: Fleet, root: Mapping, report: Report) -> None:
    """Report guarantees above the capability of their queue, or above all machines together."""
    total = _all_machines(fleet)
    guaranteed: dict[str, float] = {}
    for queue, item in zip(fleet.queues, items_of(root.get("queues")), strict=False):
        guarantee = child(item, "guarantee")
        if guarantee is None:
            continue
        if queue.capability is not None and (over := _over(queue.guarantee, queue.capability)):
            hint = "lower the guarantee, or raise the capability"
            _add(report, f'"{queue.name}" is guaranteed more {over} than its capability', guarantee.span, hint)
        if not queue.parent:
            add_to(guaranteed, queue.guarantee)
            if over := _over({name: guaranteed[name] for name in queue.guarantee}, total):
                hint = "lower the guarantees, or add machines"
                _add(report, f"the guarantees have more {over} than all machines together", guarantee.span, hint)


def _check_leaves(fleet: Fleet, loads: Sequence[tuple[Mapping, Load]], report: Report) -> None:
    """Report loads in queues with other queues below them, which share only what their queues get."""
    if not any("capacity" in tier for tier in fleet.scheduling.tiers):
        return
    below = {queue.parent: queue.name for queue in fleet.queues if queue.parent}
    for item, load in loads:
        if load.queue in below:
            queue = item.get("queue") or item
            message = f'"{load.queue}" takes no load, because the queue "{below[load.queue]}" is below it'
            _add(report, message, queue.span, "choose a queue without others below it")


def _check_queues(fleet: Fleet, loads: Sequence[tuple[Mapping, Load]], report: Report) -> None:
    """Report stages that need more than their queue may take when nothing runs."""
    total = _all_machines(fleet)
    for item, load in loads:
        session, _ = open_session((), fleet.scheduling, patience=inf, gates={}, possible=total)
        queues = job_queues(fleet)
        for queue in queues.values():
            session.open_job_queue(queue)
        stages = load.workflow.stages
        if blocked := [stage.name for stage in stages if _is_blocked(session, queues[load.queue], stage)]:
            message = f'stages of "{load.name}" need more than the queue "{load.queue}" may take: {listed(blocked)}'
            hint = "raise its capability, lower the guarantees of other queues, or add machines"
            _add(report, message, (item.get("queue") or item).span, hint)


def _is_blocked(session: Session, queue: JobQueue, stage: Stage) -> bool:
    """Return whether *queue*, of which nothing runs, may not take *stage* with its services."""
    gang, needed = Gang(name=stage.name, job_queue=queue), dict[str, float]()
    members = [
        QueuedTask(name=stage.name, gang=gang, requests=requests, order=number)
        for number, requests in enumerate((stage.requests, *stage.services))
    ]
    for member in members:
        session.join(member)
        add_to(needed, member.requests)
    gang.minimum = needed
    ballot = session.ballot
    is_permitted = ballot.may_enter(gang) and all(ballot.may_take(queue, member) for member in members)
    for member in members:
        session.leave(member)
    return not is_permitted


def _check_services(fleet: Fleet, loads: Sequence[tuple[Mapping, Load]], report: Report) -> None:
    """Report stages for which the machines have no room together with their services, which start at the same time."""
    if not any("gang" in tier for tier in fleet.scheduling.tiers):
        return
    for item, load in loads:
        if apart := [stage.name for stage in load.workflow.stages if not _fits_with_services(stage, fleet)]:
            message = f'stages of "{load.name}" and their services fit on no machines together: {listed(apart)}'
            hint = "request less, or add machines"
            _add(report, message, (item.get("services") or item).span, hint)


def _fits_with_services(stage: Stage, fleet: Fleet) -> bool:
    """Return whether empty machines have room for *stage* and its services; True if a search takes too long."""
    services = sorted(stage.services, key=lambda amounts: sorted(amounts.items()), reverse=True)
    rooms: list[Amounts] = []
    suited: list[int] = []
    for group in fleet.groups:
        machine = node(group.machine, 0)
        for _ in range(min(group.maximum, 1 + len(services))):
            if machine.labels.issuperset(stage.labels):
                suited.append(len(rooms))
            rooms.append(machine.limits)
    steps = count()

    def place(number: int, at: Sequence[int], free: Sequence[Amounts]) -> bool:
        """Return whether the services from *number* fit; the stage comes first, and only on the machines *at*."""
        if number == len(services) or next(steps) > _MOST_PLACEMENTS:
            return True
        requested = services[number] if number >= 0 else stage.requests
        # Of machines with equal room, only one is tried.
        for index in {tuple(free[index].items()): index for index in at if fits(requested, free[index])}.values():
            rest = {name: amount - requested.get(name, 0) for name, amount in free[index].items()}
            if place(number + 1, range(len(free)), [*free[:index], rest, *free[index + 1 :]]):
                return True
        return False

    return not services or place(-1, suited, rooms)


def _all_machines(fleet: Fleet) -> Amounts:
    total: dict[str, float] = {}
    for group in fleet.groups:
        limits = node(group.machine, 0).limits
        add_to(total, {name: amount * group.maximum for name, amount in limits.items()})
    return total


def _over(amounts: Amounts, limits: Amounts) -> str:
    """Return the resources of *amounts* that are above *limits*."""
    return " and ".join(name for name, amount in amounts.items() if amount > limits[name])
