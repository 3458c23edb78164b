"""The order that a declarative or scripted Jenkinsfile enforces."""

from __future__ import annotations

from enum import Enum

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback import declarative, driver, scripted, starting
from pipegen.readback.groovy import GroovyTokens
from pipegen.readback.literals import functions


class FileStyle(Enum):
    """The style of a Jenkinsfile."""

    DECLARATIVE = "declarative"
    SCRIPTED = "scripted"


def order(text: str) -> ExecutionGraph:
    """Return the order of a Jenkinsfile's stages by name; raise `UnreadableError` for other text.

    Stages that contain stages do not count. The arcs include indirect ones: all stages of a block precede all of the
    next.
    """
    return read(text)[1]


def read(text: str) -> tuple[FileStyle, ExecutionGraph]:
    """Return the style of the Jenkinsfile *text*, and the order of its stages."""
    code = GroovyTokens(text)
    pipeline = pipeline_of(code)
    if pipeline is not None:
        return FileStyle.DECLARATIVE, declarative.graph_of(declarative.read(code, pipeline))
    script, _ = script_of(code)
    return FileStyle.SCRIPTED, starting.graph_of(script, code.error)


def pipeline_of(code: GroovyTokens) -> int | None:
    """Return the index of the `pipeline` block of *code*, None if there is none."""
    index = 0
    while index < code.size:
        if code.is_word(index, "pipeline") and code.is_sign(index + 1, "{"):
            return index
        index = code.skip(index)
    return None


def script_of(code: GroovyTokens) -> tuple[scripted.ScriptedFile, driver.Driver]:
    """Return the stages that the scripted *code* declares and starts, and the variant of its driver."""
    definitions = functions(code)
    if not {"addStage", "addTables"} & {token.text for token in code.tokens}:
        raise code.error(0, 'neither a block "pipeline" nor calls of "addStage", as pipegen writes them')
    form = driver.check(code, definitions)
    return scripted.read(code, definitions, driver.names()), form
