"""Statuses of stages, passed to the scripts that read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import chain

from pipegen.emit.groovy import literal
from pipegen.shell.prelude import is_expanded
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import expression
from pipegen.targets.jenkins.named_jobs import NamedJob, names_by_key

_PREFIX = "PIPEGEN_STATUS"
# A step that makes the build unstable does not fail its stage.
_DECLARATIVE_SUCCESS = "currentBuild.resultIsBetterOrEqualTo('UNSTABLE')"
_DECLARATIVE_FAILURE = "currentBuild.resultIsWorseOrEqualTo('FAILURE')"


class Statuses:
    """The stages of the *named* jobs whose status is read; *ends* names the ends of pipelines with finally stages."""

    def __init__(self, named: Sequence[NamedJob], ends: Mapping[str, str]) -> None:
        self._names = names_by_key(named)
        self._ends = ends
        self.is_declarative = False
        self._read = {(named_job.plan.name, stage) for named_job in named for stage in named_job.job.statuses}

    def in_declarative(self) -> Statuses:
        """Return the same statuses for a declarative file, where the result of the build is that of the pipeline."""
        statuses = copy(self)
        statuses.is_declarative = True
        return statuses

    def success_steps(self, named: NamedJob) -> tuple[model.Step, ...]:
        """Return the last step of a stage, which records its success, if its status is read."""
        return (model.Succeeded(named.name),) if named.key in self._read else ()

    def condition(self, named: NamedJob) -> str:
        """Return the Groovy expression for whether the pipeline has the status for which a stage runs, "" for any."""
        status = named.job.on_status
        if status and self.is_declarative:
            return _DECLARATIVE_SUCCESS if status == "success" else _DECLARATIVE_FAILURE
        return f"{self._status(named, '')} == {literal(status)}" if status else ""

    def with_statuses(self, named: NamedJob, steps: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
        """Return *steps* of a stage with the variables for the statuses that it reads."""
        if not named.job.statuses or not steps:
            return steps
        slugs = {"": "", **{job.stage: job.slug for job in named.plan.jobs}}
        variables = [*_variables(named, slugs), *named.statuses]
        values = [
            expression(model.Joined((f"{name}=", model.GroovyCode(self._status(named, stage)))))
            for name, stage in variables
        ]
        return (model.Wrapped(f"withEnv([{', '.join(values)}])", steps),)

    def _status(self, named: NamedJob, stage: str) -> str:
        if not stage and self.is_declarative:
            return f"({_DECLARATIVE_SUCCESS} ? 'success' : 'failed')"
        if not stage:
            return f"statusOfAll({literal(self._ends[named.plan.name])})"
        return f"status({literal(self._names[named.plan.name, stage])})"


def _variables(named: NamedJob, slugs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the variables of the statuses that texts of a stage read, with the stages; *slugs* are those of stages."""
    commands = named.script.commands if named.statuses else ()
    text = "\n".join(chain(*(command.lines for command in commands)))
    for stage in named.job.statuses:
        name = variable(slugs[stage])
        if not named.statuses or is_expanded(name, text):
            yield name, stage


def variable(slug: str) -> str:
    """Return the environment variable for the status of the stage with this *slug*; "" is the pipeline."""
    return f"{_PREFIX}_{re.sub('[^A-Z0-9]', '_', slug.upper())}" if slug else _PREFIX
