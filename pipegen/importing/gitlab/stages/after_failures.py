"""Jobs that GitLab skips, and those that start after the failure of any job of earlier stages in spite of these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.arcs import closure, depths, in_order
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.order import Order, needs_of
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.structs import Struct, field, replace
from pipegen.targets.gitlab.jobs.raw import needs_failure, runs_after_failures, starts_in


class Misordered(Struct):
    """The *names* of jobs that would wait for other jobs in some runs: their needs stay raw.

    The jobs *staged* keep the order of stages instead, if fewer than so many jobs are in other stages of the generated
    file.
    """

    names: Collection[str] = ()
    staged: Mapping[str, int] = field(default_factory=dict)


def awaited_by_stages(drafts: Sequence[Draft], source: SourcePipeline) -> list[str]:
    """Return the jobs of *drafts* that jobs of later stages wait for: no optional ones, and none that need these.

    GitLab skips the latter until a person starts the optional one.
    """
    needed = {draft.name: {need.name for need in needs_of(draft.job, source) or ()} for draft in drafts}
    passed = {draft.name for draft in drafts if not draft.is_awaited}
    after_failures = {draft.name for draft in drafts if runs_after_failures(draft.raw)}
    for name in in_order({name: names & needed.keys() for name, names in needed.items()}):
        if name not in after_failures and not needed[name].isdisjoint(passed):
            passed.add(name)
    return [draft.name for draft in drafts if draft.name not in passed]


def with_skipped_jobs(order: Order, drafts: Sequence[Draft], source: SourcePipeline, misordered: Misordered) -> Order:
    """Return *order* in which jobs without needs also wait for those of earlier stages that GitLab skips in some runs.

    Jobs that run after failures wait for those that need one. For others this makes no difference: either these are
    skipped, or a failure has stopped the others. *misordered* jobs wait for those that need an optional job, which may
    be missing. Only in the order of stages they wait: with needs, GitLab skips a job if one that it needs is skipped,
    or starts it at once.
    """
    awaited = awaited_by_stages(drafts, source)
    # Those that wait for no other never run.
    failed = [draft.name for draft in drafts if needs_failure(draft.raw) and order.before.get(draft.name)]
    passed = [draft.name for draft in drafts if draft.may_be_awaited and draft.name not in awaited]
    before = dict(order.before)
    for draft in drafts:
        skipped = [
            *(failed if runs_after_failures(draft.raw) else ()),
            *(passed if draft.name in misordered.names or draft.name in misordered.staged else ()),
        ]
        if skipped and draft.name in before and needs_of(draft.job, source) is None:
            number = draft.job.stage_number
            before[draft.name] |= {name for name in skipped if source.jobs[name].stage_number < number}
    changed = [draft for draft in drafts if before.get(draft.name) != order.before.get(draft.name)]
    exact = in_order_of_stages(changed, drafts, source, replace(order, before=before), misordered) if changed else ()
    return replace(order, before={**order.before, **{name: before[name] for name in exact}})


def after_any_failure(
    drafts: Sequence[Draft], source: SourcePipeline, order: Order, misordered: Misordered, report: Report
) -> frozenset[str]:
    """Return those of these jobs that come after the same jobs without needs in the generated file; report others.

    With needs, GitLab no longer waits as soon as one that a job needs is skipped, whatever else has failed:
    `lib/gitlab/ci/status/composite.rb`. It skips the job, or starts it if it always starts. Without, it waits for all
    jobs of earlier steps in the generated file.
    """
    staged = [draft for draft in drafts if runs_after_failures(draft.raw) and needs_of(draft.job, source) is None]
    if not staged:
        return frozenset()
    earlier = closure(order.before)
    failed = {draft.name for draft in drafts if needs_failure(draft.raw)}
    # The jobs of the first step are not skipped.
    skippable = [
        draft
        for draft in staged
        if not failed.isdisjoint(order.before.get(draft.name, ()))
        or (_looks_at_skipped(draft, order) and any(order.before.get(name) for name in earlier[draft.name]))
    ]
    exact = in_order_of_stages(skippable, drafts, source, order, misordered)
    for draft in skippable:
        if draft.name not in exact and "on_failure" in starts_in(draft.raw):
            report.add(
                codes.NOT_IMPORTED,
                f'job "{draft.name}" starts after failures of the jobs directly before it, not of all earlier ones',
                at=draft.job.span,
                hint='let it start after all jobs of the last stage, where it becomes a stage in "finally"',
            )
    return exact


def _looks_at_skipped(draft: Draft, order: Order) -> bool:
    """Return whether *draft* starts, or is skipped, at another time if one that it needs is skipped."""
    starts = starts_in(draft.raw)
    return "on_failure" in starts or ("always" in starts and len(order.before.get(draft.name, ())) > 1)


def in_order_of_stages(
    chosen: Iterable[Draft], drafts: Sequence[Draft], source: SourcePipeline, order: Order, misordered: Misordered
) -> frozenset[str]:
    """Return those *chosen* of *drafts* for which all earlier steps of *order* have the jobs of all earlier stages.

    Optional jobs, for which no stage waits, make no difference. *misordered* ones can be staged in spite of others.
    """
    depth = depths(order.before)
    awaited = [draft for draft in drafts if (draft.may_be_awaited or needs_failure(draft.raw)) and draft.name in depth]
    return frozenset(
        draft.name
        for draft in chosen
        if needs_of(draft.job, source) is None
        and sum(
            (depth[other.name] < depth[draft.name]) != (other.job.stage_number < draft.job.stage_number)
            for other in awaited
        )
        < misordered.staged.get(draft.name, 1)
    )
