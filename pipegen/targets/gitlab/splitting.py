"""The files of a config: one, or a parent and child pipelines where one would be too big or a person asks for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, near_miss
from pipegen.graph.closure import bits
from pipegen.plan.model import Plan
from pipegen.source.text import Span
from pipegen.structs import Struct
from pipegen.targets.gitlab.cuts import Parts, given_away
from pipegen.targets.gitlab.laid import Laid
from pipegen.targets.gitlab.partition import Cuttable, by_hand, cuttable, moved_back, partition
from pipegen.targets.gitlab.scales import Scales
from pipegen.targets.gitlab.settings import Settings

# A wide graph has waits without end; these are enough to see what is meant.
_TOLD_WAITS, _TOLD_NAMES = 3, 3
_SHORTEST_TITLE = 3


class Split(Struct, kw_only=True):
    """How a pipeline is cut: the part of each stage that is in a child, what the parts are called, what that costs."""

    parts: Mapping[str, int]
    titles: Mapping[int, str]
    notes: tuple[str, ...] = ()


def split(
    plans: Sequence[Plan],
    laid: Sequence[Laid],
    settings: Settings,
    groups: Sequence[Sequence[str]],
    budget: int,
    scales: Scales,
    report: Report,
) -> tuple[Split, ...] | None:
    """Return how *plans*, as they are *laid* out, are cut: as *groups* say, else into files of *budget* bytes.

    None where no cut serves. Waits that this adds are reported.
    """
    found = [cuttable(plan, one, settings, scales) for plan, one in zip(plans, laid, strict=True)]
    if groups:
        _check_names(plans, groups, report)
        parts: list[Parts | None] | None = [
            _by_hand(plan, one, [_meant(plan, group) for group in groups], report)
            for plan, one in zip(plans, found, strict=True)
        ]
    else:
        parts = partition(found, budget)
    if parts is None:
        return None
    return tuple(_split(*one, report) for one in zip(plans, found, parts, strict=True))


def _split(plan: Plan, one: Cuttable, parts: Parts | None, report: Report) -> Split:
    if parts is None:
        return Split(parts={}, titles={})
    members = {part: [one.stages.names[stage] for stage in stages] for part, stages in parts.members().items()}
    titles = {part: _title(plan, names) for part, names in members.items()}
    return Split(
        parts={name: part for part, names in members.items() for name in names},
        titles=titles,
        notes=_waits(plan, one, parts, report),
    )


def _title(plan: Plan, names: Sequence[str]) -> str:
    """Return what the child of the stages *names* is called: by what their names have in common, else by the first."""
    if len(names) == sum(not job.is_final for job in plan.jobs):
        return plan.name
    common = re.sub(r"[^A-Za-z0-9]+$", "", _beginning(min(names), max(names)))
    return common if len(common) >= _SHORTEST_TITLE else names[0]


def _beginning(one: str, other: str) -> str:
    """Return what both begin with: of the first and the last of sorted names, what all do."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in pairs)


def _waits(plan: Plan, one: Cuttable, parts: Parts, report: Report) -> tuple[str, ...]:
    """Report what stages wait for only because of *parts*; return notes on it."""
    added = one.waits.added(parts.places)
    names = one.stages.names
    later = [stage for stage in one.waits.order if added[stage]]
    if not later:
        return ()
    groups = _grouped(names, later, added)
    told = [f"{_quoted(group)} for {_quoted(_named(names, mask))}" for mask, group in groups[:_TOLD_WAITS]]
    more = len(groups) - len(told)
    shown = told + ([f"and {more} more"] if more else [])
    path = f"the longest path has {parts.cost.path} stages in place of {one.waits.path}"
    if parts.cost.path == one.waits.path:
        path = f"the longest path still has {parts.cost.path} stages"
    report.add(
        codes.CHILD_WAITS,
        f"child pipelines add waits that the graph does not ask for: {'; '.join(shown)} "
        f"({parts.cost.pairs} {'pair' if parts.cost.pairs == 1 else 'pairs'} of stages in all; {path})",
        at=plan.job(names[later[0]]).span,
        label="waits longer than it has to",
        hint="a stage that waits for another does not run either when that one fails; cut elsewhere with --split, "
        "compile fewer pipelines into one file, or let an administrator raise max_yaml_size_bytes",
    )
    notes = [f"Added wait: {line}." for line in told]
    if more:
        notes.append(f"And {more} added waits more.")
    return (*notes, "When a stage fails, those that wait for it do not run, added waits included.")


def _grouped(names: Sequence[str], later: Sequence[int], added: Sequence[int]) -> list[tuple[int, list[str]]]:
    """Return the stages of *later* that wait for the same, with that as bits."""
    groups: dict[int, list[str]] = {}
    for stage in later:
        groups.setdefault(added[stage], []).append(names[stage])
    return list(groups.items())


def _named(names: Sequence[str], mask: int) -> list[str]:
    return [names[number] for number in bits(mask)]


def _quoted(names: Sequence[str]) -> str:
    return listed(names, limit=_TOLD_NAMES)


def known_groups(plans: Sequence[Plan], groups: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return *groups* without the names that no stage of *plans* has."""
    found = (tuple(name for name in group if any(_meant(plan, (name,)) for plan in plans)) for group in groups)
    return tuple(group for group in found if group)


def _check_names(plans: Sequence[Plan], groups: Sequence[Sequence[str]], report: Report) -> None:
    known = list(dict.fromkeys(job.title for plan in plans for job in plan.jobs if not job.is_final))
    for name in dict.fromkeys(name for group in groups for name in group):
        if not any(_meant(plan, (name,)) for plan in plans):
            near = near_miss(name, known)
            report.add(
                codes.UNKNOWN_SPLIT_STAGE,
                f'--split names stage "{name}", which is not there to be cut off',
                at=Span(plans[0].span.file, 0, 0),
                hint=f'write "--split {near}"' if near else f"there are {listed(known, limit=10)}",
            )


def _meant(plan: Plan, group: Sequence[str]) -> list[str]:
    """Return the stages of *plan* that *group* names, all legs of a matrix by its name; `pipeline: stage` is a name."""
    return [
        job.stage
        for job in plan.jobs
        if not job.is_final
        and any(name in group for one in (job.stage, job.title) for name in (one, f"{plan.name}: {one}"))
    ]


def _by_hand(plan: Plan, one: Cuttable, groups: Sequence[Sequence[str]], report: Report) -> Parts | None:
    """Return the parts that *groups* ask for; None where they name no stage of *plan*, or cannot be cut off."""
    asked = by_hand(one, groups)
    names = one.stages.names
    for number, why in one.reasons.items():
        if any(names[number] in group for group in groups):
            _report(plan, names[number], f'stage "{names[number]}" cannot be in a child pipeline: {why}', report)
    places = [part if number not in one.reasons else -1 for number, part in enumerate(asked)]
    crossing = list(given_away(one.stages, places))
    for producer, reader in crossing:
        _report(plan, names[reader], _crossing(plan, names[producer], names[reader]), report)
    cost = one.waits.cost(places)
    if cost is None:
        first = next(name for name in names if any(name in group for group in groups))
        _report(plan, first, "a child pipeline of --split would wait for what waits for it", report)
    if cost is None or crossing or all(part < 0 for part in places) or moved_back(one, places) != places:
        return None
    return Parts(tuple(places), cost)


def _crossing(plan: Plan, producer: str, reader: str) -> str:
    """Return what crosses a cut the wrong way."""
    job = plan.job(reader)
    output = next((output for output in job.inputs if output.stage == producer), None)
    what = f"${{{output.stage}.{output.name}}}" if output is not None else f'files of "{producer}"'
    return f'stage "{reader}" reads {what}, which a child pipeline of --split does not hand back'


def _report(plan: Plan, stage: str, message: str, report: Report) -> None:
    report.add(
        codes.CUT_CROSSED,
        message,
        at=plan.job(stage).span,
        hint="let what reads a stage be in its child, name other stages to --split, or leave it out: pipegen then "
        "looks for cuts itself",
    )
