"""`post` of a pipeline: stages in `finally`, notifications, or keys of its only stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from pipegen.diagnostics.report import listed
from pipegen.emit.yaml import Value
from pipegen.importing.arcs import ALWAYS as ALWAYS_RUNS
from pipegen.importing.arcs import FAILED, SUCCESS
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.source import JenkinsSource
from pipegen.importing.jenkins.reading.syntax import GroovyBlock, GroovyCall, GroovyText, Statement, all_calls
from pipegen.importing.jenkins.stages.directives.post import position
from pipegen.importing.jenkins.stages.kept import groovy_texts, in_block
from pipegen.importing.jenkins.stages.keys import (
    add_checkout_variables,
    add_script,
    add_split_values,
    keys_of,
    with_called,
)
from pipegen.importing.jenkins.stages.known_steps import KNOWN_STEPS
from pipegen.importing.jenkins.stages.stage import JenkinsDraft, JenkinsStages
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.work import StageWork, artifacts, leave_out_checkouts
from pipegen.importing.logic import ALWAYS
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.readback.groovy import lines_in_strings
from pipegen.structs import MutableStruct, Struct, field, replace

# The variable with the status of the pipeline.
STATUS, PIPELINE_STATUS = "STATUS", "${pipeline.status}"
_STATUS = {"success": SUCCESS, "failure": FAILED, "unsuccessful": FAILED}
# Conditions of Groovy for results that no status of a config distinguishes. Jenkins compares with the last build that
# has ended; "regression" is a worse result than that of this build.
_PREVIOUS = "currentBuild.previousCompletedBuild?.result"
# A step can mark a build as unstable that fails later; a scripted one gets the result "FAILURE" only at its end.
_UNSTABLE = "env.STATUS == 'success' && currentBuild.currentResult == 'UNSTABLE'"
_RESULTS = {
    "unstable": _UNSTABLE,
    "fixed": f"env.STATUS == 'success' && currentBuild.currentResult == 'SUCCESS'"
    f" && {_PREVIOUS} in ['FAILURE', 'UNSTABLE']",
    "changed": f"(env.STATUS == 'success' ? currentBuild.currentResult : 'FAILURE') != {_PREVIOUS}",
    "regression": f"{_UNSTABLE} ? {_PREVIOUS} == 'SUCCESS'"
    f" : env.STATUS == 'failed' && {_PREVIOUS} in ['SUCCESS', 'UNSTABLE']",
}
_NAMES = {
    "always": "always",
    "cleanup": "cleanup",
    "success": "on success",
    "failure": "on failure",
    "unstable": "if unstable",
    "fixed": "if fixed",
    "changed": "if changed",
    "regression": "if worse",
}
# The result of the build, read in Groovy or in a text.
_READ_RESULT = re.compile(r"(\$?)\bcurrentBuild\.(?:currentResult|result)\b(?!\s*=[^=~])")
# The result that Jenkins sets at the end of the stages, before `post` of the pipeline.
_READ_FINAL_RESULT = re.compile(r"\bcurrentBuild\.result\b(?!\s*=[^=~])")
# Keys of a stage whose end is not that of the build.
_OTHER_ENDS = frozenset({"approve", "allow_failure"})
# Steps that a stage in `finally` does for each result: for one that a config does not know, they stay Groovy.
_OF_FILES = frozenset({"archiveArtifacts", "junit", "stash"})
_MAILS = frozenset({"mail", "emailext"})


class End(Struct, kw_only=True):
    """A stage in `finally`: its *name* and *keys*, for which *status* it runs, its work, and its block."""

    name: str
    status: str
    keys: dict[str, Value]
    work: StageWork
    call: GroovyCall


class Ends(MutableStruct):
    """The stages in `finally`, and other keys of the pipeline."""

    stages: tuple[End, ...] = ()
    pipeline: dict[str, Value] = field(default_factory=dict)


def ends_of(
    source: JenkinsSource, stages: JenkinsStages, drafts: Sequence[JenkinsDraft], marks: Marks, *, is_shared: bool
) -> Ends:
    """Return what becomes of `post` of the pipeline."""
    section = source.section("post")
    ends = Ends()
    if section is None or section.block is None:
        return ends
    marks.translated(section)
    block = _with_notifications(section.block, ends, stages, marks)
    if len(drafts) == 1 and _always_runs_once(drafts[0]):
        of_stage = _part(block, lambda call, step: call.name not in _RESULTS and _may_repeat(step, drafts[0]))
        before = len(drafts[0].work.steps_after)
        stages.add_post(replace(section, block=of_stage), drafts[0])
        if any(_READ_FINAL_RESULT.search(call.whole.text) for call in drafts[0].work.steps_after[before:]):
            marks.differs(
                section.span,
                '"currentBuild.result" in "success" is null: the steps of the stage run before Jenkins sets it',
                'read "currentBuild.currentResult"',
            )
        block = _part(block, lambda call, step: call.name in _RESULTS or not _may_repeat(step, drafts[0]))
    taken = {stage.name for stage in source.stages}
    for call in sorted(block.statements, key=position):
        if not isinstance(call, GroovyCall) or call.block is None:
            marks.left_out(call, "a config has no Groovy")
        elif call.name not in _NAMES and call.name not in _STATUS:
            reason = 'a run with this result starts no stage in "finally"'
            marks.left_out(call, reason, hint="use a plugin that watches for canceled builds")
        else:
            block = call.block if is_shared else _without_reports(call.block, marks)
            end = _end(call, block, stages, marks, taken, is_shared=is_shared)
            if end is not None:
                _report_timeouts(call, source, marks)
                _report_unsuccessful(call, marks)
                taken.add(end.name)
                ends.stages = (*ends.stages, end)
    _report_order(section, ends, marks)
    return ends


def _always_runs_once(draft: JenkinsDraft) -> bool:
    """Return whether *draft*, the only stage, always runs once, so that its end is that of the build.

    A stage whose failure the build accepts has another result.
    """
    return draft.condition == ALWAYS and draft.source.matrix is None and not _OTHER_ENDS & draft.keys.keys()


def _may_repeat(step: Statement, draft: JenkinsDraft) -> bool:
    """Return whether *step* of `post` may run where the stage *draft* does, after each attempt: one for files may."""
    is_alike = "retry" not in draft.keys and not draft.work.has_machine
    return is_alike or getattr(step, "name", "") in _OF_FILES


def _part(block: GroovyBlock, is_in: Callable[[GroovyCall, Statement], bool]) -> GroovyBlock:
    """Return *block* of `post` with those steps of each condition that are in the part."""
    calls: list[Statement] = []
    for call in block.statements:
        if not isinstance(call, GroovyCall) or call.block is None:
            calls.append(call)
        elif steps := tuple(step for step in call.block.statements if is_in(call, step)):
            calls.append(replace(call, block=replace(call.block, statements=steps)))
    return replace(block, statements=tuple(calls))


def _report_timeouts(call: GroovyCall, source: JenkinsSource, marks: Marks) -> None:
    """Report that *call* of `post` also runs after timeouts, if *source* has some."""
    if call.name == "failure" and any(step.name == "timeout" for step in all_calls(source.pipeline)):
        marks.differs(
            call.span,
            '"failure" also runs after a timeout, which aborts the build in the original',
            "a stage that exceeds its time limit fails; let its commands accept that",
        )


def _report_unsuccessful(call: GroovyCall, marks: Marks) -> None:
    """Report for which results *call* of `post` runs in Jenkins only."""
    if call.name == "unsuccessful":
        marks.differs(
            call.span,
            '"unsuccessful" runs after failures only, and in the original after unstable and canceled builds, too',
            'let commands that find a build unstable fail; a canceled run starts no stage in "finally"',
        )


def _report_order(section: GroovyCall, ends: Ends, marks: Marks) -> None:
    """Report stages that run in any case next to others, unless they only print: those in `finally` have no order."""
    names = [end.call.name for end in ends.stages if not end.work.only_prints]
    if len(names) > 1 and not {"always", "cleanup"}.isdisjoint(names):
        marks.differs(
            section.span,
            f'{listed(names)} of "post" run at the same time: stages in "finally" have no order',
            "put commands that depend on each other into one of these stages",
        )


def _end(
    call: GroovyCall,
    block: GroovyBlock,
    stages: JenkinsStages,
    marks: Marks,
    taken: Collection[str],
    *,
    is_shared: bool,
) -> End | None:
    """Return the stage that runs the *block* of *call*; None if it does nothing."""
    marks.translated(call)
    agent = stages.pipeline_agent()
    work = StageWork(default_container=agent.container)
    is_limited = call.name in _RESULTS
    known = {name: step for name, step in KNOWN_STEPS.items() if not (is_limited and name in _OF_FILES)}
    names = stages.pipeline_names()
    steps = StepReader(f"post {call.name}", names, work, marks, known)
    steps.functions, steps.groovy_stashes = stages.function_texts, stages.groovy_stashes
    steps.is_last = True  # these stages run side by side
    name = _NAMES.get(call.name, "on failure")
    while name in taken:
        name = f"post {name}"
    steps.stays_groovy = "a config does not know this result" if is_limited else stages.refused.get(name, "")
    steps.read(block, SourceStepContext(when="always", is_whole=False))
    if not keys_of(work):
        return None
    stages.read_environment(None, call, names, work)
    keys = keys_of(work)
    leave_out_checkouts(work, marks, has_stashes=True)
    if files := artifacts(work.files, marks):
        keys["artifacts"] = files
    if is_shared:
        _replace_result(keys, stages, call, marks)
    if is_limited:
        _limit(keys, _RESULTS[call.name])
    add_split_values(keys, names)
    add_checkout_variables(keys, names.environment, stages.function_texts)
    keys |= agent.keys(work.script_container)
    add_script(keys, work, agent, is_shared=is_shared)
    return End(name=name, status=_STATUS.get(call.name, ALWAYS_RUNS), keys=keys, work=work, call=call)


def _replace_result(keys: dict[str, Value], stages: JenkinsStages, call: GroovyCall, marks: Marks) -> None:
    """Let Groovy in *keys* read that the build has failed: a scripted pipeline gets this result only at its end."""
    texts = [groovy.text for groovy in groovy_texts(keys)]
    if any(_READ_RESULT.search(text) for text in with_called(texts, stages.function_texts)[len(texts) :]):
        marks.differs(
            call.span,
            "after a failure, functions that these steps call read a result that is not yet set",
            'give them the result as an argument, from "${pipeline.status}"',
        )
    steps = keys.get("steps")
    if isinstance(steps, dict) and any(_READ_RESULT.search(text) for text in texts):
        keys["steps"] = {**steps, "jenkins": _with_result(steps.get("jenkins"))}
        _add_status(keys)


def _with_result(calls: Value) -> Value:
    """Return the steps *calls* of Jenkins with the result of a build that has failed."""
    match calls:
        case dict():
            return {key: _with_result(value) for key, value in calls.items()}
        case list():
            return [_with_result(value) for value in calls]
        case str():
            return _READ_RESULT.sub(_of_status, calls)
    return calls


def _of_status(match: re.Match[str]) -> str:
    # In `post`, Jenkins has set the result of a successful build, too.
    value = f"(env.{STATUS} == 'failed' ? 'FAILURE' : currentBuild.currentResult)"
    return f"${{{value}}}" if match[1] else value


def _add_status(keys: dict[str, Value]) -> None:
    env = keys.get("env")
    keys["env"] = {**(env if isinstance(env, dict) else {}), STATUS: PIPELINE_STATUS}


def _limit(keys: dict[str, Value], condition: str) -> None:
    """Let the steps in *keys* run only under this *condition*."""
    _add_status(keys)
    steps = keys.get("steps")
    calls = steps.get("jenkins") if isinstance(steps, dict) else None
    if isinstance(steps, dict) and calls is not None:
        keys["steps"] = {**steps, "jenkins": _limited(calls, f"if ({condition})")}


def _limited(calls: Value, condition: str) -> Value:
    """Return the steps *calls* of Jenkins inside *condition*."""
    if isinstance(calls, dict):
        return {key: _limited(value, condition) for key, value in calls.items()}
    if not isinstance(calls, list):
        return calls
    return [in_block("script", in_block(condition, "\n".join(_without_script(str(call)) for call in calls)))]


def _without_script(text: str) -> str:
    """Return the statements in the step *text* if it is `script` on several lines, else *text*."""
    lines = text.split("\n")
    if not re.fullmatch(r"script\s*\{", lines[0]) or lines[-1] != "}":
        return text
    inside = lines_in_strings(text)
    indents = {number: len(line) - len(line.lstrip()) for number, line in enumerate(lines) if number not in inside}
    margin = min((indents[number] for number in indents if lines[number] and 0 < number < len(lines) - 1), default=0)
    inner = (line[min(margin, indents.get(number, 0)) :] for number, line in enumerate(lines))
    return "\n".join(list(inner)[1:-1])


def _without_reports(block: GroovyBlock, marks: Marks) -> GroovyBlock:
    """Return *block* without steps that need files which only a shared workspace has."""
    rest: list[Statement] = []
    for statement in block.statements:
        if isinstance(statement, GroovyCall) and statement.name in ("junit", "archiveArtifacts"):
            marks.left_out(statement, "the files are in the workspaces of other stages", hint="move it to these stages")
        else:
            rest.append(statement)
    return replace(block, statements=tuple(rest))


def _with_notifications(block: GroovyBlock, ends: Ends, stages: JenkinsStages, marks: Marks) -> GroovyBlock:
    """Return the *block* of `post` without mails about failures, which become `notify`."""
    conditions: list[Statement] = []
    for call in block.statements:
        if isinstance(call, GroovyCall) and call.block is not None and call.name in ("failure", "unsuccessful"):
            rest = [statement for statement in call.block.statements if not _mailed(statement, ends, stages, marks)]
            if len(rest) < len(call.block.statements):
                _report_unsuccessful(call, marks)
            if not rest:
                marks.translated(call)
                continue
            conditions.append(replace(call, block=replace(call.block, statements=tuple(rest))))
        else:
            conditions.append(call)
    return replace(block, statements=tuple(conditions))


def _mailed(statement: object, ends: Ends, stages: JenkinsStages, marks: Marks) -> bool:
    """Return whether *statement* is a mail that `notify` sends."""
    if not isinstance(statement, GroovyCall) or statement.name not in _MAILS or "notify" in ends.pipeline:
        return False
    names = stages.pipeline_names()
    email: dict[str, Value] = {}
    for argument in statement.arguments:
        if argument.name in ("to", "subject", "body") and isinstance(argument.value, GroovyText):
            if statement.name == "emailext" and _has_token(argument.value):
                return False
            with suppress(UntranslatableError):
                email[argument.name] = names.word(argument.value)
    is_complete = all(argument.name in email for argument in statement.arguments)
    if not is_complete or not email.get("to") or "$" in str(email["to"]):
        return False
    addresses = str(email["to"]).replace(",", " ").split()
    email["to"] = list(addresses) if len(addresses) > 1 else addresses[0]
    ends.pipeline["notify"] = {"email": email}
    marks.read(statement, *email)
    return True


def _has_token(text: GroovyText) -> bool:
    """Return whether *text* has a token of `emailext`, such as `$BUILD_STATUS`, which this step replaces."""
    return any("$" in part for part in text.parts if isinstance(part, str))
