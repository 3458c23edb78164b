"""The file of a fleet: its tree against the schema, then the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pipegen.assets import schema
from pipegen.config.files.load import load
from pipegen.config.read import read
from pipegen.config.schema.check import check_settings
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.fleet.arrivals import HOUR, WEEK_HOURS
from pipegen.fleet.model import Fleet, FleetQueue, MachineGroup
from pipegen.fleet.reading.checks import check_fleet, check_numbers
from pipegen.fleet.reading.cluster import read_machine
from pipegen.fleet.reading.load import LoadReader, report_unknown
from pipegen.fleet.reading.values import amounts, bounded, flag, fraction, mapping, time_of, whole
from pipegen.plan.model import Plan
from pipegen.run.scheduling.fitting import check
from pipegen.run.scheduling.plugins import Scheduling
from pipegen.run.tasks import pipeline_run
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, child, items_of, written_text

_ACTIONS = ("enqueue", "allocate", "backfill")
_TIERS = (("priority", "gang"), ("fair-share", "critical-path", "binpack"))


def read_fleet(path: Path, environment: Mapping[str, str], report: Report) -> Fleet:
    """Return the fleet in the file at *path*; raise `Stopped` if it is invalid.

    *environment* says where the journals of local runs are.
    """
    file = load(path, report)
    report.stop_if_errors()
    tree = read(file, report, first_key="machines")
    check_settings(tree, schema("fleet"), report, file.path)
    check_numbers(tree, report)
    report.stop_if_errors()
    root = mapping(tree, tree)
    groups = tuple(_group(item, report) for item in items_of(root.get("machines")) if isinstance(item, TreeMapping))
    queues = tuple(_queue(item, report) for item in items_of(root.get("queues")) if isinstance(item, TreeMapping))
    queues = queues or (FleetQueue(name="default"),)
    _check_names("groups of machines", root.get("machines"), report)
    _check_names("queues", root.get("queues"), report)
    _check_parents(queues, root.get("queues"), report)
    reader = LoadReader(path, groups, [queue.name for queue in queues], environment, report)
    loads = [
        (item, *load_and_plan)
        for item in items_of(root.get("load"))
        if isinstance(item, TreeMapping) and (load_and_plan := reader.read(item)) is not None
    ]
    _check_unique("loads", ((item, load.name) for item, load, _ in loads), report)
    report.stop_if_errors()
    _check_fits([plan for _, _, plan in loads], groups, report)
    report.stop_if_errors()
    fleet = Fleet(
        groups=groups,
        queues=queues,
        loads=tuple(load for _, load, _ in loads),
        scheduling=_scheduling(mapping(root.get("scheduling"), root)),
        duration=time_of(root.get("duration"), WEEK_HOURS * HOUR),
        warm_up=time_of(root.get("warm_up")),
        seed=whole(root.get("seed"), 1),
        span=(root.get("duration") or root.get("load") or root).span,
    )
    check_fleet(fleet, root, [(item, load) for item, load, _ in loads], report)
    report.stop_if_errors()
    return fleet


def _group(item: TreeMapping, report: Report) -> MachineGroup:
    machine = read_machine(item, written_text(item.get("name")), report)
    scale, count, price = item.get("autoscale"), item.get("count"), fraction(item.get("price"))
    if not isinstance(scale, TreeMapping):
        fixed = whole(count, 1)
        return MachineGroup(machine=machine, minimum=fixed, maximum=fixed, price=price)
    if count is not None:
        report.add(
            codes.INVALID_FLEET_VALUE,
            "a group has a fixed count, or follows the load",
            at=count.span,
            hint='remove "count" or "autoscale"',
        )
    minimum, maximum = whole(scale.get("minimum"), 0), whole(scale.get("maximum"), 1)
    if minimum > maximum:
        report.add(
            codes.INVALID_FLEET_VALUE,
            f"the minimum of {minimum} machines is above the maximum of {maximum}",
            at=scale.span,
            hint="lower the minimum, or raise the maximum",
        )
    return MachineGroup(
        machine=machine,
        minimum=minimum,
        maximum=maximum,
        start_up=time_of(scale.get("start_up")),
        idle=time_of(scale.get("idle")),
        price=price,
    )


def _queue(item: TreeMapping, report: Report) -> FleetQueue:
    return FleetQueue(
        name=written_text(item.get("name")),
        weight=whole(item.get("weight"), 1),
        priority=whole(item.get("priority"), 0),
        capability=bounded(amounts(item.get("capability"), report)),
        guarantee=amounts(item.get("guarantee"), report),
        deserved=amounts(item.get("deserved"), report),
        parent=written_text(item.get("parent")),
        is_reclaimable=flag(item.get("reclaimable")),
    )


def _check_parents(queues: tuple[FleetQueue, ...], node: Node | None, report: Report) -> None:
    """Report queues whose parent does not exist, or is below them."""
    parents = {queue.name: queue.parent for queue in queues}
    for item in items_of(node):
        parent = child(item, "parent")
        if not isinstance(parent, Scalar):
            continue
        if parent.text not in parents:
            report_unknown("queue", parent, parents, report)
            continue
        above, seen = parent.text, {written_text(mapping(item, item).get("name"))}
        while above and above not in seen:
            seen.add(above)
            above = parents.get(above, "")
        if above:
            report.add(
                codes.INVALID_FLEET_VALUE,
                f'the queue "{above}" is above itself',
                at=parent.span,
                hint="name a queue that is not below this one",
            )


def _scheduling(node: TreeMapping) -> Scheduling:
    actions = tuple(written_text(name) for name in items_of(node.get("actions"))) or _ACTIONS
    tiers = (
        tuple(tuple(written_text(name) for name in items_of(tier)) for tier in items_of(node.get("tiers"))) or _TIERS
    )
    return Scheduling(actions, tiers)


def _check_names(kind: str, node: Node | None, report: Report) -> None:
    rows = ((item, written_text(item.get("name"))) for item in items_of(node) if isinstance(item, TreeMapping))
    _check_unique(kind, rows, report)


def _check_unique(kind: str, rows: Iterable[tuple[TreeMapping, str]], report: Report) -> None:
    """Report names that several *rows* have."""
    first: dict[str, Span] = {}
    for item, name in rows:
        node = item.get("name")
        span = node.span if isinstance(node, Scalar) else item.span
        if name in first:
            report.add(
                codes.DUPLICATE_FLEET_NAME,
                f'two of the {kind} have the name "{name}"',
                at=span,
                related=[Label(first[name], "the first one")],
                hint='give each a unique "name"',
            )
        first.setdefault(name, span)


def _check_fits(plans: Iterable[Plan], groups: tuple[MachineGroup, ...], report: Report) -> None:
    """Report stages that fit on no machine."""
    machines = [group.machine for group in groups]
    for plan in plans:
        check(pipeline_run(plan).tasks, machines, report)
