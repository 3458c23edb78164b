"""The proof for images: a stage runs in the image of its source, with all steps that do there, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipegen.emit.groovy import literal
from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.blocks import post_blocks, step_blocks
from pipegen.importing.jenkins.importer import JenkinsImport
from pipegen.importing.jenkins.reading.syntax import GroovyBlock, GroovyCall, OtherGroovy, constant
from pipegen.importing.jenkins.stages.directives.machines import IMAGE, NODE
from pipegen.importing.jenkins.stages.keys import runs_commands
from pipegen.importing.jenkins.stages.stage import JenkinsDraft
from pipegen.plan.model import Commands, Job, JobImage

_REFERENCE = re.compile(r"\$\{[^}]*\}|\$\w+")


def machine_differences(draft: JenkinsDraft, job: Job, imported: JenkinsImport) -> Iterator[str]:
    """Yield the differences between the image of *draft*, with the steps that run in it, and that of *job*."""
    expected, actual, name = draft.agent.image, job.machine.image, draft.source.name
    if job.plugin_steps is None and not any(isinstance(step, Commands) for step in job.steps):
        return
    if not (_is_same(expected, actual) if expected and actual is not None else not expected and actual is None):
        yield f'the image of stage "{name}" is another one'
    is_inside = bool(expected) and not draft.work.has_machine
    if is_inside and runs_commands(draft.keys, imported.source.function_texts) and _runs_outside(name, imported):
        yield f'commands in Groovy of stage "{name}" do not run in its image'
    for block in (*step_blocks(draft), *post_blocks(draft, "always", "cleanup", "failure")):
        for around in _commands(block, (), imported):
            if bool(around) != draft.work.has_machine:
                yield f'a step of stage "{name}" does not run where the others do'
            elif around and not _is_in(around[-1], actual):
                yield f'a step of stage "{name}" runs in another image'


def _runs_outside(name: str, imported: JenkinsImport) -> bool:
    """Return whether the Groovy of stage *name* runs outside its container: one that is its agent has all its steps."""
    text = "\n".join(file.text for file in imported.generated)
    start = text.find(f"stage({literal(name)}) {{")
    agent = text[start : text.find("steps {", start)]
    return f"addStage({literal(name)}," in text or (start >= 0 and "docker {" not in agent)


def _is_same(expected: Value, actual: JobImage) -> bool:
    """Return whether *expected*, a value of `image`, is that of *actual*; values of the run count as any text."""
    keys = expected if isinstance(expected, Mapping) else {"name": expected}
    options = {
        "user": actual.user,
        "credentials": actual.credentials,
        "pull": actual.pull.value if actual.pull is not None else None,
    }
    entrypoint, args = keys.get("entrypoint"), keys.get("args", [])
    return (
        (actual.file is not None if "dockerfile" in keys else _matches(str(keys.get("name")), _text(actual)))
        and all(keys.get(key) == value for key, value in options.items())
        and entrypoint == (list(actual.entrypoint) if actual.entrypoint is not None else None)
        and isinstance(args, list)
        and _matches(" ".join(map(str, args)), " ".join(actual.args))
    )


def _matches(text: str, actual: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, _REFERENCE.split(text))), actual) is not None


def _text(image: JobImage) -> str:
    return "".join(part if isinstance(part, str) else "$" for part in image.name.parts)


def _is_in(around: GroovyCall, image: JobImage | None) -> bool:
    """Return whether *image* is that of the block *around*; a `node` has none."""
    argument = around.argument("image") if around.name == IMAGE else None
    name = constant(argument.value) if argument is not None else None
    if around.name != IMAGE or image is None:
        return around.name != IMAGE and image is None
    return name is None or _text(image) == name or _text(image).endswith(f"/{name}")


def _commands(
    block: GroovyBlock, around: tuple[GroovyCall, ...], imported: JenkinsImport
) -> Iterator[tuple[GroovyCall, ...]]:
    """Yield the translated blocks around each translated command in *block* that say where it runs."""
    for statement in block.statements:
        for inner in statement.blocks if isinstance(statement, OtherGroovy) else ():
            yield from _commands(inner, around, imported)
        if not isinstance(statement, GroovyCall):
            continue
        if statement.name == "sh" and imported.is_translated(statement.span):
            yield around
        elif statement.block is not None:
            is_machine = statement.name in (IMAGE, NODE) and imported.is_translated(statement.span)
            yield from _commands(statement.block, (*around, statement) if is_machine else around, imported)
