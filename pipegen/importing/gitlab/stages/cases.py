"""Variables that rules set, as `cases` and `env` of a stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.rules import NEVER as NEVER_STARTS
from pipegen.importing.gitlab.reading.rules import Rule
from pipegen.importing.gitlab.stages.conditions import Names, condition
from pipegen.importing.logic import ALWAYS, NEVER, Condition, Conjunction, Opposite, simplified, tests
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.importing.when import as_when
from pipegen.plan.model import Case
from pipegen.structs import Struct, field

_Cases: TypeAlias = Sequence[tuple[Condition, Mapping[str, str]]]


class VariablesOfRules(Struct):
    """The variables that rules of a job set: *cases*, and those in *env*, which no rule replaces."""

    cases: tuple[dict[str, Data], ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def variables_of_rules(job: SourceJob, rules: Sequence[Rule], names: Names, known: Condition) -> VariablesOfRules:
    """Return the variables that *rules* of *job* set in its runs, for all of which *known* holds.

    Raise `UntranslatableError` if a config cannot set them.
    """
    defaults = _defaults(job, rules, names)
    cases: list[tuple[Condition, Mapping[str, str]]] = []
    others: list[Condition] = []
    for rule in rules:
        own = condition(rule.formula, names)
        if rule.when == NEVER_STARTS or not rule.variables:
            others.append(Opposite(own))
        else:
            chosen = simplified(Conjunction((own, *others)), known)
            if any(test.key in ("changes", "exists") for test in tests(chosen)):
                raise UntranslatableError("a rule that tests files sets variables")
            if chosen == ALWAYS:
                return _with_last(cases, rule, Conjunction((own, *others)), defaults)
            if chosen != NEVER:
                cases.append((chosen, dict(rule.variables)))
                known = Conjunction((known, Opposite(chosen)))
    return VariablesOfRules(_written(cases))


def _defaults(job: SourceJob, rules: Sequence[Rule], names: Names) -> Mapping[str, str]:
    """Return the values of *job* for variables that *rules* set."""
    defaults: dict[str, str] = {}
    for name, value in (variable for rule in rules for variable in rule.variables):
        default = job.variables.get(name)
        if (
            name in names.inputs
            or not Case.can_set(default.text if default is not None else "")
            or not Case.can_set(value)
        ):
            raise UntranslatableError(f"a rule sets the variable {name}")
        if default is not None:
            defaults[name] = default.text
    return defaults


def _with_last(cases: _Cases, rule: Rule, chosen: Condition, defaults: Mapping[str, str]) -> VariablesOfRules:
    """Return *cases*, and the variables of *rule*, which holds in all other runs, as `env`.

    If not all cases have a value for these, they are another case, which is *chosen*.
    """
    last = dict(rule.variables)
    if all(name in variables or name in defaults for _, variables in cases for name in last):
        missing = {name: defaults[name] for name in last if name in defaults}
        whole = [(other, {**missing, **variables}) for other, variables in cases]
        return VariablesOfRules(_written(whole), last)
    chosen = simplified(chosen)
    if chosen == ALWAYS:
        raise UntranslatableError("only some rules set the variables of the last one")
    return VariablesOfRules(_written([*cases, (chosen, last)]))


def _written(cases: _Cases) -> tuple[dict[str, Data], ...]:
    return tuple({"when": as_when(chosen), "env": dict(variables)} for chosen, variables in cases)
