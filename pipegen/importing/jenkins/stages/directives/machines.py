"""Steps with a block that say where all steps of a stage run: in an image, or on an agent of their own."""

from __future__ import annotations

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import StaysGroovyError
from pipegen.importing.jenkins.reading.syntax import GroovyArgument, GroovyCall
from pipegen.importing.jenkins.stages.directives.agents import (
    as_image,
    in_registry,
    labels_of,
    run_options,
)
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.work import JenkinsAgent
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

# The steps as calls of Groovy.
IMAGE, PULL, NODE = "docker.image.inside", "docker.image.pull", "node"
# Blocks that do the same around an image and in it.
_ANYWHERE = ("if (", "withEnv(", "ansiColor", "timestamps", "cache(")
_REGISTRY_ARGUMENTS = 2


def registry(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `docker.withRegistry`: with only an image in it, the image is in the registry."""
    block = call.block
    if block is not None and _is_only_image(call) and 0 < len(call.arguments) <= _REGISTRY_ARGUMENTS:
        inner = replace(context, registry=tuple(argument.value for argument in call.arguments), is_in_block=True)
        if context.is_nested:
            reader.read(block, inner)
            reader.marks.read(replace(call, block=None))
            return
        if reader.attempt(lambda: reader.read(block, inner)) is None:
            reader.marks.read(replace(call, block=None))
            return
    reader.surround(call, context)


def _is_only_image(call: GroovyCall) -> bool:
    """Return whether the block of *call* has only an image with steps, and perhaps its download."""
    statements = call.block.statements if call.block is not None else ()
    names = [statement.name for statement in statements if isinstance(statement, GroovyCall)]
    return len(names) == len(statements) and names[-1:] == [IMAGE] and {*names[:-1]} <= {PULL}


def pull(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `docker.image(…).pull()` before the steps in this image."""
    image = call.argument("image")
    if context.is_after or reader.work.has_machine or reader.keeps_machines or image is None:
        raise UntranslatableError("it downloads an image that the stage does not run in")
    reader.work.pulled = reader.names.word(image.value)
    reader.marks.read(call, "image")


def image(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `docker.image(…).inside(…)` around all steps of a stage."""
    agent, name, args = reader.work.agent, call.argument("image"), call.argument("args")
    if call.block is None or name is None or agent.image or agent.pod is not None or agent.is_none:
        raise UntranslatableError("a stage runs in one container")
    _check(reader, context)
    named: dict[str, Value] = {"name": reader.names.word(name.value)}
    login = (*context.registry, None)[:_REGISTRY_ARGUMENTS]
    keys = in_registry(named, *login) if context.registry else named
    options = run_options(args.value if args is not None else None, reader.names)
    if keys is None or options is None:
        raise UntranslatableError("the registry or the options of its container are known only at run time")
    if reader.work.pulled:
        if reader.work.pulled != reader.names.word(name.value):
            raise UntranslatableError("the stage downloads another image")
        keys["pull"], reader.work.pulled = "always", ""
    reader.marks.read(call, "image", "args")
    reader.work.agent, reader.work.has_machine = replace(agent, image=as_image({**keys, **options})), True
    reader.read(call.block, replace(context, is_in_machine=True, is_in_block=True, registry=()))


def node(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `node` around all steps of a stage without an agent."""
    block, label = call.block, call.argument("label", "")
    if block is None or reader.attempt(lambda: _read_node(reader, call, label, context)) is not None:
        reader.surround(call, context)
        return
    reader.is_fresh = True
    reader.read(block, replace(context, is_in_machine=True))


def _read_node(reader: StepReader, call: GroovyCall, label: GroovyArgument | None, context: SourceStepContext) -> None:
    """Read the agent of the `node` *call*; raise `StaysGroovyError` if the stage cannot have it."""
    try:
        _check(reader, context)
        labels = labels_of(label.value, reader.names) if label is not None else ()
    except UntranslatableError as error:
        raise StaysGroovyError(str(error)) from error
    if not reader.work.agent.is_none:
        raise StaysGroovyError("the stage has an agent")
    reader.marks.read(call, "label")
    reader.work.agent, reader.work.has_machine = JenkinsAgent(labels=labels, is_own=True), True


def _check(reader: StepReader, context: SourceStepContext) -> None:
    """Raise `UntranslatableError` unless all steps of the stage are in the block."""
    work = reader.work
    if reader.keeps_machines or not context.is_whole or context.is_after or work.steps_before:
        raise UntranslatableError("only all steps of a stage can be in it")
    if context.directory or context.exports or any(not command.is_message for command in work.commands):
        raise UntranslatableError("only all steps of a stage can be in it")
    if not all(head.startswith(_ANYWHERE) for head in work.wrap):
        raise UntranslatableError("it is in another block")
