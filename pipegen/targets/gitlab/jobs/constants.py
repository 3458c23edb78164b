"""Constants of `env` as variables of a job, in place of exports in its script.

A variable of the project or of a run wins over one of the file. So the names of inputs and secrets stay exports, and
so do names that the runner reads. A `$` would start a variable.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.bindings.expression import Text
from pipegen.plan.model import Commands, Export, IsSet, Job, Leave, Matches, Plan
from pipegen.plan.model.logic import atoms
from pipegen.shell.values.credentials import sources
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.variables import is_free_name
from pipegen.targets.gitlab.model import VariableEntry

# Steps that no constant of `env` affects.
_PLAIN_STEPS = (Commands, Export, Leave)


class Constants(Struct):
    """The *variables* of a job, and the *job* without these in the `env` of its script."""

    variables: tuple[VariableEntry, ...]
    job: Job


def constants(job: Job, plan: Plan) -> Constants:
    """Return the constants in the `env` of *job* that may be variables."""
    scripts = [step for step in job.steps if isinstance(step, Commands)]
    if len(scripts) != 1 or not scripts[0].env or not all(isinstance(step, _PLAIN_STEPS) for step in job.steps):
        return Constants((), job)
    (script,) = scripts
    reserved = _reserved_names(job, plan)
    names = [name for name, _ in script.env]
    variables = {
        name: value.constant or ""
        for name, value in script.env
        if is_free_name(name) and name not in reserved and names.count(name) == 1 and _is_plain(value)
    }
    if not variables:
        return Constants((), job)
    rest = replace(script, env=tuple((name, value) for name, value in script.env if name not in variables))
    return Constants(
        tuple(VariableEntry(name, value) for name, value in variables.items()),
        replace(job, steps=tuple(rest if step is script else step for step in job.steps)),
    )


def params_of(setup: Iterable[str]) -> frozenset[str]:
    """Return the names of variables of a run among the *setup* values that a script uses."""
    return frozenset(name.removeprefix("params.") for name in setup if name.startswith("params."))


def _reserved_names(job: Job, plan: Plan) -> set[str]:
    """Return the names of variables that the script, the image or the conditions of *job* read with another meaning."""
    names = {each.name for each in plan.inputs} | {token.variable for token in job.id_tokens}
    names |= {atom.name for atom in atoms(plan.condition, job.condition) if isinstance(atom, IsSet | Matches)}
    for secret in job.secrets:
        names |= {*secret.variables, *sources(secret)}
    return names


def _is_plain(value: Text) -> bool:
    constant = value.constant
    return constant is not None and constant.isprintable() and "$" not in constant
