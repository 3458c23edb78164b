"""The files that a target generates for plans, and the order that they enforce."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pipegen.cli.exits import WrongUsage
from pipegen.cli.generated import joined
from pipegen.cli.timing.orders import READABLE, read_order
from pipegen.compiler import Analysed, generate
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.difference import Difference, difference
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan
from pipegen.readback.gitlab import Jobs, read_jobs
from pipegen.structs import Struct
from pipegen.targets.base import GeneratedFile, Target

_DECLARATIVE = re.compile(r"^pipeline \{$", re.MULTILINE)
# The mark in names that are shortened for GitLab.
_CUT = "…"


class TargetFiles(Struct, kw_only=True):
    """The files of a target, and the difference of their order from the plans.

    *style* is the style of a Jenkinsfile, or ""; *stages* is the number of the config's stages in the files; *jobs* are
    those of GitLab, or ().
    """

    target: str
    files: tuple[str, ...]
    style: str
    stages: int
    difference: Difference
    jobs: tuple[Jobs, ...]

    @property
    def helpers(self) -> tuple[str, ...]:
        """Jobs and stages that are not in the config."""
        return (*self.difference.extra, *(name for file_jobs in self.jobs for name in file_jobs.helpers))


def check_readable(targets: Sequence[Target]) -> None:
    """Raise `WrongUsage` if the files of one of *targets* cannot be read back."""
    for target in targets:
        if target.NAME not in READABLE:
            raise WrongUsage(f'the order of "{target.NAME}" cannot be read back: --target takes {listed(READABLE)}')


def make(analysed: Analysed, target: Target, options: Mapping[str, str], report: Report) -> TargetFiles:
    """Return the files that *target* generates for the plans."""
    files = generate(analysed, target, options, report)
    order = read_order(target.NAME, files)
    order_difference = difference(_requested_order(analysed.plans, order), order)
    return TargetFiles(
        target=target.NAME,
        files=tuple(file.name for file in files),
        style=_style(files[-1]) if target.NAME == "jenkins" else "",
        stages=sum(len(plan.jobs) for plan in analysed.plans) - len(order_difference.missing),
        difference=order_difference,
        jobs=tuple(read_jobs(file.text) for file in files) if target.NAME == "gitlab" else (),
    )


def data(target_files: TargetFiles) -> Mapping[str, object]:
    """Return *target_files* as data; the format is documented in docs/plan.md."""
    order_difference = target_files.difference
    document: dict[str, object] = {"name": target_files.target, "files": list(target_files.files)}
    if target_files.style:
        document["style"] = target_files.style
    document |= {
        "stages": target_files.stages,
        "waits": [{"stages": list(wait.later), "for": list(wait.earlier)} for wait in order_difference.waits],
        "pairs": order_difference.pairs,
        "longest_path": {"asked": list(order_difference.expected), "made": list(order_difference.actual)},
        "missing": list(order_difference.missing),
        "helpers": list(target_files.helpers),
    }
    if target_files.jobs:
        document |= {
            "jobs": sum(len(file_jobs.names) for file_jobs in target_files.jobs),
            "most_needs": _most_needs(target_files),
        }
    return document


def describe(target_files: TargetFiles) -> str:
    """Return *target_files* as text."""
    style = f", {target_files.style}" if target_files.style else ""
    return "\n".join(
        (
            f"target {target_files.target}: {joined(target_files.files)}{style}",
            *(f"  {line}" for line in _lines(target_files)),
        )
    )


def _lines(target_files: TargetFiles) -> Iterator[str]:
    order_difference = target_files.difference
    if not order_difference.waits:
        yield "extra waits: none"
        yield f"longest path: {_stages(order_difference.actual)}"
    else:
        pairs = "1 pair" if order_difference.pairs == 1 else f"{order_difference.pairs} pairs"
        yield f"extra waits: {pairs} of stages"
        yield from (f"  {joined(wait.later)} for {joined(wait.earlier)}" for wait in order_difference.waits)
        if len(order_difference.actual) > len(order_difference.expected):
            expected = len(order_difference.expected)
            yield f"longest path: {_stages(order_difference.actual)}; without these waits {expected}"
        else:
            yield f"longest path: {_stages(order_difference.actual)}, as without these waits"
        yield f"  {' -> '.join(order_difference.actual)}"
    if order_difference.lost:
        yield f"order missing in the files: {order_difference.lost} pairs of stages"
    if order_difference.missing:
        yield f"left out: {joined(order_difference.missing)}"
    if target_files.jobs:
        jobs = sum(len(file_jobs.names) for file_jobs in target_files.jobs)
        yield f"jobs: {jobs} for {target_files.stages} stages, with up to {_most_needs(target_files)} needs"
    else:
        yield f"stages: {target_files.stages}"
    if target_files.helpers:
        yield f"helper jobs and stages: {joined(target_files.helpers)}"


def _stages(path: Sequence[str]) -> str:
    return "1 stage" if len(path) == 1 else f"{len(path)} stages"


def _most_needs(target_files: TargetFiles) -> int:
    return max(file_jobs.most_needs for file_jobs in target_files.jobs)


def _style(file: GeneratedFile) -> str:
    return "declarative" if _DECLARATIVE.search(file.text) else "scripted"


def _requested_order(plans: Sequence[Plan], order: ExecutionGraph) -> ExecutionGraph:
    """Return the order of *plans* with the names of *order*; finally stages come after all others."""
    arcs: list[tuple[str, ...]] = []
    for plan in plans:
        display_names = {job.stage: f"{plan.name}: {job.stage}" if len(plans) > 1 else job.stage for job in plan.jobs}
        order_names = {stage: _name_in_order(name, order) for stage, name in display_names.items()}
        arcs += [(order_names[job.stage],) for job in plan.jobs]
        arcs += [(order_names[earlier], order_names[later]) for earlier, later in plan.graph.arcs]
        final = [job.stage for job in plan.jobs if job.is_final]
        arcs += [(order_names[leaf], order_names[last]) for leaf in plan.graph.leaves for last in final]
    return ExecutionGraph(arcs)


def _name_in_order(name: str, order: ExecutionGraph) -> str:
    """Return the name in *order* of the stage *name*; *name* if there is none."""
    if name in order:
        return name
    return next((node for node in order.nodes if node == f"stage {name}" or _is_shortened(node, name)), name)


def _is_shortened(short: str, name: str) -> bool:
    start, mark, _ = short.partition(_CUT)
    return bool(mark) and name.startswith(start)
