"""Needs in short form: a need says nothing about artifacts where there are none that must not arrive."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import Job as PlanJob
from pipegen.plan.model import PublishImage, RunContainer
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.raw import AFTER_FAILURES
from pipegen.targets.gitlab.model import GitLabJob, NeedEntry

_IMAGE_STEPS = (RunContainer, PublishImage)
# The user's own keys of a job that may add artifacts: those of another file, if the job has its script there.
_WITH_ARTIFACTS = frozenset({"artifacts", "extends", "inherit", "pages", "script"})


class Sources(Struct):
    """The jobs that leave something for jobs that need them, and those that do so even if they have failed."""

    names: frozenset[str]
    always: frozenset[str]

    def of(self, job: GitLabJob) -> frozenset[str]:
        """Return the jobs whose artifacts *job* would get by needing them."""
        whens = {job.when, *(rule.when for rule in job.rules)}
        return self.names if whens.isdisjoint(AFTER_FAILURES) else self.always


def sources(jobs: Sequence[GitLabJob]) -> Sources:
    """Return those of *jobs* that leave an archive or the variables of a dotenv report.

    Other reports stay on the server.
    """
    # https://docs.gitlab.com/ci/yaml/#needsartifacts, https://docs.gitlab.com/ci/yaml/artifacts_reports/
    leaving = {
        job.name: job
        for job in jobs
        if job.artifacts or job.artifact_keys.dotenv or not _WITH_ARTIFACTS.isdisjoint(job.raw)
    }
    leaving |= {job.name: leaving[job.extends] for job in jobs if job.extends in leaving}
    return Sources(frozenset([name for name, job in leaving.items() if not _is_for_failures(job)]), frozenset(leaving))


def short_needs(needs: tuple[NeedEntry, ...], leaving: frozenset[str]) -> tuple[NeedEntry, ...]:
    """Return *needs*, which fetch artifacts, as by default, unless those of the jobs *leaving* some must not arrive."""
    if all(need.artifacts or need.job in leaving for need in needs):
        return needs
    return tuple(need if need.job in leaving else replace(need, artifacts=True) for need in needs)


def reads_no_files(job: PlanJob) -> bool:
    """Return whether no step of *job* can see the files in its checkout, whatever they are."""
    if job.after or job.artifacts or not job.steps:
        return False
    return all(isinstance(step, _IMAGE_STEPS) for step in job.steps)


def _is_for_failures(job: GitLabJob) -> bool:
    """Return whether *job* leaves nothing for jobs that need its success."""
    is_allowed = job.limits.allow_failure or job.limits.exit_codes
    return job.artifact_keys.when == "on_failure" and not is_allowed and not job.raw
