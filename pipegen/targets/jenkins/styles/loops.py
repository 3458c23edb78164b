"""Loops over the values of axes, in which a scripted file declares all combinations of a matrix.

Facts, tried on Jenkins 2.492: each call of a closure by `each` keeps its own values for closures inside it. A text
with a value in it equals no other text in a list, so combinations that come after different stages need own calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.emit.groovy import literal
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import literals
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.size.weights import weigh_added
from pipegen.targets.jenkins.styles.matrices import loop_prefix, matrices_of
from pipegen.targets.templates import Values


def with_loops(
    stages: Sequence[model.StageBlock],
    named: Iterable[NamedJob],
    functions: Sequence[model.StepsFunction],
    room: int,
) -> tuple[model.StageBlock | model.StageLoop, ...]:
    """Return *stages*, with a loop in place of those that are all combinations of a matrix, and differ in nothing else.

    It has the steps of the function, one of *functions*, that they call, if there is *room* for so many more nodes.
    """
    calls = {f"{function.name}()": function.steps for function in functions}
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
            whole = _with_steps(loop, calls)
            weight = weigh_added(whole.stage)
            if weight <= room:
                loop, room = whole, room - weight
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


def called(
    functions: Iterable[model.StepsFunction], declared: Iterable[model.StageBlock | model.StageLoop]
) -> tuple[model.StepsFunction, ...]:
    """Return those of *functions* that the *declared* stages call."""
    stages = (item if isinstance(item, model.StageBlock) else item.stage for item in declared)
    calls = {call.text for stage in stages for call in _calls(stage)}
    return tuple(function for function in functions if f"{function.name}()" in calls)


def _calls(stage: model.StageBlock) -> Iterator[model.GroovyStatement]:
    for step in stage.steps:
        inner = step.steps if isinstance(step, model.Wrapped) else (step,)
        yield from (each for each in inner if isinstance(each, model.GroovyStatement))


def _with_steps(loop: model.StageLoop, calls: Mapping[str, tuple[model.Step, ...]]) -> model.StageLoop:
    """Return *loop* with the steps of the function that it calls, one of *calls*, in place of the call."""
    (step,) = loop.stage.steps
    call = next(_calls(loop.stage)).text
    steps = calls.get(call, loop.stage.steps)
    if isinstance(step, model.Wrapped):
        steps = (replace(step, steps=calls.get(call, step.steps)),)
    return replace(loop, stage=replace(loop.stage, steps=steps))


def _loop(members: Sequence[model.StageBlock], values: Sequence[Values]) -> model.StageLoop | None:
    """Return the loop that declares *members*, which have *values*; None if there is none."""
    prefix = loop_prefix(members, values)
    steps = [_call(stage, own) for stage, own in zip(members, values, strict=True)]
    if prefix is None or any(step != steps[0] or step is None for step in steps):
        return None
    axes = {axis: tuple(dict.fromkeys(own[axis] for own in values)) for axis in values[0]}
    used = {axis: choices for axis, choices in axes.items() if len(choices) > 1}
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
