"""The order in generated files, read back and compared with that of the plans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from readback.texts import relation
from robust.configs import WAYS, Written, analysed, file_of, text_of, written
from robust.random_configs import drawn, wide
from robust.random_configs import text_of as drawn_text

from pipegen.compiler import Analysed
from pipegen.diagnostics.model import Diagnostic
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan, Workspace
from pipegen.readback import gitlab, jenkins
from pipegen.readback.errors import UnreadableError
from pipegen.source.text import SourceFile
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.deployments.stop_stages import with_stop_needs

Pairs = frozenset[tuple[str, str]]
Named = tuple[Plan, Mapping[str, str]]
# The wording of diagnostics for the number of added waits.
_TOLD = re.compile(r"\((\d+) pairs? of stages in all[);]")
_RENAMED = re.compile(r'GitLab does not allow the job name "(.*)"; the job is named "(.*)"', re.DOTALL)
_ADDS = frozenset({"added-waits", "child-waits"})


@dataclass(frozen=True, slots=True)
class Compared:
    """A file whose order was read back: the number of ordered pairs of stages, the added waits, and the faults."""

    way: str
    pairs: int = 0
    added: int = 0
    is_split: bool = False
    faults: tuple[str, ...] = ()


def compared(config: Analysed, target: str, style: str = "") -> Compared | None:
    """Return the comparison of the file of *target* with the plans in *config*; None if it is rejected."""
    output = written(config, target, style)
    return checked(config.plans, target, f"{target} {style}".strip(), output) if output.files else None


def checked(plans: Iterable[Plan], target: str, way: str, output: Written) -> Compared:
    """Return the comparison of the files *output* for *target* with *plans*."""
    try:
        graph = order(output)
    except UnreadableError as error:
        return Compared(way, faults=(f"cannot be read: {error}",))
    called = [(plan, _called(names, output.diagnostics)) for plan, names in named(plans, target)]
    plan_in_required_order = _required_pairs(called) - (_ended_before(called) if target == "gitlab" else Pairs())
    waits = (
        _final_waits(called)
        if any(diagnostic.code.name == "finally-waits" for diagnostic in output.diagnostics)
        else Pairs()
    )
    own = _checkouts(called, graph)
    read = frozenset(pair for pair in relation(graph) if own.isdisjoint(pair))
    added = read - plan_in_required_order - waits
    added_needs = sum(
        int(word)
        for diagnostic in output.diagnostics
        if diagnostic.code.name in _ADDS
        for word in _TOLD.findall(diagnostic.message)
    )
    stages = {name for _, names in called for name in names.values()}
    wrong = {
        "missing": plan_in_required_order - read,
        f"added, and {added_needs} told of": added if len(added) != added_needs else (),
        "of other stages": stages ^ (set(graph.nodes) - own),
    }
    faults = tuple(f"{len(some)} {what}: {_some(some)}" for what, some in wrong.items() if some)
    return Compared(way, len(read), len(added), len(output.files) > 1, faults)


def _called(names: Mapping[str, str], diagnostics: Iterable[Diagnostic]) -> dict[str, str]:
    """Return *names*, replaced as in *diagnostics*."""
    matches = [
        _RENAMED.fullmatch(diagnostic.message) for diagnostic in diagnostics if diagnostic.code.name == "renamed-job"
    ]
    others = {match[1]: match[2] for match in matches if match is not None}
    return {stage: others.get(name, name) for stage, name in names.items()}


def _checkouts(called: Iterable[Named], graph: ExecutionGraph) -> set[str]:
    """Return the stage that checks out the code for all others, if there is one."""
    (plan, names), *_ = called
    is_shared = plan.workspace is Workspace.SHARED
    return {"checkout"} & set(graph.nodes) - set(names.values()) if is_shared else set()


def order(output: Written) -> ExecutionGraph:
    """Return the order that the files *output* enforce."""
    *children, _ = output.files
    if output.text.startswith("//"):
        return jenkins.order(output.text)
    return gitlab.order(output.text, {name: output.files[name] for name in children})


def named(plans: Iterable[Plan], target: str) -> Iterator[Named]:
    """Yield each of *plans* with the names of its stages in the file of *target*."""
    plans = tuple(plans)
    for plan in plans:
        beside = f"{plan.name}: " if len(plans) > 1 else ""
        left_out = _stops(plan) if target == "jenkins" else set()
        yield (
            plan_in_required_order(plan, target),
            {job.stage: beside + job.stage for job in plan.jobs if job.stage not in left_out},
        )


def plan_in_required_order(plan: Plan, target: str) -> Plan:
    """Return *plan* with the order that the file of *target* must enforce.

    On GitLab, a stop stage does not wait for the deployment, which may have failed.
    """
    if target != "gitlab":
        return plan
    needs = ((need, job.stage) for job in plan.jobs for need in with_stop_needs(job, plan).needs)
    return replace(plan, graph=ExecutionGraph([*((stage,) for stage in plan.graph.nodes), *needs]))


def _required_pairs(called: Iterable[Named]) -> Pairs:
    """Return all ordered pairs of stages, with their names in a file."""
    return frozenset(
        (names[earlier], names[later])
        for plan, names in called
        for earlier, later in (*relation(plan.graph), *_final(plan))
        if earlier in names and later in names
    )


def _final(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a stage and a finally stage, except optional stop stages."""
    others = [stage for stage in plan.graph.nodes if stage not in _stops(plan)]
    yield from ((stage, job.stage) for job in plan.jobs if job.is_final for stage in others)


def _ended_before(called: Iterable[Named]) -> Pairs:
    """Return the pairs of a stage and a finally stage that starts without its optional approval, as GitLab's runs do.

    A run ends without a manual job that may be skipped: https://docs.gitlab.com/ci/jobs/job_control/#types-of-manual-jobs
    """
    return frozenset(
        (names[job.stage], names[last.stage])
        for plan, names in called
        for job in plan.jobs
        if job.deployment.approval is not None and job.deployment.approval.is_optional
        for last in plan.jobs
        if last.is_final and job.stage in names and last.stage in names
    )


def _final_waits(called: Sequence[Named]) -> Pairs:
    """Return the waits of finally stages for stages of other pipelines, which GitLab adds."""
    return frozenset(
        (name, names[job.stage])
        for plan, names in called
        for job in plan.jobs
        if job.is_final
        for beside, others in called
        if beside is not plan
        for name in others.values()
    )


def _stops(plan: Plan) -> set[str]:
    return {
        job.stage for job in plan.jobs if job.deployment.environment is not None and job.deployment.environment.stops
    }


def _some(pairs: Iterable[object]) -> str:
    return ", ".join(map(str, sorted(map(str, pairs))[:3]))


def of_known(path: Path, ways: Sequence[tuple[str, str]] = WAYS) -> tuple[Compared, ...]:
    """Return the comparison of each of *ways* to compile the config at *path*; nothing for rejected ones."""
    config = analysed(file_of(path, text_of(path)))
    return tuple(
        comparison for way in ways if config is not None and (comparison := compared(config, *way)) is not None
    )


def of_drawn(number: int, seed: int, most: int = 40) -> tuple[Compared, ...]:
    """Return the comparison of each way to compile the random config *number* of *seed*, of *most* stages."""
    dice = Random(f"{seed} {number}")
    config = analysed(SourceFile("pipegen.yaml", drawn_text(drawn(dice, most))))
    return tuple(
        comparison for way in WAYS if config is not None and (comparison := compared(config, *way)) is not None
    )


def of_wide(number: int, seed: int) -> tuple[Compared, ...]:
    """Return the comparison of a large config, for GitLab in one file and in several."""
    dice = Random(f"{seed} {number}")
    config = drawn_text(wide(dice, dice.randint(300, 420)))
    analysed_config = analysed(SourceFile("pipegen.yaml", config))
    small = f'{{"targets": {{"gitlab": {{"max_yaml_size_bytes": {dice.randint(250_000, 500_000)}}}}}, {config[1:]}'
    other = analysed(SourceFile("pipegen.yaml", small))
    assert analysed_config is not None
    assert other is not None
    comparisons = (
        compared(analysed_config, "gitlab"),
        compared(other, "gitlab"),
        compared(analysed_config, "jenkins", "scripted"),
    )
    return tuple(comparison for comparison in comparisons if comparison is not None)
