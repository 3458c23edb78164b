"""The proof for pods: a stage has the pod of its source, and its steps run in the same containers of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pipegen.importing.jenkins.blocks import post_blocks, step_blocks
from pipegen.importing.jenkins.importer import JenkinsImport
from pipegen.importing.jenkins.reading.syntax import GroovyBlock, GroovyCall, OtherGroovy, constant
from pipegen.importing.jenkins.stages.stage import JenkinsDraft
from pipegen.importing.jenkins.stages.work import in_container
from pipegen.plan.model import Job, Pod
from pipegen.structs import Struct

_CONTAINER = re.compile(r"container\('([^']*)'\)")


class _StepInPod(Struct):
    """A step, a command or one that stays Groovy, and the container of the pod that it runs in."""

    container: str
    is_command: bool


def pod_differences(draft: JenkinsDraft, job: Job, imported: JenkinsImport) -> Iterator[str]:
    """Yield the differences between the pod of *draft*, with the containers of its steps, and that of *job*."""
    source, actual, name = draft.agent.pod, job.machine.pod, draft.source.name
    has_work = bool(job.steps) or job.plugin_steps is not None
    if source is None or actual is None or not has_work:
        if (source is not None or actual is not None) and has_work:
            yield f'the pod of stage "{name}" is another one'
        return
    expected = dict(source.keys)
    for axis, value in job.combination.values if job.combination is not None else ():
        texts = {key: text for key, text in expected.items() if isinstance(text, str)}
        expected |= {key: text.replace(f"${{matrix.{axis}}}", value) for key, text in texts.items()}
    if expected != _keys(actual):
        yield f'the pod of stage "{name}" is another one'
    calls = job.plugin_steps.around if job.plugin_steps is not None else ()
    around = [match[1] for call in calls if (match := _CONTAINER.fullmatch(call.text))]
    of_groovy = around[-1] if around else ""
    of_commands = actual.container or of_groovy
    blocks = (*step_blocks(draft), *post_blocks(draft, "always", "cleanup", "failure"))
    for step in (step for block in blocks for step in _steps(block, source.container, draft.work.wrap, imported)):
        if step.container != (of_commands if step.is_command else of_groovy):
            container = f'"{step.container}"' if step.container else "that of the agent"
            yield f'a step of stage "{name}" does not run in its container, which is {container}'


def _keys(pod: Pod) -> dict[str, object]:
    """Return the keys of *pod* in a config, without the container of the script."""
    containers = [{"name": container.name, "image": container.image} for container in pod.containers]
    keys = {"cloud": pod.cloud, "namespace": pod.namespace, "yaml": pod.manifest, "containers": containers}
    return {key: value for key, value in keys.items() if value}


def _steps(block: GroovyBlock, container: str, wrap: Collection[str], imported: JenkinsImport) -> Iterator[_StepInPod]:
    """Yield the steps in *block*, around which is *container*; blocks of steps in *wrap* are around all of a stage."""
    for statement in block.statements:
        for branch in statement.blocks if isinstance(statement, OtherGroovy) else ():
            yield from _steps(branch, container, wrap, imported)
        if not isinstance(statement, GroovyCall):
            continue
        argument = statement.argument("name", "") if statement.name == "container" else None
        name = constant(argument.value) if argument is not None else None
        if statement.name == "sh" and imported.is_translated(statement.span):
            yield _StepInPod(container, is_command=True)
        elif imported.is_raw(statement) and (name is None or in_container(name) not in wrap):
            yield from (_StepInPod(container, is_command=False),) if name is None else ()
        elif statement.block is not None:
            yield from _steps(statement.block, container if name is None else name, wrap, imported)
