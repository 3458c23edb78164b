"""Parameters of a run: variables of the file, which people fill in where they start a pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.patterns import rare_pattern
from pipegen.plan.model import Input, InputType, Plan
from pipegen.plan.model.inputs import BOOLEANS
from pipegen.targets.gitlab.model import Variable

# What GitLab expands in a value, `%NAME%` too.
_EXPANDED = rare_pattern(r"[$%]")


def input_variables(plans: Sequence[Plan]) -> tuple[Variable, ...]:
    """Return a variable for each input of the file that *plans* are of."""
    return tuple(_variable(one) for one in plans[0].inputs)


def input_defaults(plans: Sequence[Plan]) -> dict[str, str]:
    """Return the default of each input of the file that *plans* are of, by the name of its variable."""
    return {one.name: one.default or "" for one in plans[0].inputs}


def _variable(one: Input) -> Variable:
    """Return the variable of *one*; GitLab wants its value among the options, so that none is an option too."""
    value = one.default or ""
    choices = one.choices or (BOOLEANS if one.type is InputType.BOOLEAN else ())
    return Variable(
        name=one.name,
        value=value,
        # Only what has a description stands in the form.
        description=one.description or f"Read as inputs.{one.name}.",
        is_raw=_EXPANDED.search(value) is not None,
        options=tuple(dict.fromkeys((value, *choices))) if choices and value not in choices else choices,
    )
