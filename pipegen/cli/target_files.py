"""What a target makes of plans: read out of what it generates, which is not written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pipegen.cli.exits import WrongUsage
from pipegen.cli.timing.orders import READABLE, read_order
from pipegen.compiler import Analysed, generate
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.blocks import ExtraWait
from pipegen.graph.difference import Difference, difference
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan
from pipegen.readback.gitlab import Jobs, read_jobs
from pipegen.structs import Struct
from pipegen.targets.base import GeneratedFile, Target

_DECLARATIVE = re.compile(r"^pipeline \{$", re.MULTILINE)
# What GitLab allows of a name that is too long ends so, or has this within.
_CUT = "…"


class TargetFiles(Struct, kw_only=True):
    """The files of a target, and how their order differs from that of the plans.

    *style* is that of a Jenkinsfile, "" for other files; *stages* counts those of the config that are in the files;
    *jobs* are those of GitLab, () for other engines.
    """

    target: str
    files: tuple[str, ...]
    style: str
    stages: int
    difference: Difference
    jobs: tuple[Jobs, ...]

    @property
    def helpers(self) -> tuple[str, ...]:
        """What stands for no stage of the config."""
        return (*self.difference.extra, *(name for one in self.jobs for name in one.helpers))


def check_readable(targets: Sequence[Target]) -> None:
    """End with wrong usage when nothing reads what one of *targets* generates."""
    for target in targets:
        if target.NAME not in READABLE:
            raise WrongUsage(f'the order of "{target.NAME}" cannot be read back: --target takes {listed(READABLE)}')


def make(analysed: Analysed, target: Target, options: Mapping[str, str], report: Report) -> TargetFiles:
    """Return what *target* makes of the plans; *report* gets what is said of that."""
    files = generate(analysed, target, options, report)
    made = read_order(target.NAME, files)
    found = difference(_asked(analysed.plans, made), made)
    return TargetFiles(
        target=target.NAME,
        files=tuple(file.name for file in files),
        style=_style(files[-1]) if target.NAME == "jenkins" else "",
        stages=sum(len(plan.jobs) for plan in analysed.plans) - len(found.missing),
        difference=found,
        jobs=tuple(read_jobs(file.text) for file in files) if target.NAME == "gitlab" else (),
    )


def data(made: TargetFiles) -> Mapping[str, object]:
    """Return *made* for programs: see docs/plan.md."""
    found = made.difference
    told: dict[str, object] = {"name": made.target, "files": list(made.files)}
    if made.style:
        told["style"] = made.style
    told |= {
        "stages": made.stages,
        "waits": [{"stages": list(wait.later), "for": list(wait.earlier)} for wait in found.waits],
        "pairs": found.pairs,
        "longest_path": {"asked": list(found.expected), "made": list(found.actual)},
        "missing": list(found.missing),
        "helpers": list(made.helpers),
    }
    if made.jobs:
        told |= {"jobs": sum(len(one.names) for one in made.jobs), "most_needs": _most_needs(made)}
    return told


def described(made: TargetFiles, names: Callable[[Iterable[str]], str]) -> str:
    """Return *made* for people; *names* writes several names on one line."""
    style = f", {made.style}" if made.style else ""
    return "\n".join(
        (f"target {made.target}: {names(made.files)}{style}", *(f"  {one}" for one in _lines(made, names)))
    )


def _lines(made: TargetFiles, names: Callable[[Iterable[str]], str]) -> Iterator[str]:
    found = made.difference
    if not found.waits:
        yield "waits without need: none"
        yield f"longest path: {_stages(found.actual)}"
    else:
        pairs = "1 pair" if found.pairs == 1 else f"{found.pairs} pairs"
        yield f"waits without need: {pairs} of stages"
        yield from (_wait(wait, names) for wait in found.waits)
        if len(found.actual) > len(found.expected):
            yield f"longest path: {_stages(found.actual)}; without these waits {len(found.expected)}"
        else:
            yield f"longest path: {_stages(found.actual)}, as without these waits"
        yield f"  {' -> '.join(found.actual)}"
    if found.lost:
        yield f"order that the files do not show: {found.lost} pairs of stages"
    if found.missing:
        yield f"left out: {names(found.missing)}"
    if made.jobs:
        jobs = sum(len(one.names) for one in made.jobs)
        yield f"jobs: {jobs} for {made.stages} stages, with up to {_most_needs(made)} needs"
    else:
        yield f"stages: {made.stages}"
    if made.helpers:
        yield f"beside the stages: {names(made.helpers)}"


def _wait(wait: ExtraWait, names: Callable[[Iterable[str]], str]) -> str:
    return f"  {names(wait.later)} for {names(wait.earlier)}"


def _stages(path: Sequence[str]) -> str:
    return "1 stage" if len(path) == 1 else f"{len(path)} stages"


def _most_needs(made: TargetFiles) -> int:
    return max(one.most_needs for one in made.jobs)


def _style(file: GeneratedFile) -> str:
    return "declarative" if _DECLARATIVE.search(file.text) else "scripted"


def _asked(plans: Sequence[Plan], made: ExecutionGraph) -> ExecutionGraph:
    """Return the order that *plans* ask for, stages by their names in *made*; finally stages come after all others."""
    arcs: list[tuple[str, ...]] = []
    for plan in plans:
        wanted = {job.stage: f"{plan.name}: {job.stage}" if len(plans) > 1 else job.stage for job in plan.jobs}
        shown = {stage: _shown(name, made) for stage, name in wanted.items()}
        arcs += [(shown[job.stage],) for job in plan.jobs]
        arcs += [(shown[earlier], shown[later]) for earlier, later in plan.graph.arcs]
        final = [job.stage for job in plan.jobs if job.is_final]
        arcs += [(shown[leaf], shown[last]) for leaf in plan.graph.leaves for last in final]
    return ExecutionGraph(arcs)


def _shown(name: str, made: ExecutionGraph) -> str:
    """Return the name in *made* of the stage that would be called *name*; itself where it has none."""
    if name in made:
        return name
    return next((one for one in made.nodes if one == f"stage {name}" or _is_cut(one, name)), name)


def _is_cut(shown: str, name: str) -> bool:
    start, cut, _ = shown.partition(_CUT)
    return bool(cut) and name.startswith(start)
