"""The size of the parts around the stages of a Jenkinsfile, and their division into functions if necessary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.size.weights import (
    weigh_groovy,
    weigh_names,
    weigh_pipeline,
    weigh_pod,
    weigh_steps,
    weigh_value,
)

T = TypeVar("T")

# The maximum weight of a series of variables, parameters or other statements at the top: more goes into functions.
MOST_IN_A_ROW = 300
# The maximum weight of a function of these.
_MOST_IN_A_FUNCTION = 1_000
# Declarative's own limit of variables.
MOST_VARIABLES = 125
# A function call as a statement; a condition around a statement.
_CALL = 4
_IF = 3
_SELECTED = 5
# `properties([…])` with its lists, a `try` with its blocks, the imports and fields.
_PROPERTIES = 12
_NODE = 7
_LOOK = 24
_PIN = 12
_TRY = 4
# A directive with a block.
_BLOCK = 6
# The variable that holds the branch.
_BRANCH = 24


class FileFrame(Struct, kw_only=True):
    """The parts of a Jenkinsfile besides its stages, in any style."""

    properties: tuple[model.Property, ...]
    parameters: tuple[model.Parameter, ...]
    selection: model.SelectionParameter | None
    variables: tuple[model.EnvironmentVariable, ...]
    look: model.Look | None
    pin: model.Pin | None
    guard: tuple[model.NoFork, ...] = ()


def weigh_variable(variable: model.EnvironmentVariable) -> int:
    """Return the weight of setting *variable*."""
    return 6 + weigh_value(variable.value)


def weigh_parameter(parameter: model.Parameter) -> int:
    """Return the weight of declaring *parameter*."""
    if parameter.text:
        return 2 + weigh_groovy(parameter.text)
    return 15 + weigh_names(parameter.choices) if parameter.choices else 16


def _weigh_around(frame: FileFrame) -> int:
    """Return the weight of the parts around the stages, without variables and parameters."""
    properties = sum(weigh_groovy(property_.text) for property_ in frame.properties)
    selection = _CALL if frame.selection is not None else 0
    look = _LOOK + weigh_names(frame.look.bases) if frame.look is not None else 0
    pin = _PIN + _NODE + weigh_selected(frame.pin.selected) if frame.pin is not None else 0
    return _PROPERTIES + properties + selection + look + pin + weigh_steps(frame.guard)


def weigh_declarative(frame: FileFrame, body: model.Declarative) -> int:
    """Return the weight of a declarative file without its functions."""
    weight = _weigh_around(frame) + weigh_pipeline(body) + (_BLOCK + _BRANCH if body.reads_branch else 0)
    if frame.variables:
        weight += _BLOCK + sum(3 + weigh_value(variable.value) for variable in frame.variables)
    return weight + (_BLOCK + sum(map(weigh_parameter, frame.parameters)) if frame.parameters else 0)


def weigh_script(frame: FileFrame, body: model.ScriptedPipelines) -> int:
    """Return the weight of a scripted file without its functions and stages."""
    weight = _weigh_around(frame) + 3 * _CALL + _TRY + _weigh_teardown(body.teardown)
    weight += _weigh_row(frame.variables, weigh_variable) + _weigh_row(frame.parameters, weigh_parameter)
    runs = parallel_pipelines(body)
    if not runs:
        alone: tuple[model.PipelineRoots | model.SharedRun, ...] = (*body.shared, *body.runs[:1])
        return weight + weigh_run(replace(alone[0], selected=model.Selected(), roots=()))
    return weight + _weigh_row(runs, weigh_run)


def parallel_pipelines(body: model.ScriptedPipelines) -> tuple[model.PipelineRoots | model.SharedRun, ...]:
    """Return the pipelines that start one by one; () if one start is enough for all."""
    is_alone = len(body.runs) + len(body.shared) == 1
    is_one_graph = not body.shared and not any(run.end for run in body.runs)
    return () if is_alone or is_one_graph else (*body.runs, *body.shared)


def _weigh_row(items: Sequence[T], weigh: Callable[[T], int]) -> int:
    """Return the weight of a series of *items*, or of the calls of the functions that contain them."""
    functions = in_functions(items, weigh)
    return (_CALL + 2) * len(functions) if functions else sum(map(weigh, items))


def weigh_selected(selected: model.Selected) -> int:
    """Return the weight of a condition around a statement."""
    return _IF + _SELECTED * len(selected.pipelines) if selected.pipelines else 0


def weigh_run(run: model.PipelineRoots | model.SharedRun) -> int:
    """Return the weight of the start of a pipeline among others."""
    weight = 16 + weigh_selected(run.selected) + weigh_names(run.roots) + _CALL * len(run.lists)
    weight += 3 * _CALL + _TRY + 6 if run.end else 0
    if isinstance(run, model.SharedRun):
        weight += _NODE + weigh_steps(run.prepare) + _weigh_teardown(run.teardown)
        weight += weigh_pod(run.agent) if isinstance(run.agent, model.PodAgent) else 0
    return weight


def _weigh_teardown(teardown: model.Teardown | None) -> int:
    """Return the weight of the removal of shared resources."""
    if teardown is None:
        return 0
    return _TRY + _NODE + weigh_selected(teardown.selected) + weigh_steps((teardown.sh,))


def in_functions(items: Iterable[T], weigh: Callable[[T], int]) -> tuple[tuple[T, ...], ...]:
    """Return *items* in parts that each fit into a function; () if all may be in place."""
    all_items = tuple(items)
    return () if sum(map(weigh, all_items)) <= MOST_IN_A_ROW else tuple(parts(all_items, weigh))


def parts(
    items: Iterable[T], weigh: Callable[[T], int], most: int = _MOST_IN_A_FUNCTION, longest: int = 200
) -> Iterator[tuple[T, ...]]:
    """Yield *items* in parts of weight *most* at most, or of one item, and of length *longest* at most."""
    part: list[T] = []
    weight = 0
    for item in items:
        added = weigh(item)
        if part and (weight + added > most or len(part) == longest):
            yield tuple(part)
            part, weight = [], 0
        part.append(item)
        weight += added
    if part:
        yield tuple(part)
