"""Artifact retention, and the reports that GitLab shows."""

from __future__ import annotations

from pipegen.diagnostics.codes import SARIF_AS_ARTIFACT, SEVERAL_REPORT_FILES
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import DEFAULT_RETENTION, NO_REPORTS, ArtifactsWhen, Job, Plan, ReportPath, Retention
from pipegen.plan.model.retention import has_values, path_text
from pipegen.source.text import Span
from pipegen.targets.gitlab.jobs.durations import in_words
from pipegen.targets.gitlab.jobs.values.expanded_texts import expanded
from pipegen.targets.gitlab.model import DEFAULT_ARTIFACT_KEYS, ArtifactKeys, CoverageReport
from pipegen.targets.gitlab.pairs import ARTIFACTS_ON_FAILURE, REPORT_ON_FAILURE

_NEVER = "never"
# The kinds of reports that the runner compresses: https://docs.gitlab.com/ci/yaml/artifacts_reports/
_OF_SEVERAL_FILES = ("junit", "cyclonedx", "metrics", "annotations", "lsif")
RESULTS = {ArtifactsWhen.SUCCESS: "", ArtifactsWhen.FAILURE: "on_failure", ArtifactsWhen.ALWAYS: "always"}


def lower_retention(
    job: Job, plan: Plan, paths: tuple[str, ...], report: Report
) -> tuple[tuple[str, ...], ArtifactKeys]:
    """Return the *paths* of *job* with those of reports that GitLab only stores, and the artifact keys."""
    retention, reports = job.retention, job.reports
    if retention is DEFAULT_RETENTION and reports is NO_REPORTS and not job.artifacts:
        return paths, DEFAULT_ARTIFACT_KEYS
    kinds, coverage = reports.by_kind(), reports.coverage
    sarif = kinds.pop("sarif", [])
    if sarif:
        _report_sarif(sarif[0], report)
        if retention.when is ArtifactsWhen.FAILURE:
            _report_lost(job, sarif[0], report)
    for kind, others in kinds.items():
        if len(others) > 1 and kind not in _OF_SEVERAL_FILES:
            _report_several(kind, others[1], report)
    _check_failure(job, plan, paths, report)
    stored = (stored_path(path.path, path.span, plan, report) for path in sarif)
    return (*paths, *(path for path in stored if path not in paths)), ArtifactKeys(
        name=expanded(retention.name, "the name of an archive", plan, report, is_slug=True) if retention.name else "",
        exclude=tuple(stored_path(path, retention.span or job.span, plan, report) for path in retention.exclude),
        expire_in=_expiry(retention),
        # A scanner that finds problems exits with an error, and its report is still stored.
        when="always" if sarif and retention.when is ArtifactsWhen.SUCCESS else RESULTS[retention.when],
        access="none" if any(path.is_declared and not path.is_kept for path in job.artifacts) else retention.access,
        expose_as=retention.expose_as.value if retention.expose_as is not None else "",
        reports=tuple(
            (kind, tuple(stored_path(path.path, path.span, plan, report) for path in report_paths))
            for kind, report_paths in kinds.items()
        ),
        coverage_report=CoverageReport(
            path=stored_path(coverage.path, coverage.span, plan, report), format=coverage.format.value
        )
        if coverage is not None and coverage.path is not None
        else None,
        coverage=_between_slashes(coverage.percent) if coverage is not None and coverage.percent else "",
    )


def stored_path(path: str, at: Span, plan: Plan, report: Report) -> str:
    """Return *path* with variables in place of setup values, which the runner expands."""
    # https://docs.gitlab.com/ci/variables/where_variables_can_be_used/
    return expanded(path_text(path, at), "the path of an artifact", plan, report) if has_values(path) else path


def _expiry(retention: Retention) -> str:
    if retention.expire is None:
        return ""
    return in_words(retention.expire) or _NEVER


def _between_slashes(pattern: str) -> str:
    """Return *pattern* between slashes, with slashes in it escaped."""
    parts = pattern.split("/")
    joined = parts[0]
    for part in parts[1:]:
        is_escaped = (len(joined) - len(joined.rstrip("\\"))) % 2
        joined += f"/{part}" if is_escaped else f"\\/{part}"
    return f"/{joined}/"


def _report_sarif(path: ReportPath, report: Report) -> None:
    report.add(
        SARIF_AS_ARTIFACT,
        "GitLab shows SARIF only since version 19 and in its highest tier: the file is stored as an artifact",
        at=path.span,
        hint='if your GitLab supports it, use "raw: {gitlab: {artifacts: {reports: {sarif: …}}}}"; or write Code '
        'Climate\'s JSON, for "codequality"',
    )


def _report_several(kind: str, second: ReportPath, report: Report) -> None:
    report.add(
        SEVERAL_REPORT_FILES,
        f'GitLab stores a "{kind}" report as one file: if several of its paths exist, the job fails',
        at=second.span,
        hint="combine the files in the script, or write each report in a stage of its own",
    )


def _report_lost(job: Job, path: ReportPath, report: Report) -> None:
    report.add(
        REPORT_ON_FAILURE.code,
        f'GitLab drops the report "{path.path}" when stage "{job.title}" succeeds, like the artifacts',
        at=job.retention.span or job.span,
        related=[Label(path.span, "this report")],
        hint='set "when: always"',
    )


def _check_failure(job: Job, plan: Plan, paths: tuple[str, ...], report: Report) -> None:
    """Report values and files for other jobs that GitLab drops because artifacts are kept only on failure."""
    declared = {
        stored_path(artifact.path, artifact.span, plan, report)
        for artifact in job.artifacts
        if artifact.path is not None and not artifact.travels
    }
    lost = [path for path in paths if path.rstrip("/") not in declared]
    if job.retention.when is ArtifactsWhen.FAILURE and lost:
        report.add(
            ARTIFACTS_ON_FAILURE.code,
            f'stage "{job.title}" has a status, values or files for other stages, which GitLab drops when it succeeds',
            at=job.retention.span or job.span,
            hint='set "when: always"',
        )
