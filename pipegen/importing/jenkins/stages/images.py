"""Steps that push images, also to a registry, as commands of docker."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.importing.jenkins.reading.syntax import (
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    GroovyText,
    OtherGroovy,
    Statement,
    calls_in,
)
from pipegen.importing.jenkins.reading.syntax import Value as GroovyValue
from pipegen.importing.jenkins.stages.directives.agents import in_registry
from pipegen.importing.jenkins.stages.directives.secrets import login_secret
from pipegen.importing.jenkins.stages.scripts.conditionals import commands_of, lines_of
from pipegen.importing.jenkins.stages.shell import ScriptCommand
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.texts import JenkinsNames, Meaning, ShellVariable, shell_word
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

# The most arguments of `docker.withRegistry`: an address and a login.
_MOST_ARGUMENTS = 2
_DEFAULT_TAG = "latest"


def push(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `push` of an image: `Image.push` of the plugin docker-workflow gives it the tag in the registry first."""
    named, names = call.argument("image"), reader.names
    image = names.printed(named.value) if named is not None else names.images[call.name.removesuffix(".push")]
    tags = [argument.value for argument in call.arguments if argument.name in ("", "args")]
    others = len(call.arguments) - len(tags) - (named is not None)
    if call.block is not None or len(tags) > 1 or others:
        raise UntranslatableError("it has other arguments than a tag")
    repository, own = _divided(image, names)
    name = [*repository, ":", *(names.printed(tags[0]) if tags else own)]
    target = shell_word([_prefix(name, context, names), *name])
    tagging = "" if target == shell_word(image) else f"docker tag {shell_word(image)} {target}\n"
    reader.command(call, f"{tagging}docker push {target}", context)
    reader.marks.read(call, "image", "args")


def _divided(image: Sequence[Meaning], names: JenkinsNames) -> tuple[Sequence[Meaning], Sequence[Meaning]]:
    """Return the repository and the tag of *image*, as `ImageNameTokens` of the plugin does.

    Raise `UntranslatableError` if only values of the run say where the tag begins.
    """
    depends_on_run = False
    for at in reversed(range(len(image))):
        text = _known(image[at], names)
        before, colon, after = text.rpartition(":")
        depends_on_run |= not text
        if "/" in after:
            break
        if colon and isinstance(image[at], str):
            return (*image[:at], before), (after, *image[at + 1 :])
        depends_on_run |= bool(colon)
    if depends_on_run:
        raise UntranslatableError("the tag of its image is known only at run time")
    return image, (_DEFAULT_TAG,)


def _known(part: Meaning, names: JenkinsNames) -> str:
    """Return the text of *part*, "" if it is known only at run time."""
    if isinstance(part, str):
        return part
    value = (names.environment.get(part.name) if isinstance(part, ShellVariable) else None) or ""
    return "" if "${" in value else value


def _prefix(name: Sequence[Meaning], context: SourceStepContext, names: JenkinsNames) -> str:
    """Return what is before the *name* of an image in the registry of *context*."""
    if not context.registry:
        return ""
    text = "".join(_known(part, names) or "${}" for part in name)
    address, login = (*context.registry, None)[:_MOST_ARGUMENTS]
    image = in_registry({"name": text}, address, login)
    if image is None:
        raise UntranslatableError("the registry of its image is known only at run time")
    return str(image["name"]).removesuffix(text)


def in_login(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `docker.withRegistry` around steps that push images: commands with a login of their own."""
    if call.block is None or not 0 < len(call.arguments) <= _MOST_ARGUMENTS:
        raise UntranslatableError("it has no address or other arguments")
    address, identifier = ([_word(argument.value, reader.names) for argument in call.arguments] + [""])[:2]
    registry = tuple(GroovyText((text,)) for text in (address, identifier))
    inner = replace(context, registry=registry)
    commands = commands_of(reader, call.block, inner, _read_statement)
    if any(command.sets_variables for command in commands):
        raise UntranslatableError("it sets a value for later steps")
    lines = lines_of(commands, is_followed=False)
    if identifier:
        env = reader.work.keys.get("env")
        name, secret = login_secret(identifier, env if isinstance(env, dict) else {}, reader.work.secrets)
        reader.work.secrets |= secret
        lines = [*(f"  {line}" for line in _login(name, address)), *lines]
    is_bash = any(command.is_bash for command in commands)
    text = "\n".join(("(", *lines, ")"))
    reader.add(ScriptCommand(text=text, is_bash=is_bash, is_group=True), context)
    reader.marks.read(replace(call, block=None))


def pushes(block: GroovyBlock) -> bool:
    """Return whether steps in *block* push images."""
    return any(call.name.endswith(".push") for call in calls_in(block))


def _login(name: str, address: str) -> Sequence[str]:
    """Return the commands that log in with the secret *name* at *address*, in a folder that they remove at the end."""
    host = address.partition("://")[2].partition("/")[0]
    end = f" {host}" if host and host != "index.docker.io" else ""
    return (
        'export DOCKER_CONFIG="$(mktemp -d)"',
        "trap 'rm -rf \"$DOCKER_CONFIG\"' EXIT",
        f'printf %s "${name}_PASSWORD" | docker login -u "${name}_USERNAME" --password-stdin{end}',
    )


def _word(value: GroovyValue, names: JenkinsNames) -> str:
    text = names.word(value)
    if "${" in text:
        raise UntranslatableError("its registry is known only at run time")
    return text


def _read_statement(reader: StepReader, block: GroovyBlock, statement: Statement, context: SourceStepContext) -> None:
    """Read *statement* of *block*; values of its assignments would be lost at its end."""
    if isinstance(statement, GroovyAssignment) or (
        isinstance(statement, OtherGroovy) and statement.variable is not None
    ):
        raise UntranslatableError("it sets a value for later steps")
    reader.read_groovy(reader, block, statement, context)
