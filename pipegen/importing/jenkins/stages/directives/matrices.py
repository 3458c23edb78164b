"""A matrix of a Jenkinsfile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.source import sections
from pipegen.importing.jenkins.reading.syntax import GroovyCall, constant
from pipegen.importing.jenkins.stages.build_tests import BuildFacts, BuildTest, holds, variables_of
from pipegen.structs import Struct


class _Axis(Struct):
    name: str
    values: tuple[str, ...]
    is_opposite: bool


def axes_of(matrix: GroovyCall) -> tuple[str, ...]:
    """Return the names of the axes of the block *matrix*."""
    return tuple(axis.name for section in sections(matrix, "axes") for axis in _axes(section))


def matrix_of(matrix: GroovyCall, excluded_by_conditions: Sequence[Value], marks: Marks) -> dict[str, Value]:
    """Return the value of `matrix`, without values that are *excluded_by_conditions*."""
    axes = {axis.name: list(axis.values) for section in sections(matrix, "axes") for axis in _axes(section)}
    excluded: list[Value] = [*excluded_by_conditions]
    for section in sections(matrix, "excludes"):
        for exclude in sections(section, "exclude"):
            parts = {
                axis.name: [value for value in axes.get(axis.name, ()) if (value in axis.values) != axis.is_opposite]
                for axis in _axes(exclude)
            }
            excluded += [dict(zip(parts, values, strict=True)) for values in product(*parts.values())]
        marks.all(section)
    for section in sections(matrix, "axes"):
        marks.all(section)
    result: dict[str, Value] = {name: [*values] for name, values in axes.items()}
    return {**result, "exclude": excluded} if excluded else result


def excluded_by(test: BuildTest, matrix: GroovyCall) -> list[Value] | None:
    """Return the values of axes of *matrix* with which *test* does not hold; None if it tests other facts, too.

    It is also None if the test holds with no values: a matrix of a config has at least one combination.
    """
    axes = {axis.name: axis.values for section in sections(matrix, "axes") for axis in _axes(section)}
    names: dict[str, None] = {}
    for variable in variables_of(test):
        if variable is None or variable.is_parameter or variable.name not in axes:
            return None
        names[variable.name] = None
    combinations = [dict(zip(names, values, strict=True)) for values in product(*(axes[name] for name in names))]
    excluded = [each for each in combinations if not holds(test, BuildFacts(environment=each, parameters={}))]
    return [*excluded] if len(excluded) < len(combinations) else None


def _axes(section: GroovyCall) -> Iterator[_Axis]:
    for axis in sections(section, "axis"):
        name, values, is_opposite = "", tuple[str, ...](), False
        for statement in axis.block.statements if axis.block is not None else ():
            if isinstance(statement, GroovyCall):
                constants = tuple(
                    text for argument in statement.arguments if (text := constant(argument.value)) is not None
                )
                if statement.name == "name":
                    name = constants[0] if constants else ""
                elif statement.name in ("values", "notValues"):
                    values, is_opposite = constants, statement.name == "notValues"
        yield _Axis(name, values, is_opposite)
