"""Inputs of a run: parameters of the build, and variables that scripts read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Input, InputType, Plan
from pipegen.plan.model.inputs import BOOLEANS
from pipegen.targets.jenkins import model


def input_variable(name: str) -> str:
    """Return the variable of the input *name* for scripts; the parameter's own variable is missing in a first build."""
    return f"PIPEGEN_INPUT_{name}"


def input_value(input_: Input) -> model.GroovyCode:
    """Return the expression of an input's value as text: `params` has the default where a build has no value."""
    return model.GroovyCode(f'"${{params.{input_.name}}}"')


def checked_input(input_: Input, *, may_be_empty: bool) -> model.FunctionCall:
    """Return the expression of an input's value in a name; the stage fails if the input does not accept the value."""
    accepted = input_.accepted if input_.accepted is not None else ".*"
    if may_be_empty or "" in input_.words:
        accepted = f"({accepted})?"
    elif input_.default is None:
        accepted = f"(?=.)({accepted})"
    return model.FunctionCall("checkedParameter", (input_.name, f"(?d)(?:{accepted})"))


def input_variables(plans: Sequence[Plan], used: Sequence[str]) -> tuple[model.EnvironmentVariable, ...]:
    """Return a variable for each input in *used*, in the order of the file of *plans*."""
    return tuple(
        model.EnvironmentVariable(input_variable(input_.name), input_value(input_))
        for input_ in plans[0].inputs
        if input_.name in used
    )


def input_parameters(plans: Sequence[Plan]) -> Iterator[model.Parameter]:
    """Yield a parameter of the build for each input of the file."""
    for input_ in plans[0].inputs:
        yield _parameter(input_)


def _parameter(input_: Input) -> model.Parameter:
    """Return the parameter of *input_*; the default of a choice is its first value."""
    default = input_.default or ""
    if input_.choices or (input_.type is InputType.BOOLEAN and input_.default is None):
        others = [choice for choice in input_.choices or BOOLEANS if choice != default]
        return model.Parameter(input_.name, input_.description, "choice", choices=(default, *others))
    if input_.type is InputType.BOOLEAN:
        return model.Parameter(input_.name, input_.description, "booleanParam", default)
    return model.Parameter(input_.name, input_.description, "text" if "\n" in default else "string", default)
