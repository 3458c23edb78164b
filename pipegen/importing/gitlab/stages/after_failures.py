"""Jobs that GitLab skips, and those that start after the failure of any job of earlier stages in spite of these."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.arcs import closure, depths, in_order
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.order import Order, needs_of
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.targets.gitlab.jobs.raw import runs_after_failures, starts_in

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


def after_any_failure(drafts: Sequence[Draft], source: SourcePipeline, order: Order, report: Report) -> frozenset[str]:
    """Return those of these jobs that come after the same jobs without needs in the generated file; report others.

    With needs, GitLab skips a job if one that it needs is skipped, whatever else has failed:
    `lib/gitlab/ci/status/composite.rb`. Without, it waits for all jobs of earlier steps in the generated file.
    """
    on_failure = [
        draft for draft in drafts if "on_failure" in starts_in(draft.raw) and needs_of(draft.job, source) is None
    ]
    if not on_failure:
        return frozenset()
    depth, earlier = depths(order.before), closure(order.before)
    # The jobs of the first step are not skipped.
    skippable = [draft for draft in on_failure if any(order.before.get(name) for name in earlier[draft.name])]
    is_staged = max(depth.values(), default=0) < _MOST_STEPS
    awaited = [draft.name for draft in drafts if draft.is_awaited and draft.name in depth]
    exact = {
        draft.name
        for draft in skippable
        if is_staged and all(depth[name] >= depth[draft.name] or name in earlier[draft.name] for name in awaited)
    }
    for draft in skippable:
        if draft.name not in exact:
            report.add(
                codes.NOT_IMPORTED,
                f'job "{draft.name}" starts after failures of the jobs directly before it, not of all earlier ones',
                at=draft.job.span,
                hint='let it start after all jobs of the last stage, where it becomes a stage in "finally"',
            )
    return frozenset(exact)
