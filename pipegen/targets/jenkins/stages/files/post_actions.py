"""Steps after the script of a stage: archives and reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.emit.groovy import literal
from pipegen.plan.model import ArtifactsWhen, CoverageFormat, Job, ReportPath
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.stages.files.stashes import excludes, has_folders, patterns

_PARSERS = {CoverageFormat.COBERTURA: "COBERTURA", CoverageFormat.JACOCO: "JACOCO"}
# A problem with a report, or an aborted build, is not a failure of the stage, and hides none.
_NEVER_DECIDES = "catchError(buildResult: 'SUCCESS', stageResult: 'SUCCESS', catchInterruptions: false)"

# Steps that Declarative rejects in `steps` (BlockedStepsAndMethodCalls of pipeline-model-definition), and those for
# which it requires a parameter that Jenkins does not: `node`, `lock(label: …)`.
_SCRIPT_STEPS = frozenset({"lock", "node", "parallel", "properties", "stage"})
_GENERATED_LOCK = "lock(resource: "


def with_post_actions(job: Job, steps: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
    """Return *steps*, the script of *job*, with the steps that follow even if they fail."""
    when = job.retention.when
    on_failure = tuple(_archives(job)) if when is ArtifactsWhen.FAILURE else ()
    always = (*_reports(job), *(_archives(job) if when is ArtifactsWhen.ALWAYS else ()))
    return (model.Ensured(steps=steps, on_failure=on_failure, always=always),) if on_failure or always else steps


def archived_on_success(job: Job) -> Iterator[model.Step]:
    """Yield the steps that archive files of *job* after a success, if that is when to keep them."""
    if job.retention.when is ArtifactsWhen.SUCCESS:
        yield from _archives(job)


def in_script(steps: Sequence[model.Step]) -> tuple[model.Step, ...]:
    """Return *steps* for Declarative: constructs that are not steps are in `script`."""
    return tuple(_in_script(step) for step in steps)


def _in_script(step: model.Step) -> model.Step:
    match step:
        case model.Ensured():
            return model.Wrapped("script", (step,))
        case model.Wrapped(head="script"):
            return step
        case model.Wrapped() if _needs_script(step.head):
            return model.Wrapped("script", (step,))
        case model.Wrapped() | model.WithCredentials() | model.OnAgent():
            return replace(step, steps=in_script(step.steps))
    return step


def _needs_script(head: str) -> bool:
    """Return whether a block step must be in `script`: Declarative rejects it, or its arguments."""
    name = model.step_name(head)
    return "." in name or (name in _SCRIPT_STEPS and not head.startswith(_GENERATED_LOCK))


def _archives(job: Job) -> Iterator[model.Step]:
    paths = [artifact.path for artifact in job.artifacts if artifact.path is not None and artifact.is_kept]
    if paths:
        yield model.Archive(patterns(paths), excludes=excludes(job), has_folders=has_folders(paths))


def _reports(job: Job) -> Iterator[model.Step]:
    statements = tuple(_statements(job))
    if statements:
        yield model.Wrapped(_NEVER_DECIDES, statements)


def _statements(job: Job) -> Iterator[model.GroovyStatement]:
    """Yield a step for each kind of report; each logs a missing report."""
    reports = job.reports
    if reports.junit:
        options = "allowEmptyResults: true, skipMarkingBuildUnstable: true"
        yield model.GroovyStatement(f"junit testResults: {_pattern(reports.junit)}, {options}", "junit")
    if reports.coverage is not None and reports.coverage.path is not None:
        tool = f"[parser: '{_PARSERS[reports.coverage.format]}', pattern: {literal(reports.coverage.path)}]"
        yield model.GroovyStatement(f"recordCoverage {_identity(job, 'coverage')}, tools: [{tool}]", "coverage")
    if reports.codequality:
        tool = f"analysisParser(analysisModelId: 'code-climate', pattern: {_pattern(reports.codequality)})"
        yield _issues(job, "codequality", tool)
    if reports.sarif:
        yield _issues(job, "sarif", f"sarif(pattern: {_pattern(reports.sarif)})")


def _issues(job: Job, kind: str, tool: str) -> model.GroovyStatement:
    return model.GroovyStatement(
        f"recordIssues {_identity(job, kind)}, enabledForFailure: true, tools: [{tool}]", "warnings-ng"
    )


def _identity(job: Job, kind: str) -> str:
    """Return the ID and the name of a report, unique among those of its kind in the build."""
    return f"id: {literal(f'{job.slug}-{kind}')}, name: {literal(f'{job.stage}: {kind}')}"


def _pattern(paths: Sequence[ReportPath]) -> str:
    return literal(", ".join(report.path for report in paths))
