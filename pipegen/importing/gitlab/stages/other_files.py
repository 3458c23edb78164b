"""Files of jobs of other projects and pipelines, as a setting of GitLab."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.order import is_elsewhere
from pipegen.importing.gitlab.reading.tree import flat_items
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.gitlab.stages.keys.base import raw_data
from pipegen.importing.gitlab.stages.texts import names_in, rule_variables, with_values
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.targets.gitlab.jobs.other_files import crowded_needs

_KEYS = ({"project", "job", "ref"}, {"pipeline", "job"})


def needs_elsewhere(job: SourceJob, inputs: Collection[str]) -> tuple[dict[str, Data], ...]:
    """Return the needs of *job* on jobs of other pipelines, with the values of its variables.

    The generated script may export these, so GitLab would not have them. Variables that are *inputs* stay variables.
    """
    variables = _exported(job, inputs)
    needs = [raw_data(item) for item in flat_items(job.get("needs")) if is_elsewhere(item)]
    return tuple(
        {key: _valued(text, variables) for key, text in need.items()} for need in needs if isinstance(need, dict)
    )


def other_files(job: SourceJob, inputs: Collection[str]) -> tuple[dict[str, Data], ...] | None:
    """Return the jobs of other pipelines whose files the stage of *job* gets; None if the setting cannot have one."""
    needs = needs_elsewhere(job, inputs)
    files = tuple({key: text for key, text in need.items() if (key, text) != ("artifacts", True)} for need in needs)
    texts = [text for need in files for text in need.values()]
    is_complete = all(set(need) in _KEYS for need in files) and all(isinstance(text, str) and text for text in texts)
    read = {name for text in texts for name in names_in(str(text))}
    is_certain = read.isdisjoint((*_exported(job, inputs), *rule_variables(job)))
    is_bridge = bool(files) and "trigger" in job.entries
    return files if is_complete and is_certain and not is_bridge and not crowded_needs(files) else None


def _exported(job: SourceJob, inputs: Collection[str]) -> Mapping[str, Variable]:
    """Return the variables of *job* that neither a run nor a rule sets."""
    others = {*inputs, *rule_variables(job)}
    return {name: variable for name, variable in job.variables.items() if name not in others}


def _valued(text: Data, variables: Mapping[str, Variable]) -> Data:
    """Return *text* with the values of *variables*, unchanged if they are too long; a number is text."""
    text = str(text) if isinstance(text, int) and not isinstance(text, bool) else text
    with suppress(UntranslatableError):
        return with_values(text, variables) if isinstance(text, str) else text
    return text


def files_from_setting(files: Mapping[str, Iterable[Mapping[str, Data]]]) -> list[Data]:
    """Return the setting for the *files* of stages by name: those with the same jobs are together."""
    stages: dict[str, tuple[list[Data], list[Data]]] = {}
    for name, others in files.items():
        jobs: list[Data] = [dict(job) for job in others]
        if jobs:
            stages.setdefault(repr(jobs), ([], jobs))[0].append(name)
    return [{"stages": names, "jobs": jobs} for names, jobs in stages.values()]
