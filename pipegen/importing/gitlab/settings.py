"""Variables that are settings of the target: those for the runner, and those of generated files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from pipegen.emit.yaml import Value
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.gitlab.stages.keys.variables import is_fetch_option
from pipegen.importing.gitlab.stages.texts import names_in
from pipegen.source.tree import children, entries_of, written_text
from pipegen.targets.gitlab.jobs.values import shell_variables
from pipegen.targets.gitlab.runner_variables import can_be_set

_OF_RUNNERS = ("variables", "before_script", "script", "after_script", "parallel")
_PLAIN = re.compile(r"[A-Za-z0-9._:/-]+")


def setting_variables(source: SourcePipeline) -> dict[str, str]:
    """Return the texts of the variables of *source* that settings of the target replace, by name."""
    texts = {
        name: source.variables[name].text for name in shell_variables.SETTING_VARIABLES if name in source.variables
    }
    if not texts:
        return {}
    scripts = "\n".join(
        text_of(item)
        for job in source.jobs.values()
        for key in ("before_script", "script")
        for item in flat_items(job.get(key))
    )
    return {
        name: text
        for name, text in texts.items()
        if shell_variables.is_read(name, scripts)
        and (_PLAIN.fullmatch(text) or text == shell_variables.default_of(name))
    }


def runner_variables(source: SourcePipeline, inputs: Collection[str], accounting: Accounting) -> dict[str, str]:
    """Return the texts of the variables of *source* that configure the runner in all jobs, by name, without *inputs*.

    A variable that rules set, or that a text other than a script contains, is not among them. Neither is one with other
    variables of the file in its text, which a generated script may export, nor one that `fetch` can express. Jobs that
    start other pipelines have no runner.
    """
    own = source.variables.keys() - set(inputs)
    names = [
        name
        for name, variable in source.variables.items()
        if can_be_set(name) and name not in inputs and _is_plain(variable)
        if own.isdisjoint(names_in(variable.text)) and not is_fetch_option(name, variable.text)
        if all(name in job.variables or "trigger" in job.entries for job in source.jobs.values())
    ]
    if not names:
        return {}
    texts = "\n".join(_texts(source))
    variables = {name: source.variables[name] for name in names if not re.search(rf"\b{name}\b", texts)}
    for variable in variables.values():
        accounting.mark(variable.entry, KeyOutcome.TRANSLATED)
    return {name: variable.text for name, variable in variables.items()}


def _is_plain(variable: Variable) -> bool:
    """Return whether GitLab expands *variable*, and does not show it in its form for new pipelines."""
    keys = {entry.key.text for entry in entries_of(variable.entry.value)}
    return variable.is_expanded and keys <= {"value", "expand"}


def _texts(source: SourcePipeline) -> Iterator[str]:
    """Yield the texts of *source* from which GitLab reads variables before the runner has the job.

    These are the values of variables, and the keys of jobs without scripts and matrices: the runner, too, gets the
    variables of these.
    """
    yield from (variable.text for variable in source.variables.values())
    yield from (variable.text for job in source.jobs.values() for variable in job.own_variables.values())
    entries = [entry for job in source.jobs.values() for key, entry in job.entries.items() if key not in _OF_RUNNERS]
    nodes = [entry.value for entry in entries] + ([source.workflow.value] if source.workflow is not None else [])
    while nodes:
        node = nodes.pop()
        yield from (entry.key.text for entry in entries_of(node))
        yield written_text(node)
        nodes += children(node)


def settings_of(variables: Mapping[str, str], for_runners: Mapping[str, str]) -> dict[str, Value]:
    """Return the settings of the target that give *variables* and those *for_runners* their texts, without defaults."""
    keys = shell_variables.SETTING_VARIABLES
    settings: dict[str, Value] = {
        keys[name]: text for name, text in variables.items() if text != shell_variables.default_of(name)
    }
    return {**settings, **({"runner_variables": dict(for_runners)} if for_runners else {})}
