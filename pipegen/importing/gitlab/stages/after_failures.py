"""Jobs that GitLab skips, and those that start after the failure of any job of earlier stages in spite of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.arcs import closure, depths, in_order
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.order import Order, needs_of
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.raw import needs_failure, runs_after_failures, starts_in

# A generated file with more steps has one stage, which decides no order.
_MOST_STEPS = 20


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


def with_jobs_of_failures(order: Order, drafts: Sequence[Draft], source: SourcePipeline) -> Order:
    """Return *order* in which jobs that run after failures also wait for those of earlier stages that need a failure.

    For other jobs this makes no difference: either those are skipped, or a failure has stopped the others. Jobs that
    need a failure, and wait for no other, never run. Only a job without needs can wait, as GitLab starts one that needs
    a skipped job at once, or never.
    """
    failed = [draft.name for draft in drafts if needs_failure(draft.raw) and order.before.get(draft.name)]
    staged = [draft for draft in drafts if runs_after_failures(draft.raw) and needs_of(draft.job, source) is None]
    if not failed or not staged:
        return order
    before = {
        draft.name: order.before[draft.name].union(
            name for name in failed if source.jobs[name].stage_number < draft.job.stage_number
        )
        for draft in staged
    }
    exact = _exact(staged, drafts, replace(order, before={**order.before, **before}))
    return replace(order, before={**order.before, **{name: before[name] for name in exact}})


def after_any_failure(drafts: Sequence[Draft], source: SourcePipeline, order: Order, report: Report) -> frozenset[str]:
    """Return those of these jobs that come after the same jobs without needs in the generated file; report others.

    With needs, GitLab skips a job if one that it needs is skipped, whatever else has failed:
    `lib/gitlab/ci/status/composite.rb`. Without, it waits for all jobs of earlier steps in the generated file.
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
        or ("on_failure" in starts_in(draft.raw) and any(order.before.get(name) for name in earlier[draft.name]))
    ]
    exact = _exact(skippable, drafts, order)
    for draft in skippable:
        if draft.name not in exact:
            report.add(
                codes.NOT_IMPORTED,
                f'job "{draft.name}" starts after failures of the jobs directly before it, not of all earlier ones',
                at=draft.job.span,
                hint='let it start after all jobs of the last stage, where it becomes a stage in "finally"',
            )
    return exact


def _exact(chosen: Iterable[Draft], drafts: Sequence[Draft], order: Order) -> frozenset[str]:
    """Return those *chosen* of *drafts* that come after the same jobs if they wait for all earlier steps of *order*."""
    depth, earlier = depths(order.before), closure(order.before)
    if max(depth.values(), default=0) >= _MOST_STEPS:
        return frozenset()
    awaited = [draft.name for draft in drafts if (draft.is_awaited or needs_failure(draft.raw)) and draft.name in depth]
    return frozenset(
        draft.name
        for draft in chosen
        if all(depth[name] >= depth[draft.name] or name in earlier[draft.name] for name in awaited)
    )
