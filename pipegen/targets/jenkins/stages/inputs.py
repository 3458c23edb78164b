"""Parameters of a run: parameters of the build, and variables that scripts read them from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Input, InputType, Plan
from pipegen.plan.model.inputs import BOOLEANS
from pipegen.targets.jenkins import model


def input_variable(name: str) -> str:
    """Return the variable that scripts read the input *name* from; that of its own name lacks in a first build."""
    return f"PIPEGEN_INPUT_{name}"


def input_value(one: Input) -> model.FunctionCall:
    """Return the expression of an input's value; the default also holds where a build does not know its parameters."""
    return model.FunctionCall("parameter", (one.name, one.default) if one.default else (one.name,))


def checked_input(one: Input, *, may_be_empty: bool) -> model.FunctionCall:
    """Return the expression of an input's value that names something; the stage fails where the input takes no such."""
    accepted = one.accepted if one.accepted is not None else ".*"
    if may_be_empty or "" in one.words:
        accepted = f"({accepted})?"
    elif one.default is None:
        accepted = f"(?=.)({accepted})"
    return model.FunctionCall("checkedParameter", (one.name, one.default or "", accepted))


def input_variables(plans: Sequence[Plan], used: Sequence[str]) -> tuple[model.EnvironmentVariable, ...]:
    """Return a variable for each input in *used*, in the order of the file that *plans* are of."""
    return tuple(
        model.EnvironmentVariable(input_variable(one.name), input_value(one))
        for one in plans[0].inputs
        if one.name in used
    )


def input_parameters(plans: Sequence[Plan]) -> Iterator[model.Parameter]:
    """Yield a parameter of the build for each input of the file."""
    for one in plans[0].inputs:
        yield _parameter(one)


def _parameter(one: Input) -> model.Parameter:
    """Return the parameter of *one*; of a choice, Jenkins takes the first for the default."""
    default = one.default or ""
    if one.choices or (one.type is InputType.BOOLEAN and one.default is None):
        others = [choice for choice in one.choices or BOOLEANS if choice != default]
        return model.Parameter(one.name, one.description, "choice", choices=(default, *others))
    if one.type is InputType.BOOLEAN:
        return model.Parameter(one.name, one.description, "booleanParam", default)
    return model.Parameter(one.name, one.description, "text" if "\n" in default else "string", default)
