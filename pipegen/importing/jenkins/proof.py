"""The proof of an import: the config runs the same stages as its source for each event, in the same order.

The conditions of the source are evaluated as Jenkins does, and those of the config from its plan. The order is the one
that the generated Jenkinsfile enforces. The commands are compared with the texts in the source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from pipegen.diagnostics.report import Report
from pipegen.importing.imported import ComparedImport, ImportSettings, Proof, RunDifference
from pipegen.importing.jenkins.blocks import always_blocks, failure_blocks, step_blocks
from pipegen.importing.jenkins.events import BuildEvent, build_events, is_run
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.machine_proof import machine_differences
from pipegen.importing.jenkins.pod_proof import pod_differences
from pipegen.importing.jenkins.reading.source import JenkinsStage, sections
from pipegen.importing.jenkins.reading.syntax import (
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    GroovyList,
    GroovyPart,
    GroovyText,
    OtherGroovy,
    Statement,
    all_calls,
    constant,
    tried_by,
)
from pipegen.importing.jenkins.reading.syntax import Value as GroovyValue
from pipegen.importing.jenkins.stages.kept import tokens_of
from pipegen.importing.jenkins.stages.scripts.assignments import (
    assignment_of,
    is_text,
    printing_command,
    read_path,
    reassigned,
    status_script,
)
from pipegen.importing.jenkins.stages.scripts.parts import span_of
from pipegen.importing.jenkins.stages.stage import JenkinsDraft
from pipegen.importing.jenkins.stages.texts import NULL, is_interpreted
from pipegen.plan.events import answers
from pipegen.plan.model import Commands, Job, Line, Plan
from pipegen.plan.model.facts import RunFacts
from pipegen.readback import jenkins
from pipegen.readback.errors import UnreadableError
from pipegen.source.text import SourceFile
from pipegen.structs import replace

# Values that Groovy inserts into a script, and the references for them in the config.
_INSERTED = re.compile(r"'\"\$\{\w+\}\"'|\$\{[^}]*\}|\$\$?(?=\{)|\$\w+(\.\w+)*")
# A line break with a backslash, after others in pairs.
_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")
_QUOTES = re.compile(r"['\"]")
_PATH = r"(?:\"(?:\\.|[^\"\\])*\"|\S+)"
_IN_FOLDER = rf"(?:(?:mkdir -p {_PATH} && )?cd {_PATH} && )?"
# Lines that keep the commands of several steps apart.
_HELPERS = re.compile(
    r"\w+=\$\(|\(|\)|#.*|mkdir -p .*|cd .*|export .*|set [+-].*|true|\w+=\"\$\(.*"
    r"|(?:el)?if .*; then|else|fi"
    rf"|\(?{_IN_FOLDER}(echo|sleep|printf|exit|rm -rf|docker (?:build|tag|push)) .*"
    r"|trap .* EXIT"
)

_WORD = r"(?:\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|[^\s'\"\\])+"
# The commands for `writeFile` and `echo`, whose texts may have several lines.
_WRITTEN = re.compile(rf"printf %s {_WORD} >|echo {_WORD}")


def compared_import(file: SourceFile, settings: ImportSettings, report: Report) -> ComparedImport:
    """Return the import of the Jenkinsfile *file*; raise `Stopped` if it cannot be read."""
    imported = import_jenkins(file, report)
    is_compared = settings.is_compared and not report.has_errors()
    return ComparedImport(imported, prove_stages(imported) if is_compared else None)


def prove_stages(imported: JenkinsImport) -> Proof | None:
    """Compare the stages of *imported* with its source; None if the config does not compile."""
    if not imported.generated:
        return None
    (plan,) = imported.compiled.plans
    drafts = {draft.source.name: draft for draft in imported.config.drafts}
    events = build_events([test for draft in drafts.values() for _, test in draft.tests], imported.source)
    events_by_difference: dict[tuple[str, str], list[str]] = {}
    for event in events:
        for name, message in _starts(drafts, plan, event):
            events_by_difference.setdefault((name, message), []).append(event.title)
    always = ("every event",)
    differences = [(name, message, tuple(titles)) for (name, message), titles in events_by_difference.items()]
    differences += [(name, message, always) for name, message in _order(imported, drafts)]
    jobs = {job.title: job for job in plan.jobs}
    for name, draft in drafts.items():
        if name in jobs:
            differences += [(name, message, always) for message in _of_stage(draft, jobs[name], imported)]
    calls = {name: draft.source.call for name, draft in drafts.items()}
    calls |= {end.name: end.call for end in imported.config.ends}
    for name, call in calls.items():
        if name in jobs:
            differences += [(name, message, always) for message in _archived(name, call, jobs[name], imported)]
    return Proof(
        events=len(events),
        differences=tuple(
            RunDifference(at=calls[name].span, message=message, events=titles) for name, message, titles in differences
        ),
    )


def _archived(name: str, stage: GroovyCall, job: Job, imported: JenkinsImport) -> Iterator[str]:
    """Yield the files that steps in *stage* archive, and *job* does not."""
    archived = [artifact.path for artifact in job.artifacts if artifact.is_kept and artifact.path is not None]
    for call in all_calls(stage):
        argument = call.argument("artifacts", "") if call.name == "archiveArtifacts" else None
        if argument is None or not imported.is_translated(call.span):
            continue
        for pattern in (constant(argument.value) or "").split(","):
            path = pattern.strip().replace("\\", "/").removeprefix("./").rstrip("/")
            if path and not any(file == path or file.endswith(f"/{path}") for file in archived):
                yield f'stage "{name}" does not archive "{path}"'


def _starts(drafts: Mapping[str, JenkinsDraft], plan: Plan, event: BuildEvent) -> Iterator[tuple[str, str]]:
    facts = RunFacts(
        event=event.start, inputs=event.inputs, variables=event.facts.environment, repository=event.repository
    )
    (answer,) = answers((plan,), facts)
    running = {stage.job.title for stage in answer.stages if stage.runs}
    for name, draft in drafts.items():
        is_expected = is_run(draft.source, draft.tests, event.facts)
        if is_expected != (name in running):
            yield name, f'stage "{name}" runs only in the {"original" if is_expected else "import"}'


def _order(imported: JenkinsImport, drafts: Mapping[str, JenkinsDraft]) -> Iterator[tuple[str, str]]:
    (plan,) = imported.compiled.plans
    titles = {job.stage: job.title for job in plan.jobs}
    try:
        order = jenkins.order(imported.generated[-1].text)
    except UnreadableError as error:
        # Groovy that stays may start branches itself.
        yield next(iter(drafts)), f"the order in the generated Jenkinsfile cannot be read: {error}"
        return
    nodes = frozenset(order.topological())
    actual: dict[str, set[str]] = {name: set() for name in drafts}
    for stage, title in titles.items():
        if title in drafts and stage in nodes:
            actual[title] |= {titles[ancestor] for ancestor in order.ancestors(stage) if ancestor in titles} - {title}
    for name in drafts:
        expected = imported.source.before[name] & drafts.keys()
        for other in sorted(expected - actual[name]):
            yield name, f'stage "{name}" does not wait for "{other}"'
        for other in sorted((actual[name] & drafts.keys()) - expected):
            yield name, f'stage "{name}" waits for "{other}" too'


def _of_stage(draft: JenkinsDraft, job: Job, imported: JenkinsImport) -> Iterator[str]:
    name = draft.source.name
    commands = [step for step in job.steps if isinstance(step, Commands)]
    printed = [output.command for step in commands for output in step.outputs if output.command is not None]
    script = [line for step in commands for line in _lines((*step.lines, *printed))]
    # A script contains the text of a variable that the shell interprets, and of one without a value.
    variables = _constants(draft.source, imported)
    empty = {name: NULL for name, value in variables.items() if not value}
    inserted = {**_interpreted(draft.source, imported), **empty}
    constants = {**imported.source.constants, **inserted, **{f"env.{name}": inserted[name] for name in inserted}}
    expected = [line for block in step_blocks(draft) for line in _commands(block, imported, constants)]
    exports = {_normal(line) for export in draft.work.exports for line in _separate(export)}.difference(expected)
    extra = _extra([line for line in script if line not in exports], expected)
    if extra is None:
        yield f'the script of stage "{name}" is another one'
    env = {key: _known(value.parts) for step in commands for key, value in step.env}
    for variable, value in variables.items():
        if script and value and variable in env and _normal(env[variable]) != _normal(value):
            yield f'the variable {variable} of stage "{name}" is another one'
    yield from _groovy(draft, job, imported)
    labels = list(draft.agent.labels)
    for axis, value in job.combination.values if job.combination is not None else ():
        labels = [label.replace(f"${{matrix.{axis}}}", value) for label in labels]
    # A stage without a script or steps uses no agent, also if it inherits one.
    is_idle = draft.keys.keys().isdisjoint(("script", "steps"))
    if {*job.machine.labels, *job.machine.label_expressions} != set(labels) and not (is_idle and not labels):
        yield f'the agent of stage "{name}" is another one'
    yield from machine_differences(draft, job, imported)
    yield from pod_differences(draft, job, imported)
    if not imported.config.is_shared:
        yield from _files(draft, job, imported)


def _groovy(draft: JenkinsDraft, job: Job, imported: JenkinsImport) -> Iterator[str]:
    """Yield the differences of the steps that stay Groovy, in their order."""
    own = job.plugin_steps
    heads = {tokens_of(head) for head in draft.work.wrap}
    parts = (
        ((*own.before, *own.after) if own is not None else (), step_blocks(draft)),
        (own.always if own is not None else (), always_blocks(draft, imported)),
        (own.failure if own is not None else (), failure_blocks(draft, imported)),
    )
    for own_calls, blocks in parts:
        calls = [tokens_of(call.text) for call in own_calls]
        expected = [call for block in blocks for call in _kept(block, imported, heads)]
        if len(calls) != len(expected):
            yield f'stage "{draft.source.name}" has {len(calls)} steps of Jenkins, and {len(expected)} in the original'
        for tokens, call in zip(calls, expected, strict=False):
            part = tokens_of(call.whole.text)
            if part not in [tokens[at : at + len(part)] for at in range(len(tokens))]:
                yield f'"{call.name}" of stage "{draft.source.name}" is another one'


def _kept(block: GroovyBlock, imported: JenkinsImport, heads: Collection[tuple[str, ...]]) -> Iterator[GroovyCall]:
    """Yield the steps in *block* that stay Groovy, with all that is in them; *heads* surround other steps."""
    for statement in block.statements:
        if (tried := tried_by(statement)) is not None:
            yield from _kept(tried.block, imported, heads)
        if not isinstance(statement, GroovyCall):
            continue
        inner = statement.block
        head = statement.whole.text[: inner.span.start - statement.whole.start] if inner is not None else ""
        if imported.is_raw(statement) and (not head or tokens_of(head) not in heads):
            yield statement
        elif statement.name == "script" and inner is not None and imported.is_kept(statement.span):
            yield from _kept_parts(statement, inner, imported)
        elif inner is not None:
            yield from _kept(inner, imported, heads)


def _kept_parts(call: GroovyCall, block: GroovyBlock, imported: JenkinsImport) -> Iterator[GroovyCall]:
    """Yield the parts of the `script` block *call* that stay Groovy, before and after its commands."""
    for is_raw, group in groupby(map(span_of, block.statements), imported.is_kept):
        spans = list(group)
        if is_raw:
            yield replace(call, block=None, whole=replace(spans[0], end=spans[-1].end))


def _known(parts: Sequence[object]) -> str:
    """Return the text of *parts*, with one sign for each that is inserted at run time."""
    return "".join(part if isinstance(part, str) else "$" for part in parts)


def _files(draft: JenkinsDraft, job: Job, imported: JenkinsImport) -> Iterator[str]:
    name = draft.source.name
    drafts = {stage_draft.source.name: stage_draft for stage_draft in imported.config.drafts}
    titles = {stage_job.stage: stage_job.title for stage_job in imported.compiled.plans[0].jobs}
    stashing = {
        other
        for other in imported.source.before[name] & drafts.keys()
        if any(file.name in draft.work.unstashed for file in drafts[other].work.files if file.name is not None)
    }
    actual = {titles[file] for file in job.files}
    if actual != stashing and job.steps:
        yield f'stage "{name}" gets other files: {", ".join(sorted(actual ^ stashing))}'


def _lines(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        yield from filter(None, map(_normal, _separate(_known(line.script.parts))))


def _separate(text: str) -> Sequence[str]:
    """Return the lines of *text*, with a text that a command writes on one line."""
    return _WRITTEN.sub(lambda command: command[0].replace("\n", " "), _CONTINUED.sub(r"\1 ", text)).split("\n")


def _normal(text: str) -> str:
    """Return *text* with one sign for all that is inserted at run time, and without indentation."""
    inserted = _INSERTED.sub("$", text)
    return " ".join(inserted.replace("'\"$\"'", "$").replace('"$"', "$").replace("'$'", "$").split())


def _extra(script: Sequence[str], expected: Sequence[str]) -> Sequence[str] | None:
    """Return the lines of *script* other than *expected*, which must follow each other in it; None if they do not."""
    extra: list[str] = []
    position = 0
    for line in script:
        if (position < len(expected) and line == expected[position]) or (
            position < len(expected) and _joins(line, expected[position])
        ):
            position += 1
        elif _HELPERS.fullmatch(line):
            extra.append(line)
        else:
            return None
    return extra if position == len(expected) else None


def _joins(line: str, expected: str) -> bool:
    """Return whether *line* runs the command *expected* in a subshell, perhaps in another folder, or for a variable.

    A line that sets a variable may have other quotes.
    """
    command = re.escape(expected)
    is_assignment = re.match(r"\w+=", expected) is not None and _QUOTES.sub("", line) == _QUOTES.sub("", expected)
    in_subshell = rf"\({_IN_FOLDER}{command}\)|\w+=\$\({command}\)|\(*{command}\)* \|\| (true|\w+=\$\??)\)?"
    return is_assignment or re.fullmatch(in_subshell, line) is not None


def _commands(block: GroovyBlock, imported: JenkinsImport, constants: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the commands of *block* that are part of the script; *constants* are texts of names."""
    changing = reassigned(block)
    for statement in block.statements:
        for branch in statement.blocks if isinstance(statement, OtherGroovy) else ():
            # What follows in any case is not part of the script.
            tried = tried_by(statement)
            if tried is None or branch is tried.block:
                yield from _commands(branch, imported, constants)
        assignment = assignment_of(statement)
        if assignment is not None and imported.is_translated(statement.span):
            yield from _assigned(statement, assignment, constants, changing)
        if isinstance(statement, OtherGroovy) and (definition := statement.definition) is not None:
            text = "$" if definition.name in changing else _text(definition.value, constants)
            constants = {**constants, definition.name: text}
        if not isinstance(statement, GroovyCall):
            continue
        if statement.name == "sh" and imported.is_translated(statement.span):
            yield from _expected(statement, constants)
        elif statement.block is not None:
            yield from _commands(statement.block, imported, _constants_in(statement, constants))


def _assigned(
    statement: Statement, assignment: GroovyAssignment, constants: Mapping[str, str], changing: Collection[str]
) -> Iterator[str]:
    """Yield the lines of *statement*, an *assignment*; texts of names other than those *changing* have none."""
    call = printing_command(assignment.value)
    if call is not None:
        yield from _expected(call, constants)
    elif isinstance(assignment.value, GroovyCall) and status_script(assignment.value) is not None:
        yield f"{assignment.name}=0"
        yield from _expected(assignment.value, constants)
    elif is_text(assignment.value) and (assignment.name in changing or not _defines(statement)):
        yield _normal(f"{assignment.name}={_text(assignment.value, constants)}")


def _defines(statement: Statement) -> bool:
    return isinstance(statement, OtherGroovy) and statement.definition is not None


def _expected(call: GroovyCall, constants: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the commands of *call*, a step `sh` or `readFile`."""
    argument = call.argument("script", "")
    path = read_path(call)
    text = f"cat {path}" if path else _text(argument.value if argument is not None else None, constants)
    for line in _separate(text.strip()):
        if (normal := _normal(line)) and not normal.startswith("#!"):
            yield normal


def _text(value: GroovyValue | None, constants: Mapping[str, str]) -> str:
    """Return the text *value*, with one sign for each part that is known only at run time."""
    parts = value.parts if isinstance(value, GroovyText) else (value,)
    return _known([constants.get(part.text, part) if isinstance(part, GroovyPart) else part for part in parts])


def _constants(stage: JenkinsStage, imported: JenkinsImport) -> Mapping[str, str]:
    """Return the variables of *stage* with a constant value."""
    constants = {variable.name: constant(variable.value) for variable in _environment(stage, imported)}
    return {name: value for name, value in constants.items() if value is not None}


def _interpreted(stage: JenkinsStage, imported: JenkinsImport) -> Mapping[str, str]:
    """Return the variables of *stage* whose values a shell interprets: a script contains their text."""
    values: dict[str, str] = {}
    for variable in _environment(stage, imported):
        known = {**imported.source.constants, **values, **{f"env.{name}": values[name] for name in values}}
        parts = variable.value.parts if isinstance(variable.value, GroovyText) else ()
        is_known = all(isinstance(part, str) or part.text in known for part in parts)
        values[variable.name] = _text(variable.value, known) if parts and is_known else ""
    return {name: value for name, value in values.items() if is_interpreted(value)}


def _constants_in(call: GroovyCall, constants: Mapping[str, str]) -> Mapping[str, str]:
    """Return *constants* as in the block of *call*, which may be `withEnv`."""
    overrides = call.argument("overrides", "") if call.name == "withEnv" else None
    items = overrides.value.items if overrides is not None and isinstance(overrides.value, GroovyList) else ()
    settings = [_text(item, constants).partition("=") for item in items]
    names = {name for name, _, _ in settings}
    others = {name: text for name, text in constants.items() if name.removeprefix("env.") not in names}
    values = {name: value for name, _, value in settings if "$" not in value and is_interpreted(value)}
    return {**others, **values, **{f"env.{name}": value for name, value in values.items()}}


def _environment(stage: JenkinsStage, imported: JenkinsImport) -> Iterator[GroovyAssignment]:
    """Yield the variables in `environment` of the pipeline and of *stage*."""
    for section in (*sections(imported.source.pipeline, "environment"), *stage.blocks("environment")):
        for statement in section.block.statements if section.block is not None else ():
            if isinstance(statement, GroovyAssignment):
                yield statement
