"""The nesting depth of `parallel` blocks in a scripted file, and the diagnostic for graphs that nest too deep.

In measured restarts of Jenkins 2.479, builds with 2 to 10 nested blocks were resumed, and some with 12 to 15; those
with 17 and more failed to load the program (StackOverflowError). Each depth was restarted a few times, 10 once.
Without a restart, 60 run; at about 75 the build itself fails.
"""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.nesting import nesting, nesting_handed_out
from pipegen.plan.model import Workspace
from pipegen.structs import Struct
from pipegen.targets.jenkins.named_jobs import ScriptedPlans

DEEPEST = 10
# The plain driver examines all stages whenever one ends; it was measured with up to this number.
_MANY = 300
_SHOWN_NAMES = 4


class Depth(Struct):
    """The nesting depth of blocks: *deepest* is the maximum if the driver must enforce it, else 0.

    *depth* is the depth without waiting, and *later* are the stages that may have to wait.
    """

    deepest: int = 0
    depth: int = 0
    later: tuple[str, ...] = ()


def depth_of(work: ScriptedPlans, graph: ExecutionGraph) -> Depth:
    """Return the possible nesting depth of blocks for *graph*, the stages of *work*."""
    # Pipelines that start separately are in an additional block.
    deepest = DEEPEST - _are_apart(work)
    is_small = len(graph.nodes) <= _MANY
    if is_small and _most(nesting(graph)) <= deepest:
        return Depth()
    reduced = graph.transitive_reduction()
    if is_small and _most(nesting(reduced)) <= deepest:
        return Depth()
    depths = nesting_handed_out(reduced)
    depth = _most(depths)
    later = tuple(stage for stage in graph.nodes if depths[stage] > deepest // 2) if depth > deepest else ()
    return Depth(deepest, depth + _are_apart(work), later)


def _are_apart(work: ScriptedPlans) -> bool:
    """Return whether each pipeline starts separately: because of a shared workspace, or finally stages."""
    return len(work.plans) > 1 and bool(work.ends or work.with_workspace(Workspace.SHARED))


def report_depth(depth: Depth, work: ScriptedPlans, report: Report) -> None:
    """Report the stages that may start late because nesting is limited."""
    if not depth.later:
        return
    first = next(named_job.job for named_job in work.named if named_job.name == depth.later[0])
    report.add(
        codes.DEEP_NESTING,
        f"{listed(depth.later, limit=_SHOWN_NAMES)} may start late: if many stages overlap, a run can nest "
        f"{depth.depth} parallel blocks, and with {DEEPEST} nested blocks, further stages wait until some end",
        at=first.span,
        label="may start later than necessary",
        hint="shallower runs never wait; a stage in the middle that comes after all earlier stages ends all blocks",
    )


def depth_notes(depth: Depth) -> tuple[str, ...]:
    """Return the header lines about late starts."""
    if not depth.later:
        return ()
    return (f"Stages may start late in runs that put {DEEPEST} parallel blocks into each other.",)


def _most(depths: dict[str, int]) -> int:
    return max(depths.values(), default=0)
