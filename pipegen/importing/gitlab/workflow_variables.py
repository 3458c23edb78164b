"""Variables that rules of the workflow set: they replace those of the file in some runs.

https://docs.gitlab.com/ci/yaml/#workflowrulesvariables
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline, inherited
from pipegen.importing.gitlab.reading.rules import NEVER
from pipegen.importing.gitlab.reading.tree import flat_items
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import entries_of


def set_by_workflow(source: SourcePipeline) -> frozenset[str]:
    """Return the names of the variables that rules of the workflow set."""
    workflow = source.workflow.value if source.workflow is not None else None
    rules = flat_items(workflow.get("rules")) if isinstance(workflow, TreeMapping) else ()
    variables = (rule.get("variables") for rule in rules if isinstance(rule, TreeMapping))
    return frozenset(entry.key.text for each in variables for entry in entries_of(each))


def set_for(job: SourceJob, names: AbstractSet[str]) -> tuple[str, ...]:
    """Return those of these variables, *names*, that *job* gets."""
    others = dict.fromkeys(sorted(names - job.own_variables.keys()))
    return tuple(inherited(others, "variables", job.entries.get("inherit")))


def with_defaults(rule: Data, defaults: Mapping[str, Variable]) -> Data:
    """Return the *rule* of a workflow, which also sets those of *defaults*, variables of the file, that it does not."""
    if not isinstance(rule, dict) or not defaults or rule.get("when") == NEVER:
        return rule
    # GitLab expands all variables that a rule sets.
    texts: dict[str, Data] = {
        name: variable.text if variable.is_expanded else variable.text.replace("$", "$$")
        for name, variable in defaults.items()
    }
    own = rule.get("variables")
    return {**rule, "variables": {**texts, **(own if isinstance(own, dict) else {})}}


def replaced_variables(source: SourcePipeline, names: Collection[str], inputs: Collection[str]) -> dict[str, Variable]:
    """Return the variables of the file that rules of the workflow replace, which set *names*, without the *inputs*."""
    return {name: variable for name, variable in source.variables.items() if name in names and name not in inputs}
