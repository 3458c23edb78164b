"""Directives of Declarative in place of steps: `input`, `options`, `agent`, `environment`, `tools` and `post`.

Jenkins enters them in the order `options`, `input`, `agent`, `environment`, `tools`, `steps`, `post`; only `when` says
where it is evaluated (Pipeline Syntax, "Directives"). So a stage with an approval is inside a stage that asks, and
takes its lock and its agent after the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import docker_arguments
from pipegen.targets.jenkins.stages.scripts.shell_variables import is_assignable
from pipegen.targets.jenkins.styles.functions import helpers
from pipegen.targets.jenkins.styles.script_blocks import in_script

_OPTION = re.compile(r"lock\(resource: .*\)|retry\((\d+|count: .*)\)", re.DOTALL)
# The blocks that may be inside a container, and around which variables of credentials may be set.
_TOOLS = "withTools"
# The types of tools for which Jenkins sets the same PATH and the same variable of the folder, and others.
_KNOWN_TOOLS = frozenset({"ant", "go", "gradle", "jdk", "maven", "nodejs"})
_NEUTRAL = frozenset({"cache", "container", "timeout", "within", "withEnv", _TOOLS})
_FILE_OR_TEXT = {"string": "variable", "file": "variable", "sshUserPrivateKey": "keyFileVariable"}
# Returns the steps in place of a step, None for a step that stays.
_Replacer = Callable[[model.Step], "tuple[model.Step, ...] | None"]


def in_directives(
    stage: model.StageBlock, *, may_nest: bool, has_workspace: bool, is_grouped: bool
) -> model.StageBlock:
    """Return *stage* with directives in place of its steps where these mean the same.

    It may be inside a stage that asks with *may_nest*: a controller does not resume a `parallel` of sequential stages.
    With *has_workspace*, the pipeline has an agent; if it *is_grouped*, a stage around all others has it.
    """
    tools, stage = stage.tools, replace(stage, tools=())
    if stage.steps_function:
        return stage
    asks = bool(stage.steps) and isinstance(stage.steps[0], model.InputStep)
    if asks and may_nest:
        stage = replace(stage, approval=stage.steps[0], steps=stage.steps[1:])
    if not asks or may_nest:
        stage = _with_options(stage)
    if stage.agent is not None or stage.pod is not None or has_workspace:
        stage = _with_environment(_with_container(stage, reuses_node=has_workspace))
        # Jenkins installs tools only if the stage or the whole pipeline has an agent.
        if stage.agent is not None or not is_grouped:
            stage = _with_tools(stage, tools)
        stage = _with_post(stage, is_parallel=not may_nest)
    return replace(stage, steps=in_script(stage.steps))


def with_agent_in_steps(stage: model.StageBlock) -> model.StageBlock:
    """Return *stage* with steps that take its agent themselves."""
    if stage.agent is None:
        return stage
    failure = stage.on_failure
    if {"output", "outputIfThere"} & {*helpers(failure)}:
        failure = (model.OnAgent(stage.agent, failure),)
    steps = (model.OnAgent(stage.agent, stage.steps),)
    return replace(stage, agent=None, steps=steps, on_failure=failure)


def _with_options(stage: model.StageBlock) -> model.StageBlock:
    """Return *stage* with its outermost locks and retries as options, and the agent or pod that they are around."""
    while stage.agent is None and stage.pod is None and len(stage.steps) == 1:
        (step,) = stage.steps
        if isinstance(step, model.OnAgent):
            stage = replace(stage, agent=step.agent, steps=step.steps)
        elif isinstance(step, model.InPod):
            stage = replace(stage, pod=step.pod, steps=step.steps)
        elif isinstance(step, model.Wrapped) and _OPTION.fullmatch(step.head):
            stage = replace(
                stage, options=(*stage.options, model.StageOption(step.head, step.plugin)), steps=step.steps
            )
        else:
            break
    return stage


def _with_container(stage: model.StageBlock, *, reuses_node: bool) -> model.StageBlock:
    """Return *stage* with its only image as a docker agent.

    `post`, and so a mail or a step after a failure, does not run if the container cannot start; and a container does
    not wait for another job.
    """
    if stage.on_failure or _follows_failure(stage) or any(isinstance(step, model.StartJob) for step in stage.steps):
        return stage
    images = [step for step in _reached(stage.steps) if isinstance(step, model.InImage)]
    if len(images) != 1 or images[0].services or not isinstance(images[0].image, str):
        return stage
    (inside,) = images
    container = model.ContainerAgent(
        image=str(inside.image),
        args=docker_arguments(inside.args),
        is_pulled=inside.is_pulled,
        reuses_node=reuses_node,
        registry=inside.registry,
    )
    return replace(
        stage,
        container=container,
        steps=_replaced(stage.steps, lambda step: inside.steps if step is inside else None),
    )


def _with_tools(stage: model.StageBlock, tools: tuple[model.Tool, ...]) -> model.StageBlock:
    """Return *stage* with its *tools* on the PATH of all its steps.

    `post`, and so a mail or a step after a failure, does not run if they cannot be installed. Jenkins adds them to the
    PATH of `environment`.
    """
    is_used = any(map(_is_with_tools, _reached(stage.steps)))
    if (
        not is_used
        or stage.on_failure
        or _follows_failure(stage)
        or not _KNOWN_TOOLS.issuperset(tool.type for tool in tools)
    ):
        return stage
    steps = _replaced(
        stage.steps, lambda step: step.steps if isinstance(step, model.Wrapped) and _is_with_tools(step) else None
    )
    return replace(stage, tools=tools, steps=steps)


def _is_with_tools(step: model.Step) -> bool:
    return isinstance(step, model.Wrapped) and model.step_name(step.head) == _TOOLS


def _with_environment(stage: model.StageBlock) -> model.StageBlock:
    """Return *stage* with the credentials of one value as variables; a user and a password have other names there."""
    variables: list[model.EnvironmentVariable] = []

    def replace_bindings(step: model.Step) -> tuple[model.Step, ...] | None:
        if not isinstance(step, model.WithCredentials):
            return None
        directives = [binding for binding in step.bindings if _is_directive(binding)]
        variables.extend(map(_variable, directives))
        others = tuple(binding for binding in step.bindings if binding not in directives)
        return (replace(step, bindings=others),) if others else step.steps

    steps = _replaced(stage.steps, replace_bindings)
    return replace(stage, steps=steps, environment=(*stage.environment, *dict.fromkeys(variables)))


def _is_directive(binding: model.Binding) -> bool:
    return binding.symbol in _FILE_OR_TEXT and is_assignable(dict(binding.variables)[_FILE_OR_TEXT[binding.symbol]])


def _variable(binding: model.Binding) -> model.EnvironmentVariable:
    value = model.FunctionCall("credentials", (binding.credential,))
    return model.EnvironmentVariable(dict(binding.variables)[_FILE_OR_TEXT[binding.symbol]], value)


def _with_post(stage: model.StageBlock, *, is_parallel: bool) -> model.StageBlock:
    """Return *stage* with the steps that follow its script in any case, or after a failure, in `post`.

    `post { failure }` and `post { unsuccessful }` go by the result of the whole build if that is worse than the result
    of the stage. In a `parallel`, they would run because another stage has failed, and `failure` would not run after
    another stage was aborted.
    """
    blocks = _ensured(stage.steps)
    if not all(inner in _ensured(outer.steps) for outer, inner in pairwise(blocks)):
        return stage
    if is_parallel and any(block.on_failure for block in blocks):
        return stage
    steps = stage.steps
    for block in blocks:
        steps = _replaced(steps, partial(_without, block))
    always = [step for block in reversed(blocks) for step in block.always]
    on_failure = [step for block in reversed(blocks) for step in block.on_failure]
    return replace(
        stage,
        steps=steps,
        always=in_script(always),
        failure=in_script([inner for step in on_failure if _is_not_stopped(step) for inner in _inner(step)]),
        unsuccessful=tuple(step for step in on_failure if not _is_not_stopped(step)),
    )


def _follows_failure(stage: model.StageBlock) -> bool:
    """Return whether steps of the user follow a failure of *stage*."""
    return any(_is_not_stopped(step) for block in _ensured(stage.steps) for step in block.on_failure)


def _without(block: model.Ensured, step: model.Step) -> tuple[model.Step, ...] | None:
    return block.steps if step is block else None


def _ensured(steps: tuple[model.Step, ...]) -> list[model.Ensured]:
    """Return the steps with others after them in any case, or after a failure; the outermost first."""
    return [step for step in _reached(steps) if isinstance(step, model.Ensured)]


def _is_not_stopped(step: model.Step) -> bool:
    return isinstance(step, model.Wrapped) and step.head == model.NOT_STOPPED


def _reached(steps: tuple[model.Step, ...]) -> Iterator[model.Step]:
    """Yield *steps* and those inside blocks without a meaning of their own for directives."""
    for step in steps:
        yield step
        if isinstance(step, model.Ensured | model.WithCredentials | model.InImage) or _is_neutral(step):
            yield from _reached(_inner(step))


def _replaced(steps: tuple[model.Step, ...], replacer: _Replacer) -> tuple[model.Step, ...]:
    """Return *steps* with the reached ones replaced."""
    replaced: list[model.Step] = []
    for step in steps:
        instead = replacer(step)
        if instead is not None:
            replaced += instead
        elif isinstance(step, model.Ensured | model.WithCredentials | model.InImage | model.Wrapped) and (
            not isinstance(step, model.Wrapped) or _is_neutral(step)
        ):
            replaced.append(replace(step, steps=_replaced(step.steps, replacer)))
        else:
            replaced.append(step)
    return tuple(replaced)


def _is_neutral(step: model.Step) -> bool:
    return isinstance(step, model.Wrapped) and not step.is_copied and model.step_name(step.head) in _NEUTRAL


def _inner(step: model.Step) -> tuple[model.Step, ...]:
    return step.steps if isinstance(step, model.Ensured | model.WithCredentials | model.InImage | model.Wrapped) else ()
