"""The smallest number of machines with which a condition holds: `p95(wait) < 60s`."""

from __future__ import annotations

import re
from math import inf

from pipegen.fleet.answers.results import FleetResult, results
from pipegen.fleet.measures import Summary
from pipegen.fleet.model import Fleet, MachineGroup
from pipegen.fleet.simulation import FleetSimulation, TooLongSimulationError
from pipegen.structs import Struct, replace

_CONDITION = re.compile(
    r"\s*(?P<of>mean|median|p95|p99|longest)\((?P<times>wait|result)(\s+in\s+(?P<queue>[^()]+?))?\s*\)\s*<\s*"
    r"(?P<number>[0-9]{1,9}(\.[0-9]{1,6})?)\s*(?P<unit>s|m|h|)\s*"
)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
# More machines are not tried.
_MOST = 10_000


class Condition(Struct):
    """A condition: the median, say, *of* the *times* in a *queue*, or in each for "", is below *seconds*."""

    of: str
    times: str
    queue: str
    seconds: float


class Found(Struct, kw_only=True):
    """The result of a search.

    Attributes:
        condition: the required condition.
        group: the name of the group whose number of machines was searched.
        count: the smallest number with which it holds; None if it does not hold with any.
        value: the seconds with that number.
        fewer: the seconds with one machine less; None for one machine, or if no number is enough.
        result: the answers with that number, or with the largest one that was tried.
    """

    condition: Condition
    group: str
    count: int | None
    value: float
    fewer: float | None
    result: FleetResult


def read_condition(text: str) -> Condition | None:
    """Return the condition in *text*, None if it is invalid."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        return None
    return Condition(match["of"], match["times"], match["queue"] or "", float(match["number"]) * _UNITS[match["unit"]])


def find(fleet: Fleet, condition: Condition) -> Found:
    """Return the smallest number of machines of the first group of *fleet* with which *condition* holds.

    More machines are taken to be better: the number in the file is doubled until the condition holds, or changes
    nothing, then the interval is halved.
    """
    group = fleet.groups[0]
    count = min(max(group.maximum, 1), _MOST)
    result, low, fewer = _simulated(fleet, count), 0, None
    while not (is_found := _value(result, condition) < condition.seconds) and count < _MOST:
        earlier, low, fewer, count = result, count, _value(result, condition), min(2 * count, _MOST)
        result = _simulated(fleet, count)
        if _is_as_before(result, earlier):
            break
    while is_found and count - low > 1:
        middle = (low + count) // 2
        tried = _simulated(fleet, middle)
        if (value := _value(tried, condition)) < condition.seconds:
            count, result = middle, tried
        else:
            low, fewer = middle, value
    if result is None:
        raise TooLongSimulationError
    return Found(
        condition=condition,
        group=group.machine.name,
        count=count if is_found else None,
        value=_value(result, condition),
        fewer=fewer if is_found else None,
        result=result,
    )


def _simulated(fleet: Fleet, count: int) -> FleetResult | None:
    """Return the answers with *count* machines in the first group; None if the simulation takes too long."""
    fleet = _with_count(fleet, count)
    try:
        return results(fleet, FleetSimulation(fleet).run())
    except TooLongSimulationError:
        return None


def _is_as_before(result: FleetResult | None, earlier: FleetResult | None) -> bool:
    """Return whether all pipelines end, at the same times as with half of the machines: more do not help."""
    if result is None or earlier is None or any(load_result.unfinished for load_result in result.loads):
        return False
    return result.loads == earlier.loads


def _with_count(fleet: Fleet, count: int) -> Fleet:
    """Return *fleet* with *count* machines in its first group; as a maximum, if the group follows the load."""
    first, *others = fleet.groups
    group: MachineGroup = replace(first, minimum=min(first.minimum, count) if first.is_scaled else count, maximum=count)
    return replace(fleet, groups=(group, *others))


def _value(result: FleetResult | None, condition: Condition) -> float:
    """Return the largest value of all queues at all priorities, or of all loads; infinity if a pipeline never ends."""
    if result is None or any(
        load_result.unfinished for load_result in result.loads if condition.queue in ("", load_result.load.queue)
    ):
        return inf
    if condition.times == "wait":
        times = [queue_result.waits for queue_result in result.queues if condition.queue in ("", queue_result.queue)]
    else:
        times = [load_result.results for load_result in result.loads if condition.queue in ("", load_result.load.queue)]
    return max((_of(summary, condition.of) for summary in times), default=0.0)


def _of(times: Summary, name: str) -> float:
    seconds: float = getattr(times, name)
    return seconds
