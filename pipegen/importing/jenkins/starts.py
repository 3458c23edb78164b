"""The stages of a Declarative Jenkinsfile that an event starts, as Jenkins evaluates their conditions."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.jenkins.events import facts_of, is_run, start_events
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.reading.constructs import constructs
from pipegen.importing.jenkins.reading.source import JenkinsStage
from pipegen.importing.jenkins.stages.build_tests import BuildFacts
from pipegen.importing.jenkins.stages.stage import JenkinsDraft
from pipegen.importing.starts import FileStart, FileStarts
from pipegen.plan.events import PipelineStart, StageStart
from pipegen.plan.model.facts import RepositoryFiles, StartEvent
from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens
from pipegen.readback.jenkins import pipeline_of
from pipegen.source.text import SourceFile, Span

# Outcomes of conditions that only Jenkins can evaluate.
_UNREAD = (KeyOutcome.RAW, KeyOutcome.REPORTED)


def jenkins_starts(file: SourceFile, repository: RepositoryFiles, report: Report) -> FileStarts:
    """Return what each event starts of *file*, which is in *repository*; raise `Stopped` if it is not Declarative."""
    own = Report()
    try:
        imported = import_jenkins(file, own)
    except Stopped:
        if _is_scripted(file):
            report.add(
                codes.NOT_IMPORTED,
                "which stages run is up to the Groovy code of this scripted Jenkinsfile",
                at=Span(file, 0, 0),
                hint="only a Declarative one has conditions that pipegen can evaluate",
            )
        else:
            report.take(own)
        raise
    drafts = imported.config.all_drafts
    tests = [test for draft in drafts for _, test in draft.tests]

    def of(event: StartEvent) -> FileStart:
        facts = facts_of(event, tests, imported.source, repository)
        stages = tuple(_stage(draft, facts, imported) for draft in drafts)
        running = dict.fromkeys(stage.stage for stage in stages if stage.runs is not False)
        return FileStart(
            pipelines=(PipelineStart(name=file.path, reason="", stages=stages),),
            before={name: imported.source.before[name] & running.keys() for name in running},
        )

    return FileStarts(events=start_events(tests), of=of)


def _is_scripted(file: SourceFile) -> bool:
    try:
        return pipeline_of(GroovyTokens(file.text)) is None
    except UnreadableError:
        return False


def _stage(draft: JenkinsDraft, facts: BuildFacts, imported: JenkinsImport) -> StageStart:
    """Return how the stage of *draft* starts in a build with *facts*."""
    condition = _condition(draft.source)
    runs: bool | None = is_run(draft.source, draft.tests, facts)
    reason = "" if runs else f"excluded by {condition}"
    if runs and any(
        imported.accounting.outcome(span) in _UNREAD
        for call in draft.source.blocks("when")
        for _, span in constructs(call)
    ):
        runs, reason = None, f"only Jenkins can evaluate {condition}"
    return StageStart(
        stage=draft.source.name,
        runs=runs,
        waits_for_approval=bool(draft.keys.get("approve")),
        reason=reason,
        condition=condition,
    )


def _condition(stage: JenkinsStage) -> str:
    """Return where the conditions of *stage*, and of those around it, are; "" without any."""
    spans = [call.span for call in stage.blocks("when")]
    return " and ".join(f'"when" in {span.file.path}:{span.first.line}' for span in spans)
