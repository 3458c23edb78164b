"""The steps of Jenkins that a config knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.reading.syntax import (
    GroovyCall,
    calls,
    constant,
)
from pipegen.importing.jenkins.stages import commands, images, stored, surrounding
from pipegen.importing.jenkins.stages.directives import machines
from pipegen.importing.jenkins.stages.directives.inputs import with_settings
from pipegen.importing.jenkins.stages.kept import groovy_of, reads
from pipegen.importing.jenkins.stages.scripts import script_block
from pipegen.importing.jenkins.stages.steps import Handler, SourceStepContext, StepReader
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

# Steps that each stage of a config does anyway.
_NEEDLESS = frozenset({"deleteDir", "cleanWs"})
# Steps with a block that concern only the log.
_COSMETIC = frozenset({"timestamps", "ansiColor"})


def _input(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    if reader.work.commands or not context.is_whole or context.is_after or "approve" in reader.work.keys:
        raise UntranslatableError("a stage asks before it starts")
    reader.work.keys["approve"] = approval(reader, call)


def _registry(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `docker.withRegistry` around steps that push images, or around an image that the stage runs in."""
    if call.block is not None and images.pushes(call.block):
        images.in_login(reader, call, context)
    else:
        machines.registry(reader, call, context)


def approval(reader: StepReader, call: GroovyCall) -> Mapping[str, str | list[str]] | bool:
    """Return the value of `approve` for the step or directive *call*."""
    arguments = {argument.name or "message": argument.value for argument in call.arguments}
    result: dict[str, str | list[str]] = {}
    if "message" in arguments:
        result["message"] = reader.names.plain_word(arguments["message"])
    if "submitter" in arguments:
        result["approvers"] = [name.strip() for name in reader.names.plain_word(arguments["submitter"]).split(",")]
    reader.marks.read(call, "message", "submitter")
    return result or True


def directive_approval(reader: StepReader, call: GroovyCall) -> Mapping[str, str | list[str]] | bool:
    """Return the value of `approve` for the directive `input`, without settings that are known only at run time."""
    arguments = []
    for argument in with_settings(call).arguments:
        try:
            if argument.name in ("", "message", "submitter"):
                reader.names.plain_word(argument.value)
            arguments.append(argument)
        except UntranslatableError as error:
            message = f'"{argument.name or "message"}" of "input" is left out: {error}'
            reader.marks.reported(argument.span, message, 'write it in "approve", without values of the run')
    return approval(reader, replace(call, arguments=tuple(arguments), block=None))


def _build(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    job = call.argument("job", "")
    if job is None or context.is_after or "trigger" in reader.work.keys:
        raise UntranslatableError("a stage starts one other job, after its script")
    wait, propagate = call.argument("wait"), call.argument("propagate")
    name = reader.names.word(job.value)
    if not name or "${" in name or any(reads(groovy_of(call), variable) for variable in _set_around(reader, context)):
        raise UntranslatableError("the name of the job is known only at run time")
    trigger: dict[str, Value] = {"name": name}
    parameters = call.argument("parameters")
    if parameters is not None:
        trigger["parameters"] = _parameters(reader, calls(parameters.value))
    trigger["wait"] = wait is None or constant(wait.value) != "false"
    if propagate is not None and constant(propagate.value) == "false":
        trigger["propagate"] = False
    reader.work.keys["trigger"] = trigger
    reader.marks.read(call, "job", "wait", "propagate", "parameters")


def _set_around(reader: StepReader, context: SourceStepContext) -> Iterator[str]:
    """Yield the variables that have another value in a block around a step than in `environment`."""
    env = reader.work.keys.get("env")
    yield from (name for name, _ in context.exports)
    yield from reader.work.secrets
    if isinstance(env, Mapping):
        yield from (name for name, value in env.items() if value != reader.names.environment.get(name))


def _parameters(reader: StepReader, parameters: Sequence[GroovyCall]) -> dict[str, str]:
    values = {}
    for parameter in parameters:
        name, value = parameter.argument("name"), parameter.argument("value")
        if name is None or value is None:
            raise UntranslatableError("a parameter has no name or no value")
        values[constant(name.value) or ""] = reader.names.word(value.value)
        reader.marks.read(parameter, "name", "value")
    return values


def is_needless_section(section: GroovyCall, *, is_isolated: bool) -> bool:
    """Return whether the directive *section* of several stages says only what each stage of a config does anyway."""
    statements = section.block.statements if section.block is not None else ()
    names = {statement.name if isinstance(statement, GroovyCall) else "" for statement in statements}
    if section.name == "options":
        return names <= {"skipDefaultCheckout", "timestamps"}
    blocks = [
        statement.block.statements
        for statement in statements
        if isinstance(statement, GroovyCall) and statement.block is not None
    ]
    inner = {statement.name if isinstance(statement, GroovyCall) else "" for block in blocks for statement in block}
    return section.name == "post" and is_isolated and len(blocks) == len(statements) and inner <= _NEEDLESS


KNOWN_STEPS: Mapping[str, Handler] = {
    "sh": commands.sh,
    "echo": commands.echo,
    "println": commands.echo,
    "print": commands.echo,
    "error": commands.error,
    "sleep": commands.sleep,
    "writeFile": commands.write_file,
    "docker.build": commands.build_image,
    "docker.image.push": images.push,
    "timeout": surrounding.timeout,
    "retry": surrounding.retry,
    "catchError": surrounding.catch,
    "warnError": surrounding.catch,
    "dir": surrounding.folder,
    "withEnv": surrounding.with_env,
    "withCredentials": surrounding.with_credentials,
    "lock": surrounding.lock,
    "container": surrounding.container,
    "script": script_block.script,
    machines.IMAGE: machines.image,
    machines.PULL: machines.pull,
    "docker.withRegistry": _registry,
    machines.NODE: machines.node,
    **dict.fromkeys(_COSMETIC, surrounding.cosmetic),
    **dict.fromkeys(_NEEDLESS, stored.clean),
    "checkout": stored.checkout,
    "archiveArtifacts": stored.archive,
    "stash": stored.stash,
    "unstash": stored.unstash,
    "junit": stored.junit,
    "input": _input,
    "build": _build,
}
