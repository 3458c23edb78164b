"""The jobs of one pipeline: one for each stage, and the helpers that GitLab forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.plan.model import Trigger as TriggerStep
from pipegen.targets.gitlab.collectors import Collectors
from pipegen.targets.gitlab.drafts import Draft, idle
from pipegen.targets.gitlab.mail import mail_job
from pipegen.targets.gitlab.model import HELPER, Artifacts, Entry, Hidden, Image, Job, Need, Rule, Variable
from pipegen.targets.gitlab.names import Names
from pipegen.targets.gitlab.needs import Place, needs, output_needs
from pipegen.targets.gitlab.removal import removal_job
from pipegen.targets.gitlab.settings import Settings
from pipegen.targets.gitlab.tools import Surroundings
from pipegen.targets.gitlab.triggers import Bridge, Call

TEARDOWN = "teardown"
_WITHOUT_CHECKOUT = Variable("GIT_STRATEGY", "none")


@dataclass(kw_only=True, slots=True)
class Pipeline:
    """One pipeline on its way to jobs.

    *titles* are the names of the stages' jobs, *prefix* begins the names of
    helpers, *rules* and *fetch* are those of each job.
    """

    plan: Plan
    settings: Settings
    names: Names
    titles: Mapping[str, str]
    prefix: str
    hidden: Mapping[Surroundings, Hidden]
    rules: tuple[Rule, ...]
    fetch: tuple[Variable, ...]
    report: Report
    notes: list[str] = field(default_factory=list)

    def jobs(self, drafts: Sequence[Draft]) -> Iterator[Job]:
        """Yield the jobs of *drafts* in the user's order, each after the collectors it needs and before its helpers."""
        places = {one.job.stage: self._place(one) for one in drafts}
        collectors = self._collectors(drafts, places)
        for one in drafts:
            for job in self._stage_jobs(one, places):
                fitting, made = collectors.fit(job.name, job.needs)
                yield from made
                yield replace(job, needs=fitting)
        yield from removal_job(self.plan, ...)
