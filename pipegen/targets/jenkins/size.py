"""How large what is written becomes in a method of the JVM, in nodes of Groovy's syntax tree.

A method of a Jenkinsfile broke between 2,521 and 3,389 nodes, by its shape: "Method code too large". The weights below
count a little more than there is, and the bound leaves room.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.targets.jenkins import model

LARGEST = 1_200
LARGEST_PIPELINE = 1_500

_CALL = 5
_BLOCK = 4
_ARGUMENT = 3


def weigh_added(stage: model.Stage) -> int:
    """Return the weight of the `addStage` call of *stage*."""
    named = _ARGUMENT + len(stage.after)
    failure = _BLOCK + weigh_steps(stage.on_failure) if stage.on_failure else 0
    return _CALL + 2 * _ARGUMENT + named + failure + _BLOCK + weigh_steps(stage.steps)


def weigh_pipeline(blocks: Iterable[model.Block]) -> int:
    """Return the weight of `pipeline {}` with *blocks*."""
    return 40 + sum(_weigh_block(block) for block in blocks)


def weigh_steps(steps: Iterable[model.Step]) -> int:
    """Return the weight of *steps*."""
    return sum(map(_weigh_step, steps))


def _weigh_block(block: model.Block) -> int:
    around = 2 * (_CALL + _BLOCK) if len(block.chains) > 1 else 0
    return around + sum(map(_weigh_chain, block.chains))


def _weigh_chain(chain: model.Chain) -> int:
    around = 2 * (_CALL + _BLOCK) if len(chain.stages) > 1 else 0
    condition = 3 * (_CALL + _BLOCK) if chain.selected.pipelines else 0
    return around + condition + sum(map(_weigh_stage, chain.stages))


def _weigh_stage(stage: model.Stage) -> int:
    agent = _CALL + _BLOCK + _CALL if stage.agent is not None else 0
    failure = 3 * (_CALL + _BLOCK) + weigh_steps(stage.on_failure) if stage.on_failure else 0
    steps = _CALL if stage.steps_function else weigh_steps(stage.steps)
    return 2 * (_CALL + _BLOCK) + agent + failure + steps


def _weigh_step(step: model.Step) -> int:
    match step:
        case model.Sh():
            return 3 * _CALL
        case model.Stash():
            return _CALL + 4 * _ARGUMENT + _weigh_value(step.includes)
        case model.Archive():
            return 2 * _CALL + _BLOCK + 4 * _ARGUMENT
        case model.WithCredentials():
            bindings = sum(_CALL + _ARGUMENT * len(binding.arguments) for binding in step.bindings)
            return _CALL + _BLOCK + bindings + weigh_steps(step.steps)
        case model.OnAgent():
            return 2 * _CALL + _BLOCK + weigh_steps(step.steps)
        case model.StartJob():
            parameters = sum(_CALL + 2 * _ARGUMENT + _weigh_value(value) for _, value in step.parameters)
            return _CALL + 4 * _ARGUMENT + parameters
        case model.SendMail():
            texts = (step.to, step.subject, step.body)
            return _CALL + sum(_ARGUMENT + _weigh_value(text) for text in texts)
        case _:
            return _CALL + 1


def _weigh_value(value: model.Value) -> int:
    match value:
        case model.Joined():
            return sum(1 + _weigh_value(part) for part in value.parts)
        case model.OrElse():
            return 4 + _weigh_value(value.value)
        case model.OneLine():
            return _CALL + _weigh_value(value.value)
        case model.Call():
            return _CALL + len(value.arguments)
        case model.FileText():
            return _CALL + 2 * _ARGUMENT
        case model.Code():
            return 3 * _CALL
        case _:
            return 2
