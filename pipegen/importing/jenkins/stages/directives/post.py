"""The steps of a stage, and its `post`: commands and steps after its script, reports and files."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.importing.jenkins.marks import StaysGroovyError
from pipegen.importing.jenkins.reading.source import sections
from pipegen.importing.jenkins.reading.syntax import GroovyCall, Statement
from pipegen.importing.jenkins.stages.shell import ScriptCommand
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader

# The conditions in the order in which Jenkins runs their blocks: by `ordinal` of the classes in the package
# org.jenkinsci.plugins.pipeline.modeldefinition.model.conditions, unlike in its handbook.
CONDITIONS = (
    *("always", "changed", "fixed", "regression", "aborted", "success", "unsuccessful", "unstable", "failure"),
    *("notBuilt", "cleanup"),
)
_CONTEXTS = {
    "always": SourceStepContext(when="always", is_after=True, is_whole=False),
    "cleanup": SourceStepContext(when="always", is_after=True, is_whole=False, is_cleanup=True),
    "failure": SourceStepContext(when="failure", is_after=True, is_whole=False),
    "success": SourceStepContext(when="success", is_whole=False),
}
_OF_FILES = frozenset({"archiveArtifacts", "cleanWs", "deleteDir"})


def read_steps(stage: GroovyCall, posts: Sequence[GroovyCall], steps: StepReader) -> None:
    """Read the steps of *stage* and those of its *posts*.

    A block around all steps says where the stage runs unless steps outside it would run there, too.
    """
    is_fresh = steps.is_fresh
    if steps.attempt(lambda: _read(stage, posts, steps)) is not None:
        steps.is_fresh, steps.keeps_machines = is_fresh, True
        _read(stage, posts, steps)


def _read(stage: GroovyCall, posts: Sequence[GroovyCall], steps: StepReader) -> None:
    for block in sections(stage, "steps"):
        steps.marks.translated(block)
        if block.block is not None:
            steps.read(block.block, SourceStepContext())
    for section in posts:
        read_post(section, steps)
    if steps.work.pulled:
        raise StaysGroovyError("the stage does not run in the image")


def read_post(section: GroovyCall, steps: StepReader) -> None:
    """Read the steps of *section*, a block `post`, into the work of the stage of *steps*."""
    steps.marks.translated(section)
    for call in sorted(section.block.statements if section.block is not None else (), key=position):
        if not isinstance(call, GroovyCall) or call.block is None:
            steps.marks.left_out(call, "a config has no Groovy")
            continue
        # Files that are kept after a stopped run, too, do no harm.
        is_like_failure = call.name == "unsuccessful" and all(
            _is_of_files(statement) for statement in call.block.statements
        )
        context = _CONTEXTS.get("failure" if is_like_failure else call.name)
        if context is not None:
            steps.marks.translated(call)
            before, after = _commands(steps), len(steps.work.after)
            steps.read(call.block, context)
            if context.is_cleanup and steps.work.steps_failure and len(steps.work.after) > after:
                steps.marks.differs(
                    call.span,
                    'the commands in "cleanup" run before the steps in "failure"',
                    "check that these steps do not need what the commands remove",
                )
            if context.is_cleanup and len(steps.work.after) > after and any(map(_may_fail, steps.work.after[:after])):
                steps.marks.differs(
                    call.span,
                    'the commands in "cleanup" do not run after a failure of those in "always"',
                    'let the commands in "always" accept failures',
                )
            if call.name == "success" and _commands(steps) > before and (steps.work.after or steps.work.steps_always):
                steps.marks.differs(
                    call.span,
                    'the steps in "success" run before those that run in any case',
                    "check that they do not depend on each other",
                )
        else:
            steps.marks.left_out(
                call,
                "a config has no steps after a stage with this result",
                hint='use "failure" or "always" in "steps", or a stage in "finally"',
            )


def _may_fail(command: ScriptCommand) -> bool:
    return not (command.is_message or command.accepts_failure or command.text.endswith("|| true"))


def _commands(steps: StepReader) -> int:
    """Return the number of commands and steps of Jenkins that run with the script."""
    return len(steps.work.commands) + len(steps.work.steps_before) + len(steps.work.steps_after)


def position(statement: Statement) -> int:
    """Return the position of a block of `post` in the order in which Jenkins runs these; other statements are last."""
    name = statement.name if isinstance(statement, GroovyCall) else ""
    return CONDITIONS.index(name) if name in CONDITIONS else len(CONDITIONS)


def _is_of_files(statement: Statement) -> bool:
    return isinstance(statement, GroovyCall) and statement.name in _OF_FILES
