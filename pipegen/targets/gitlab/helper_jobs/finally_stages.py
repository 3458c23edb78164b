"""Finally stages: jobs after all others, and helpers that note what came of these.

A job with needs would start as soon as one of them is skipped, whatever the others do: GitLab's `when: always` takes a
skipped need for the end of all. So finally jobs stand in a step of their own, without needs, and what they read is
fetched by `dependencies`, which ask for no success.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pipegen.diagnostics.codes import FAIL_FAST_UNAVAILABLE, FINALLY_WAITS, STATUS_UNAVAILABLE
from pipegen.diagnostics.report import Report, listed
from pipegen.plan import model as plan
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.shell_variables import FAILED, MARKS
from pipegen.targets.gitlab.model import HELPER, GitLabJob, ImageKeys, NeedEntry, RuleEntry, ScriptEntry, VariableEntry
from pipegen.targets.gitlab.rules.build import then

OUTCOME = "outcome"
FINALLY = "finally"
_IS_HELPER = VariableEntry(HELPER, "1")
_NO_CHECKOUT = VariableEntry("GIT_STRATEGY", "none")


def check_outcomes(plans: Sequence[plan.Plan], report: Report) -> None:
    """Report what GitLab cannot say of how *plans* end."""
    for one in plans:
        if one.is_fail_fast:
            report.add(
                FAIL_FAST_UNAVAILABLE,
                f'other stages of "{one.name}" start on GitLab also once one has failed',
                at=one.fail_fast_span,
                hint="remove it, or live with that: what GitLab has, auto_cancel on_job_failure, also stops what "
                "runs, and finally stages never start then",
            )
        final = next((job for job in one.jobs if job.is_final), None)
        is_beside_others = len(plans) > 1
        asks_for_all = any("" in job.statuses for job in one.jobs)
        if final is not None and is_beside_others and not asks_for_all:
            others = [other.name for other in plans if other is not one]
            report.add(
                FINALLY_WAITS,
                f'finally stages of "{one.name}" also wait for the stages of {listed(others)}',
                at=final.span,
                hint="GitLab's jobs wait for whole steps here; compile the pipeline alone with --pipeline",
            )
        for job in one.jobs:
            _check_statuses(job, one, report, is_beside_others=is_beside_others)


class Notes(Struct, kw_only=True):
    """The helpers of a pipeline that note what came of its stages.

    *titles* are the names of the stages' jobs, *rules* say when each stage runs; *made* are the helpers for a stage, or
    for "", the pipeline.
    """

    titles: Mapping[str, str]
    rules: Mapping[str, tuple[RuleEntry, ...]]
    made: Mapping[str, tuple[GitLabJob, ...]]

    def of(self, stage: str, step: str) -> Iterator[GitLabJob]:
        """Yield the helpers that note what came of *stage*, in *step*."""
        for job in self.made.get(stage, ()):
            yield replace(job, stage=step)

    def final(self, job: plan.Job, made: GitLabJob) -> GitLabJob:
        """Return the job *made* of the finally stage *job* as one that runs after all others, whatever happened."""
        sources = [need.job for need in made.needs if need.artifacts]
        for stage in job.statuses:
            sources += [self.titles[stage]] if stage else []
            sources += [note.name for note in self.made[stage]]
        dependencies = None if made.trigger is not None else tuple(dict.fromkeys(sources))
        return _when(replace(made, needs=(), dependencies=dependencies), "always", self.rules[job.stage])


def notes(
    one: plan.Plan,
    titles: Mapping[str, str],
    rules: Mapping[str, tuple[RuleEntry, ...]],
    pipeline_rules: tuple[RuleEntry, ...],
    image: ImageKeys | None,
    take: Callable[[str], str],
) -> Notes:
    """Return the helpers of the plan *one*, which run in *image*; *take* gives each a name."""
    made = {}
    for stage in dict.fromkeys(stage for job in one.jobs for stage in job.statuses):
        if stage:
            found = _of_stage(one.job(stage), titles[stage], rules[stage], take)
        else:
            found = iter((_of_all(take("note when a stage fails"), pipeline_rules),))
        made[stage] = tuple(replace(job, image=image) for job in found)
    return Notes(titles=titles, rules=rules, made=made)


def _of_stage(
    job: plan.Job, title: str, rules: tuple[RuleEntry, ...], take: Callable[[str], str]
) -> Iterator[GitLabJob]:
    """Yield the helper for a failure of *job*, and the one for a failure that is allowed: for GitLab that is none."""
    allowed, path = job.limits.allow_failure, f"{MARKS}/{job.slug}"
    note = f"mkdir -p {MARKS} && echo failed >{path}"
    if allowed is None or allowed.exit_codes:
        made = GitLabJob(
            name=take(f"note when {job.stage} fails"),
            stage="",
            needs=(NeedEntry(title, artifacts=False),),
            variables=(_IS_HELPER, _NO_CHECKOUT),
            script=(ScriptEntry(note),),
            artifacts=(path,),
        )
        yield _when(made, "on_failure", rules)
    if allowed is not None:
        yield GitLabJob(
            name=take(f"note whether {job.stage} fails"),
            stage="",
            needs=(NeedEntry(title, artifacts=True),),
            rules=rules,
            # With a checkout, which leaves no files of an earlier run.
            variables=(_IS_HELPER,),
            script=(ScriptEntry(f"[ -e {path} ] || {{ {note}; }}"),),
            artifacts=(path,),
        )


def _of_all(name: str, rules: tuple[RuleEntry, ...]) -> GitLabJob:
    made = GitLabJob(
        name=name,
        stage="",
        dependencies=(),
        variables=(_IS_HELPER, _NO_CHECKOUT),
        script=(ScriptEntry(f"mkdir -p .pipegen && touch {FAILED}"),),
        artifacts=(FAILED,),
    )
    return _when(made, "on_failure", rules)


def _when(job: GitLabJob, when: str, rules: tuple[RuleEntry, ...]) -> GitLabJob:
    """Return *job* as one that runs *when*, if *rules* let it run at all."""
    return replace(job, rules=then(rules, when), when="" if rules else when)


def _check_statuses(job: plan.Job, one: plan.Plan, report: Report, *, is_beside_others: bool) -> None:
    for stage in job.statuses:
        if not stage and is_beside_others:
            message = "GitLab knows the status of all pipelines of a file together, and of none alone"
            hint = "compile the pipeline alone with --pipeline, or read the status of stages"
        elif stage and any(isinstance(step, plan.TriggerJob) for step in one.job(stage).steps):
            message = f'GitLab does not tell the status of stage "{stage}", which ends with a trigger'
            hint = "read ${pipeline.status}, or move the trigger to a stage of its own"
        elif job.after:
            message = (
                f'"after" of stage "{job.title}" is not told what came of others: it is a shell of its own on GitLab'
            )
            hint = 'do in "script" what needs the status, or leave out "after"'
        else:
            continue
        report.add(STATUS_UNAVAILABLE, message, at=job.span, hint=hint)
