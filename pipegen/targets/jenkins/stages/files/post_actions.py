"""Steps after the script of a stage: archives and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pipegen.emit.groovy import literal
from pipegen.plan.model import ArtifactsWhen, CoverageFormat, Job, ReportPath
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import expression
from pipegen.targets.jenkins.stages.files.stashes import artifact_paths, excludes, expanded, has_folders, patterns
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts

_COVERAGE, _JUNIT, _CODEQUALITY, _SARIF = "coverage", "junit", "codequality", "sarif"
_PARSERS = {CoverageFormat.COBERTURA: "COBERTURA", CoverageFormat.JACOCO: "JACOCO"}


class ReportKinds:
    """The kinds of reports of which *jobs* have several, so that each needs a name of its own."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        counts = Counter(kind for job in jobs for kind in _kinds(job))
        self._repeated = frozenset(kind for kind, count in counts.items() if count > 1)

    def identity(self, job: Job, kind: str) -> str:
        """Return the arguments that distinguish a report of *job* from others of its *kind*, "" for the only one."""
        if kind not in self._repeated:
            return ""
        return f"id: {literal(f'{job.slug}-{kind}')}, name: {literal(f'{job.stage}: {kind}')}, "


def _kinds(job: Job) -> Iterator[str]:
    reports = job.reports
    if reports.coverage is not None and reports.coverage.path is not None:
        yield _COVERAGE
    yield from reports.by_kind()


def stored_reports(job: Job) -> list[ReportPath]:
    """Return the report files of *job* that Jenkins can only archive, since it does not display their kinds."""
    return [path for path in job.reports.paths if path.kind not in (_JUNIT, _CODEQUALITY, _SARIF)]


def is_hidden(job: Job) -> bool:
    """Return whether nobody can download the files of *job*."""
    return any(artifact.is_declared and not artifact.is_kept for artifact in job.artifacts)


def with_post_actions(
    job: Job, steps: tuple[model.Step, ...], kinds: ReportKinds, values: GroovyTexts
) -> tuple[model.Step, ...]:
    """Return *steps*, the script of *job*, with the steps that follow even if they fail."""
    when = job.retention.when
    on_failure = tuple(_archives(job, values)) if when is ArtifactsWhen.FAILURE else ()
    reports = (*_statements(job, kinds, values), *_archived_reports(job, values))
    always = (*reports, *(_archives(job, values) if when is ArtifactsWhen.ALWAYS else ()))
    return (model.Ensured(steps=steps, on_failure=on_failure, always=always),) if on_failure or always else steps


def archived_on_success(job: Job, values: GroovyTexts) -> Iterator[model.Step]:
    """Yield the steps that archive files of *job* after a success, if that is when to keep them."""
    if job.retention.when is ArtifactsWhen.SUCCESS:
        yield from _archives(job, values)


def _archives(job: Job, values: GroovyTexts) -> Iterator[model.Step]:
    paths = artifact_paths(artifact for artifact in job.artifacts if artifact.is_kept)
    if paths:
        includes = expanded(patterns(paths), job, values)
        yield model.Archive(includes, excludes=excludes(job, values), has_folders=has_folders(paths))


def _archived_reports(job: Job, values: GroovyTexts) -> Iterator[model.Step]:
    paths = list(dict.fromkeys(path.path for path in stored_reports(job)))
    if paths and not is_hidden(job):
        yield model.Archive(expanded(", ".join(paths), job, values), has_folders=False)


def _statements(job: Job, kinds: ReportKinds, values: GroovyTexts) -> Iterator[model.GroovyStatement]:
    """Yield a step for each kind of report; each logs a missing report."""
    reports, paths = job.reports, job.reports.by_kind()

    def pattern(kind: str) -> str:
        return expression(expanded(", ".join(path.path for path in paths[kind]), job, values))

    if _JUNIT in paths:
        options = "allowEmptyResults: true, skipMarkingBuildUnstable: true"
        yield model.GroovyStatement(f"junit testResults: {pattern(_JUNIT)}, {options}", "junit")
    if reports.coverage is not None and reports.coverage.path is not None:
        path = expression(expanded(reports.coverage.path, job, values))
        tool = f"[parser: '{_PARSERS[reports.coverage.format]}', pattern: {path}]"
        identity = kinds.identity(job, _COVERAGE)
        yield model.GroovyStatement(f"recordCoverage {identity}tools: [{tool}]", "coverage")
    if _CODEQUALITY in paths:
        tool = f"analysisParser(analysisModelId: 'code-climate', pattern: {pattern(_CODEQUALITY)})"
        yield _issues(kinds.identity(job, _CODEQUALITY), tool)
    if _SARIF in paths:
        yield _issues(kinds.identity(job, _SARIF), f"sarif(pattern: {pattern(_SARIF)})")


def _issues(identity: str, tool: str) -> model.GroovyStatement:
    return model.GroovyStatement(f"recordIssues {identity}enabledForFailure: true, tools: [{tool}]", "warnings-ng")
