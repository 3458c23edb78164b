"""Loops over the values of axes, in which a scripted file declares all combinations of a matrix.

Facts, tried on Jenkins 2.492: each call of a closure by `each` keeps its own values for closures inside of it. A text
with a value in it equals no other text in a list, so combinations that come after different stages need own calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from pipegen.emit.groovy import literal
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import literals
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.styles.matrices import matrices_of
from pipegen.targets.templates import Values

# Text that is the same between double quotes of Groovy.
_PLAIN_TEXT = r"[ !#%-\[\]-~]*"


def with_loops(
    stages: Sequence[model.StageBlock], named: Iterable[NamedJob]
) -> tuple[model.StageBlock | model.StageLoop, ...]:
    """Return *stages*, with a loop in place of those that are all combinations of a matrix, and differ in nothing else.

    Their steps call a function.
    """
    positions = {stage.name: index for index, stage in enumerate(stages)}
    loops: dict[int, tuple[model.StageLoop, int]] = {}
    for values in matrices_of(named).values():
        names = [name for name in values if name in positions]
        if len(names) < 2:  # noqa: PLR2004 - several
            continue
        first = min(positions[name] for name in names)
        members = stages[first : first + len(names)]
        if {stage.name for stage in members} == {*names} and (
            loop := _loop(members, [values[stage.name] for stage in members])
        ):
            loops[first] = (loop, len(names))
    return tuple(_items(stages, loops))


def _items(
    stages: Sequence[model.StageBlock], loops: dict[int, tuple[model.StageLoop, int]]
) -> Iterator[model.StageBlock | model.StageLoop]:
    index = 0
    while index < len(stages):
        loop, count = loops.get(index, (None, 1))
        yield loop if loop is not None else stages[index]
        index += count


def _loop(members: Sequence[model.StageBlock], values: Sequence[Values]) -> model.StageLoop | None:
    """Return the loop that declares *members*, which have *values*; None if there is none."""
    axes = {axis: tuple(dict.fromkeys(own[axis] for own in values)) for axis in values[0]}
    if [tuple(own.values()) for own in values] != [*product(*axes.values())]:
        return None
    used = {axis: choices for axis, choices in axes.items() if len(choices) > 1}
    prefix = members[0].name.removesuffix(", ".join(values[0].values()))
    if not re.fullmatch(_PLAIN_TEXT, prefix) or any(
        stage.name != prefix + ", ".join(own.values()) for stage, own in zip(members, values, strict=True)
    ):
        return None
    first, *others = [replace(stage, name="", steps=()) for stage in members]
    steps = [_call(stage, own) for stage, own in zip(members, values, strict=True)]
    if any(other != first for other in others) or any(step != steps[0] or step is None for step in steps):
        return None
    expression = prefix + ", ".join(f"${{{axis}}}" if axis in used else values[0][axis] for axis in axes)
    call, variables = steps[0] or (model.GroovyStatement(""), ())
    settings = ", ".join(
        f'"{name}=${{{name}}}"' if name in used else f"'{name}={values[0][name]}'" for name in variables
    )
    body = (model.Wrapped(f"withEnv([{settings}])", (call,)),) if variables else (call,)
    return model.StageLoop(tuple(used.items()), f'"{expression}"', replace(members[0], steps=body))


def _call(stage: model.StageBlock, values: Values) -> tuple[model.GroovyStatement, tuple[str, ...]] | None:
    """Return the call that *stage* consists of, and those of *values* that are its variables; None for other steps."""
    match stage.steps:
        case (model.GroovyStatement() as call,):
            return call, ()
        case (model.Wrapped(steps=(model.GroovyStatement() as call,)) as around,):
            names = tuple(name for name, value in values.items() if literal(f"{name}={value}") in around.head)
            if around.head == f"withEnv({literals([f'{name}={values[name]}' for name in names])})":
                return call, names
    return None
