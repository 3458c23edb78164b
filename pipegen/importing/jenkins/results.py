"""Differences that reports, files and changes of a build make in a Jenkinsfile, but not in a config."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.emit.yaml import Value
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.jenkins.events import tests_cause_of_change
from pipegen.importing.jenkins.reading.functions import is_generated
from pipegen.importing.jenkins.reading.source import JenkinsSource, sections
from pipegen.importing.jenkins.reading.syntax import (
    GroovyArgument,
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    all_calls,
    constant,
    main_block,
)
from pipegen.importing.jenkins.stages.directives.secrets import kind_of
from pipegen.importing.jenkins.stages.kept import groovy_texts, reads
from pipegen.importing.jenkins.stages.shell import ScriptCommand
from pipegen.importing.jenkins.stages.stage import JenkinsDraft
from pipegen.importing.jenkins.stages.work import StageWork
from pipegen.readback.groovy import TokenKind
from pipegen.source.text import Span

# By step, the arguments without which Jenkins changes the result: `perform` of the classes JUnitResultArchiver and
# ArtifactArchiver. The first is about failed tests, the second about missing files.
_UNSTABLE = {"junit": "skipMarkingBuildUnstable"}
_MISSING = {"junit": "allowEmptyResults", "archiveArtifacts": "allowEmptyArchive"}
_RESULT_STEPS = frozenset({"catchError", "unstable", "warnError"})
# Groovy that changes the result, in any statement of a `script` block.
_SET_RESULT = re.compile(r"\bcurrentBuild\.result\s*=(?!=)|\bunstable\s*[('\"]|\b(?:catchError|warnError)\s*[({]")
# Steps that rarely fail.
_LIGHT = frozenset({"archiveArtifacts", "junit", "stash", "echo", "deleteDir", "cleanWs"})
_PARAMETER = re.compile(r"\$\{setup\.params\.([\w-]+)\}")
_READ_PARAMETER = re.compile(r"\bparams\.(\w+)")
# The end of a line whose failure the shell accepts.
_ACCEPTED = re.compile(r"\|\|\s*(?:true|:|exit 0|echo\b[^\n|&]*)\s*\Z")
# Commands that print the same for a commit each time.
_OF_COMMIT = re.compile(r"git (?:rev-parse|rev-list|log|show|describe|config|remote)\b[^;&\n]*")
_BY_RESULT = frozenset({"success", "failure"})


def report_results(pipeline: GroovyCall, accounting: Accounting, report: Report) -> None:
    """Report once that reports and files of the translated steps in *pipeline* do not change the result of a build."""
    steps = [call for call in all_calls(pipeline) if accounting.outcome(call.span) is KeyOutcome.TRANSLATED]
    unstable = [step for step in steps if _decides(step, _UNSTABLE)]
    missing = [step for step in steps if _decides(step, _MISSING)]
    facts = [
        *(['failed tests in a "junit" report do not make it unstable'] if unstable else []),
        *([f"missing files of {listed(sorted({step.name for step in missing}))} do not fail it"] if missing else []),
    ]
    if not facts:
        return
    _report_once(
        [step for step in steps if step in unstable or step in missing],
        f"only the commands decide the result of a build: {', and '.join(facts)}",
        "check that a command fails if tests fail or files are missing",
        report,
    )


def report_ends(pipeline: GroovyCall, accounting: Accounting, report: Report) -> None:
    """Report once that steps in *pipeline* which stay Groovy do not decide what its `post` runs by the result."""
    calls = [*all_calls(pipeline)]
    translated = [call for call in calls if accounting.outcome(call.span) is KeyOutcome.TRANSLATED]
    if any(call.block is not None and call.name in _BY_RESULT for call in translated):
        _report_once(
            [call for call in calls if _is_raw(call, accounting) and _sets_result(call)],
            'the steps in "success" and "failure" go by the commands of a stage, not by the result that this step sets',
            "check that these steps do not depend on it",
            report,
        )


def report_commands_after(source: JenkinsSource, drafts: Iterable[JenkinsDraft], report: Report) -> None:
    """Report once that a failure of commands which follow a stage in any case fails no build; *drafts* are stages."""
    if is_generated(source.file):
        return
    risky = [draft for draft in drafts if any(map(_may_fail, draft.work.after))]
    _report_once(
        [next(iter(draft.posts), draft.source.call) for draft in risky],
        'a failure of commands that follow in any case fails the build in the original; in "after", it has no effect',
        'move them to a stage in "finally" if their failure matters',
        report,
    )


def report_repeated_commands(stages: Iterable[tuple[Mapping[str, Value], StageWork]], report: Report) -> None:
    """Report once that commands of `environment`, which run once, run in several parts of *stages* that name a value.

    Each stage has keys and work. Programs may read the variables, too, which is not known.
    """
    calls: dict[Span, GroovyCall] = {}
    runs = Counter[Span]()
    for keys, work in stages:
        scripts = [part for key in ("script", "after") if isinstance(part := keys.get(key), list)]
        groovy = [part.text for part in groovy_texts(keys)] if work.environment_commands else []
        for call, export, item in work.environment_commands:
            calls[call.span] = call
            name = export.partition("=")[0]
            reading = [part for part in scripts if any(line != export and reads(str(line), name) for line in part)]
            runs[call.span] += sum(export in part for part in reading)
            runs[call.span] += sum(text.count(item) for text in groovy if item)
    _report_once(
        [call for span, call in calls.items() if runs[span] > 1 and not _OF_COMMIT.fullmatch(_command(call))],
        'commands that set variables run once; here each stage runs them again, also for "after" and steps of Jenkins',
        "let one stage pass the value on as an output if it must be the same",
        report,
    )


def _command(call: GroovyCall) -> str:
    """Return the command of the step *call*, "" if it is known only at run time."""
    argument = call.argument("script")
    return (constant(argument.value) or "").strip() if argument is not None else ""


def _may_fail(command: ScriptCommand) -> bool:
    lines = [line for line in command.text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    is_accepted = command.is_message or command.accepts_failure
    return not is_accepted and any(_ACCEPTED.search(line) is None for line in lines)


def _sets_result(call: GroovyCall) -> bool:
    """Return whether *call* can change the result of the build without a failure of its stage: a step, or Groovy."""
    if call.name == "script":
        return _SET_RESULT.search(call.whole.text) is not None and not any(map(_sets_result, all_calls(call)))
    argument = call.argument("buildResult")
    return call.name in _RESULT_STEPS and (argument is None or constant(argument.value) != "SUCCESS")


def report_changesets(pipeline: GroovyCall, accounting: Accounting, report: Report) -> None:
    """Report once that `changeset` in *pipeline* finds no changes where everything counts as changed for a config."""
    calls = all_calls(pipeline)
    _report_once(
        [call for call in calls if call.name == "changeset" and accounting.outcome(call.span) is KeyOutcome.TRANSLATED],
        '"changeset" finds no changes in the first build of a branch and in builds without new commits,'
        ' where everything counts as changed for "changes"',
        "add the event to the condition if only pushes matter: when: { event: push }",
        report,
    )


def report_causes(source: JenkinsSource, drafts: Iterable[JenkinsDraft], report: Report) -> None:
    """Report once conditions of *drafts* that hold in the build of a change request only if a person starts it."""
    owners = [
        owner
        for draft in drafts
        if tests_cause_of_change(draft.source, draft.tests, source)
        for owner, _ in draft.tests
    ]
    calls = [call for owner in owners for section in sections(owner, "when") for call in all_calls(section)]
    _report_once(
        list({call.span: call for call in calls if call.name == "triggeredBy"}.values()),
        '"triggeredBy" also finds the person or program that starts the build of a change request;'
        ' the event of this build is always "merge_request"',
        "add the event to the condition if the stage must run for change requests, too: when: { event: merge_request }",
        report,
    )


def report_archives(source: JenkinsSource, accounting: Accounting, report: Report) -> None:
    """Report once that steps of *source* keep files before others that may fail: a stage keeps its files at its end."""
    early: list[GroovyCall] = []
    for section in (section for stage in source.stages for section in sections(stage.call, "steps")):
        calls = [call for call in _calls_before_ends(section.block) if call.block is None]
        last = max((at for at, call in enumerate(calls) if call.name not in _LIGHT), default=0)
        early += [
            call
            for call in calls[:last]
            if call.name == "archiveArtifacts" and accounting.outcome(call.span) is KeyOutcome.TRANSLATED
        ]
    _report_once(
        early,
        'files that "archiveArtifacts" keeps before other steps are kept at the end of the stage, if it succeeds',
        'write "when: always" in "artifacts" if they must be kept after a failure of a later step, too',
        report,
    )


def _calls_before_ends(block: GroovyBlock | None) -> Iterator[GroovyCall]:
    """Yield the calls in *block* but those in `catch` and `finally`: a stage keeps the files that these archive."""
    for statement in block.statements if block is not None else ():
        if isinstance(statement, GroovyCall):
            yield statement
        yield from _calls_before_ends(main_block(statement))


def report_parameters(source: JenkinsSource, config: str, declared: Collection[str], report: Report) -> None:
    """Report each parameter that *source* reads, but that is not *declared* in it, if *config* reads it, too."""
    if is_generated(source.file):
        return
    read = {*_PARAMETER.findall(config)} - {*declared}
    for name, span in _read_parameters(source):
        if name in read:
            read.remove(name)
            report.add(
                codes.NOT_IMPORTED,
                f'the text of "params.{name}" is "null" if the job has no such parameter; here the job gets it, '
                "and it is empty by default",
                at=span,
                hint=f'declare it in "inputs", or add a default, as in "${{setup.params.{name}|null}}"',
            )


def _read_parameters(source: JenkinsSource) -> Iterator[tuple[str, Span]]:
    """Yield the name and the location of each parameter that Groovy of *source* reads."""
    code, file = source.code, source.file
    for index, token in enumerate(code.tokens[: code.size]):
        span = Span(file, token.start, token.end)
        if token.kind is TokenKind.EXPRESSION:
            yield from ((name, span) for name in _READ_PARAMETER.findall(file.text[token.start : token.end]))
        elif code.is_word(index, "params") and code.is_sign(index + 1, "."):
            yield code.word(index + 2), span


def report_branches(source: JenkinsSource, config: str, report: Report) -> None:
    """Report the first text of *source* with the name of the branch, if *config* has it as a setup value.

    The branch plugin sets BRANCH_NAME in builds of tags and change requests, too.
    """
    if "${setup.branch}" not in config or is_generated(source.file):
        return
    tokens = (token for token in source.code.tokens if token.kind is TokenKind.EXPRESSION)
    first = next((token for token in tokens if "BRANCH_NAME" in source.file.text[token.start : token.end]), None)
    if first is not None:
        report.add(
            codes.NOT_IMPORTED,
            '"BRANCH_NAME" becomes "${setup.branch}", which is empty for tags and change requests',
            at=Span(source.file, first.start, first.end),
            hint='if they run these stages, add a default, as in "${setup.branch|none}", or read ${setup.tag}',
        )


def report_credentials(source: JenkinsSource, report: Report) -> None:
    """Report once the credentials in `environment` of *source* whose kind it does not show."""
    if not is_generated(source.file):
        _report_once(
            [
                call
                for block in (source.pipeline, *all_calls(source.pipeline))
                for name, call in _credentials(block)
                if not kind_of(name, _identifier(call.arguments[0]), source.file.text)
            ],
            "the file does not show the kind of this credential: it becomes a secret text",
            'for another one, write { password: ID } or { file: ID } in "secrets": Jenkins cannot bind it as text',
            report,
        )


def _identifier(argument: GroovyArgument) -> str:
    """Return the ID of a credential, or the Groovy that computes it."""
    return constant(argument.value) or argument.span.text


def _credentials(block: GroovyCall) -> Iterator[tuple[str, GroovyCall]]:
    """Yield the variables in `environment` of *block* that get credentials, with their values."""
    for section in sections(block, "environment"):
        for statement in section.block.statements if section.block is not None else ():
            if not isinstance(statement, GroovyAssignment):
                continue
            value = statement.value
            if isinstance(value, GroovyCall) and value.name == "credentials" and value.arguments:
                yield statement.name, value


def _report_once(calls: Sequence[GroovyCall], message: str, hint: str, report: Report) -> None:
    """Report *message* at the first of *calls*, and the others with it."""
    if calls:
        related = [Label(call.span, "the same") for call in calls[1:]]
        report.add(codes.NOT_IMPORTED, message, at=calls[0].span, related=related, hint=hint)


def report_names(original: JenkinsSource, source: JenkinsSource, report: Report) -> None:
    """Report each stage of *original* that has another name in *source*."""
    for stage, named in zip(original.stages, source.stages, strict=True):
        if stage.name != named.name:
            report.add(
                codes.NOT_IMPORTED,
                f'stage "{stage.name}" becomes "{named.name}": a reference to its values cannot contain the old name',
                at=stage.call.span,
                hint="check that nothing outside this file needs the old name",
            )


def _is_raw(call: GroovyCall, accounting: Accounting) -> bool:
    return accounting.outcome(call.span) is KeyOutcome.RAW


def _decides(call: GroovyCall, arguments: dict[str, str]) -> bool:
    """Return whether *call* is a step in *arguments* without its argument there."""
    argument = call.argument(arguments[call.name]) if call.name in arguments else None
    return call.name in arguments and (argument is None or constant(argument.value) != "true")
