"""How GitLab keeps what a job leaves, and which reports it shows."""

from __future__ import annotations

from pipegen.diagnostics.codes import SARIF_AS_ARTIFACT
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import DEFAULT_RETENTION, NO_REPORTS, ArtifactsWhen, Job, Plan, ReportPath, Retention
from pipegen.targets.gitlab.jobs.durations import in_words
from pipegen.targets.gitlab.jobs.expanded_texts import expanded
from pipegen.targets.gitlab.model import PLAINLY_KEPT, ArtifactKeys, CoverageReport
from pipegen.targets.gitlab.pairs import KEPT_ON_FAILURE, REPORT_KEPT_ON_FAILURE

_NEVER = "never"
_WHEN = {ArtifactsWhen.SUCCESS: "", ArtifactsWhen.FAILURE: "on_failure", ArtifactsWhen.ALWAYS: "always"}


def lower_retention(
    job: Job, plan: Plan, paths: tuple[str, ...], report: Report
) -> tuple[tuple[str, ...], ArtifactKeys]:
    """Return the *paths* that *job* leaves with those of reports that GitLab only stores, and how all are kept."""
    retention, reports = job.retention, job.reports
    if retention is DEFAULT_RETENTION and reports is NO_REPORTS and not job.artifacts:
        return paths, PLAINLY_KEPT
    stored = tuple(one.path for one in reports.sarif)
    if stored:
        _report_sarif(reports.sarif, report)
        if retention.when is ArtifactsWhen.FAILURE:
            _report_lost(job, reports.sarif[0], report)
    _check_failure(job, paths, report)
    coverage = reports.coverage
    return (*paths, *(path for path in stored if path not in paths)), ArtifactKeys(
        name=expanded(retention.name, "the name of an archive", plan, report, is_slug=True) if retention.name else "",
        exclude=retention.exclude,
        expire_in=_expiry(retention),
        # A scanner that finds something exits with an error, and its report is kept all the same.
        when="always" if stored and retention.when is ArtifactsWhen.SUCCESS else _WHEN[retention.when],
        access="none" if any(one.is_declared and not one.is_kept for one in job.artifacts) else "",
        junit=tuple(one.path for one in reports.junit),
        codequality=tuple(one.path for one in reports.codequality),
        coverage_report=CoverageReport(path=coverage.path, format=coverage.format.value)
        if coverage is not None and coverage.path is not None
        else None,
        coverage=_between_slashes(coverage.percent) if coverage is not None and coverage.percent else "",
    )


def _expiry(retention: Retention) -> str:
    if retention.expire is None:
        return ""
    return in_words(retention.expire) or _NEVER


def _between_slashes(pattern: str) -> str:
    """Return *pattern* as GitLab writes it: a slash in it would end it."""
    parts = pattern.split("/")
    joined = parts[0]
    for part in parts[1:]:
        is_escaped = (len(joined) - len(joined.rstrip("\\"))) % 2
        joined += f"/{part}" if is_escaped else f"\\/{part}"
    return f"/{joined}/"


def _report_sarif(paths: tuple[ReportPath, ...], report: Report) -> None:
    report.add(
        SARIF_AS_ARTIFACT,
        "GitLab shows SARIF from version 19 on, in its highest tier only: the file is kept as an artifact",
        at=paths[0].span,
        hint='where it is known, say "raw: {gitlab: {artifacts: {reports: {sarif: …}}}}"; or write Code Climate\'s '
        'JSON, for "codequality"',
    )


def _report_lost(job: Job, path: ReportPath, report: Report) -> None:
    report.add(
        REPORT_KEPT_ON_FAILURE.code,
        f'GitLab drops the report "{path.path}" when stage "{job.title}" succeeds: it is kept as the artifacts are',
        at=job.retention.span or job.span,
        also=[Label(path.span, "this report")],
        hint='say "when: always"',
    )


def _check_failure(job: Job, paths: tuple[str, ...], report: Report) -> None:
    """Report that the values and files for other jobs would be dropped with what is kept of a failure."""
    declared = {one.path for one in job.artifacts if not one.travels}
    lost = [path for path in paths if path not in declared]
    if job.retention.when is ArtifactsWhen.FAILURE and lost:
        report.add(
            KEPT_ON_FAILURE.code,
            f'stage "{job.title}" leaves values or files for others, and GitLab would drop them when it succeeds',
            at=job.retention.span or job.span,
            hint='say "when: always"',
        )
