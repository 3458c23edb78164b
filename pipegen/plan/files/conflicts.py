"""Where files that two jobs leave would meet: at one path, or at a path and below it.

Stages are bits of an integer as in the closure: a path that thousands leave is asked of each once, not of each pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.closure import Closure, bits
from pipegen.plan.files.patterns import is_pattern, matches
from pipegen.plan.model import Artifact
from pipegen.structs import SpannedStruct, Struct, replace

_SHOWN = 5  # of the stages that leave what another leaves, in a message and beside it


class StageOutput(SpannedStruct):
    """What the stage number *order* leaves; stages are numbered in an order that the arcs allow."""

    UNCOMPARED: ClassVar = ("artifact",)

    order: int
    stage: str
    artifact: Artifact


class Conflict(Struct):
    """What one stage leaves, and those who leave the like: neither it nor any of them runs before the other.

    Attributes:
        others: the places of these stages, one bit each; they come earlier in the order of `Left`.
        found: what they leave, by place.
    """

    left: StageOutput
    others: int
    found: Mapping[int, StageOutput]


class Conflicts(Struct):
    """What meets where all that the stages leave comes together.

    Attributes:
        conflicts: at most one for each path of a stage and for each of the paths above.
        later: stage and path of the later one, where the two stages run in order.
    """

    conflicts: tuple[Conflict, ...]
    later: frozenset[tuple[str, str | None]]

    def marked(self, stage: str, artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
        """Return the *artifacts* of *stage*, those marked that overwrite what an ancestor leaves."""
        return tuple([replace(one, overwrites=(stage, one.path) in self.later) for one in artifacts])


def meetings(left: Mapping[str, Sequence[Artifact]], closure: Closure) -> Conflicts:
    """Return what meets of what is *left*, whose stages come in an order that the arcs allow."""
    conflicts: list[Conflict] = []
    later: set[tuple[str, str | None]] = set()
    for here, beside in _meeting(_places(left)):
        # Those of the path itself meet each other; those beside it meet only them.
        found: dict[int, StageOutput] = {}
        seen = seen_here = 0
        for one, is_here in sorted([(one, True) for one in here] + [(one, False) for one in beside], key=_order):
            place = closure.places[one.stage]
            earlier = (seen if is_here else seen_here) & ~(1 << place)
            before = closure.masks[place]
            # No tar is made of what a pattern stands for: engines hand that on in their own order.
            if earlier & before and not is_pattern(one.artifact.path or ""):
                later.add((one.stage, one.artifact.path))
            if others := earlier & ~before:
                conflicts.append(Conflict(one, others, found))
            found.setdefault(place, one)
            seen |= 1 << place
            seen_here |= is_here << place
    return Conflicts(tuple(conflicts), frozenset(later))


def _places(left: Mapping[str, Sequence[Artifact]]) -> dict[str, list[StageOutput]]:
    """Return what is *left* at each path, in the order of the stages."""
    places: dict[str, list[StageOutput]] = {}
    for order, (stage, artifacts) in enumerate(left.items()):
        for artifact in artifacts:
            if artifact.path is not None:
                places.setdefault(artifact.path, []).append(StageOutput(order, stage, artifact))
    return places


def _meeting(
    places: Mapping[str, Sequence[StageOutput]],
) -> Iterator[tuple[Sequence[StageOutput], Sequence[StageOutput]]]:
    """Yield what is left at each path, and what is left above it or at a pattern for it, if two of them meet.

    Whether two patterns stand for the same path only a run can tell.
    """
    patterns = [path for path in places if is_pattern(path)]
    for path, here in places.items():
        steps = path.split("/")
        above = [one for end in range(1, len(steps)) for one in places.get("/".join(steps[:end]), ())]
        if patterns and not is_pattern(path):
            above += [one for pattern in patterns if matches(pattern, path) for one in places[pattern]]
        if above or len(here) > 1:
            yield here, above


def _order(one: tuple[StageOutput, bool]) -> int:
    return one[0].order


def check_conflicts(
    takings: Iterable[tuple[str, ...]],
    met: Conflicts,
    closure: Closure,
    stages: Mapping[str, StageConfig],
    report: Report,
) -> None:
    """Report each conflict between stages of one of the *takings*, and once what combinations of one stage leave.

    A taking is the stages whose files one stage gets.
    """
    if not met.conflicts:
        return
    places = closure.places
    involved = 0
    for conflict in met.conflicts:
        involved |= conflict.others | 1 << places[conflict.left.stage]
    masks = {closure.bits_of(taken) & involved for taken in set(takings)}
    combinations, told = _combinations(stages, closure), set[str]()
    for conflict in met.conflicts:
        late = stages[conflict.left.stage]
        others = _together(conflict.others, places[conflict.left.stage], masks)
        siblings = others & combinations.get((late.within, late.said), 0) if late.combination is not None else 0
        if siblings and late.said not in told:
            told.add(late.said)
            _report_combinations(late.said, conflict.left, report)
        if others ^ siblings:
            found = [conflict.found[place] for place in bits(others ^ siblings)]
            _report(conflict.left, sorted(found, key=lambda one: one.order), report)


def _together(others: int, place: int, masks: Iterable[int]) -> int:
    """Return those of the *others* that stand with *place* in one of the *masks*."""
    found = 0
    for mask in masks:
        if mask >> place & 1:
            found |= mask & others
            if found == others:
                break
    return found


def _combinations(stages: Mapping[str, StageConfig], closure: Closure) -> dict[tuple[str, str], int]:
    """Return the places of the combinations of each stage that a matrix multiplies."""
    found: dict[tuple[str, str], int] = {}
    for name, place in closure.places.items():
        stage = stages[name]
        if stage.combination is not None:
            key = stage.within, stage.said
            found[key] = found.get(key, 0) | 1 << place
    return found


def _report_combinations(stage: str, left: StageOutput, report: Report) -> None:
    report.add(
        codes.CONFLICTING_FILES,
        f'the combinations of stage "{stage}" all leave "{left.artifact.path}", '
        f"and a later stage would find that of one",
        at=left.artifact.span,
        label="left by each combination",
        hint="put an axis into the path, as in dist/${matrix.AXIS}/, or let later stages take no files of it "
        'with "files_from"',
    )


def _report(left: StageOutput, others: Sequence[StageOutput], report: Report) -> None:
    path = left.artifact.path
    if len(others) == 1:
        said = f'stages "{others[0].stage}" and "{left.stage}" both leave "{path}", and neither runs before the other'
    else:
        names = listed([one.stage for one in others], limit=_SHOWN)
        said = f'stage "{left.stage}" leaves "{path}", as do {names}, and runs neither before nor after them'
    report.add(
        codes.CONFLICTING_FILES,
        said,
        at=left.artifact.span,
        label=f'left by "{left.stage}"',
        also=[Label(one.artifact.span, f'left by "{one.stage}"') for one in others[:_SHOWN]],
        hint="leave it at different paths, or add an arc between each two stages"
        if others[1:]
        else "leave it at different paths, or add an arc between the two stages",
    )
