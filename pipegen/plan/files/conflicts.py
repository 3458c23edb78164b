"""Conflicts between artifacts: two jobs leave the same path, or a path and one below it.

Sets of stages are integers with a bit for each stage, as in the closure, so a path that thousands of stages leave is
checked once per stage and not per pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.closure import Closure, bits
from pipegen.plan.files.patterns import PatternIndex, is_pattern
from pipegen.plan.model import Artifact
from pipegen.structs import SpannedStruct, Struct, replace

_SHOWN = 5  # the most stages that a message or its labels name


class StageOutput(SpannedStruct):
    """An artifact of a stage; *order* numbers the stages in an order that the arcs allow."""

    UNCOMPARED: ClassVar = ("artifact",)

    order: int
    stage: str
    artifact: Artifact


class Conflict(Struct):
    """An artifact of one stage, and stages without order to it that leave the same or an overlapping path.

    Attributes:
        others: these stages, one bit each; they come earlier in the order of `StageOutput`.
        outputs: their artifacts, by stage index.
    """

    output: StageOutput
    others: int
    outputs: Mapping[int, StageOutput]


class Conflicts(Struct):
    """Overlapping artifacts of all stages.

    Attributes:
        conflicts: at most one for each path of a stage and for each of the paths above.
        later: by stage and path, the ancestors that leave an overlapping path, one bit each.
    """

    conflicts: tuple[Conflict, ...]
    later: Mapping[tuple[str, str | None], int]

    def replaced(self, sources: Iterable[tuple[str, ...]], closure: Closure) -> Conflicts:
        """Return these conflicts with only those *later* paths that a stage gets together with an ancestor's.

        *sources* holds, for each stage, the stages whose files it gets.
        """
        if not self.later:
            return self
        masks = {closure.bits_of(stages_read) for stages_read in set(sources)}
        later = {
            (stage, path): together
            for (stage, path), others in self.later.items()
            if (together := _together(others, closure.positions[stage], masks))
        }
        return replace(self, later=later)

    def marked(self, stage: str, artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
        """Return the *artifacts* of *stage*, with `overwrites` set where they replace those of an ancestor."""
        return tuple([replace(artifact, overwrites=(stage, artifact.path) in self.later) for artifact in artifacts])


def find_conflicts(artifacts: Mapping[str, Sequence[Artifact]], closure: Closure) -> Conflicts:
    """Return the conflicts between *artifacts*, whose stages come in an order that the arcs allow."""
    conflicts: list[Conflict] = []
    later: dict[tuple[str, str | None], int] = {}
    for same, overlapping in _overlaps(_by_path(artifacts)):
        # Outputs at the path conflict with each other; overlapping outputs conflict only with those.
        outputs: dict[int, StageOutput] = {}
        seen = seen_same = tolerant = 0
        for output, is_same in sorted(
            [(output, True) for output in same] + [(output, False) for output in overlapping], key=_order
        ):
            index = closure.positions[output.stage]
            earlier = (seen if is_same else seen_same) & ~(1 << index)
            ancestors = closure.masks[index]
            # Files of a pattern, and those that may overlap, are not put in a tar: engines pass them on in their order.
            is_exact = "*" not in (output.artifact.path or "") and not output.artifact.may_overlap
            if earlier & ancestors and is_exact:
                key = output.stage, output.artifact.path
                later[key] = later.get(key, 0) | earlier & ancestors
            if others := earlier & ~ancestors & ~(tolerant if output.artifact.may_overlap else 0):
                conflicts.append(Conflict(output, others, outputs))
            outputs.setdefault(index, output)
            seen |= 1 << index
            tolerant |= output.artifact.may_overlap << index
            seen_same |= is_same << index
    return Conflicts(tuple(conflicts), later)


def _by_path(artifacts: Mapping[str, Sequence[Artifact]]) -> dict[str, list[StageOutput]]:
    """Return the outputs at each path, in the order of the stages."""
    paths: dict[str, list[StageOutput]] = {}
    for order, (stage, own) in enumerate(artifacts.items()):
        for artifact in own:
            if artifact.path is not None:
                paths.setdefault(artifact.path, []).append(StageOutput(order, stage, artifact))
    return paths


def _overlaps(
    paths: Mapping[str, Sequence[StageOutput]],
) -> Iterator[tuple[Sequence[StageOutput], Sequence[StageOutput]]]:
    """Yield the outputs at each path and the ones above it or at a matching pattern, if there are two or more.

    Two patterns are never compared: only a run shows whether they match the same path.
    """
    patterns = PatternIndex(path for path in paths if is_pattern(path))
    for path, same in paths.items():
        steps = path.split("/")
        overlapping = [output for end in range(1, len(steps)) for output in paths.get("/".join(steps[:end]), ())]
        if not is_pattern(path):
            overlapping += [output for pattern in patterns.matching(path) for output in paths[pattern]]
        if overlapping or len(same) > 1:
            yield same, overlapping


def _order(entry: tuple[StageOutput, bool]) -> int:
    return entry[0].order


def check_conflicts(
    sources: Iterable[tuple[str, ...]],
    conflicts: Conflicts,
    closure: Closure,
    stages: Mapping[str, StageConfig],
    report: Report,
) -> None:
    """Report conflicts between stages whose files one stage gets, and once per matrix those of its combinations.

    *sources* holds, for each stage, the stages whose files it gets.
    """
    if not conflicts.conflicts:
        return
    indices = closure.positions
    involved = 0
    for conflict in conflicts.conflicts:
        involved |= conflict.others | 1 << indices[conflict.output.stage]
    masks = {closure.bits_of(stages_read) & involved for stages_read in set(sources)}
    combinations, reported = _combinations(stages, closure), set[str]()
    for conflict in conflicts.conflicts:
        later = stages[conflict.output.stage]
        others = _together(conflict.others, indices[conflict.output.stage], masks)
        siblings = (
            others & combinations.get((later.within, later.display_name), 0) if later.combination is not None else 0
        )
        if siblings and later.display_name not in reported:
            reported.add(later.display_name)
            _report_combinations(later.display_name, conflict.output, report)
        if others ^ siblings:
            others_ = [conflict.outputs[index] for index in bits(others ^ siblings)]
            _report(conflict.output, sorted(others_, key=lambda output: output.order), report)


def _together(others: int, index: int, masks: Iterable[int]) -> int:
    """Return the bits of *others* that are in a mask of *masks* together with *index*."""
    together = 0
    for mask in masks:
        if mask >> index & 1:
            together |= mask & others
            if together == others:
                break
    return together


def _combinations(stages: Mapping[str, StageConfig], closure: Closure) -> dict[tuple[str, str], int]:
    """Return the combinations of each matrix stage, one bit each."""
    masks: dict[tuple[str, str], int] = {}
    for name, index in closure.positions.items():
        stage = stages[name]
        if stage.combination is not None:
            key = stage.within, stage.display_name
            masks[key] = masks.get(key, 0) | 1 << index
    return masks


def _report_combinations(stage: str, output: StageOutput, report: Report) -> None:
    report.add(
        codes.CONFLICTING_FILES,
        f'the combinations of stage "{stage}" all leave "{output.artifact.path}", '
        "and a later stage would get only one of them",
        at=output.artifact.span,
        label="left by each combination",
        hint="put an axis into the path, as in dist/${matrix.AXIS}/, give later stages the same combinations, "
        f'"matrix: {{from: {stage}}}", or exclude the stage from later stages with "files_from"; if the files have '
        'different names, set "overlap: true" in "artifacts"',
    )


def _report(output: StageOutput, others: Sequence[StageOutput], report: Report) -> None:
    path = output.artifact.path
    if len(others) == 1:
        message = (
            f'stages "{others[0].stage}" and "{output.stage}" both leave "{path}", and neither runs before the other'
        )
    else:
        names = listed([other.stage for other in others], limit=_SHOWN)
        message = f'stage "{output.stage}" leaves "{path}", as do {names}, and runs neither before nor after them'
    report.add(
        codes.CONFLICTING_FILES,
        message,
        at=output.artifact.span,
        label=f'left by "{output.stage}"',
        related=[Label(other.artifact.span, f'left by "{other.stage}"') for other in others[:_SHOWN]],
        hint="use different paths, or add arcs between the stages"
        if others[1:]
        else "use different paths, or add an arc between the two stages",
    )
