"""A matrix of a Jenkinsfile."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.source import sections
from pipegen.importing.jenkins.reading.syntax import GroovyCall, constant
from pipegen.structs import Struct


class _Axis(Struct):
    name: str
    values: tuple[str, ...]
    is_opposite: bool


def axes_of(matrix: GroovyCall) -> tuple[str, ...]:
    """Return the names of the axes of the block *matrix*."""
    return tuple(axis.name for section in sections(matrix, "axes") for axis in _axes(section))


def matrix_of(matrix: GroovyCall, marks: Marks) -> dict[str, Value]:
    """Return the value of `matrix`."""
    axes = {axis.name: list(axis.values) for section in sections(matrix, "axes") for axis in _axes(section)}
    excluded: list[Value] = []
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
