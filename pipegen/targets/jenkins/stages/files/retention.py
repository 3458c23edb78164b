"""Checks for artifact and cache settings that Jenkins lacks."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.model import ArtifactsWhen, Cache, CachePolicy, Job
from pipegen.source.text import Span
from pipegen.targets.jenkins.stages.files.caches import CHECKOUT, folders
from pipegen.targets.jenkins.stages.files.post_actions import is_hidden, stored_reports

# Seconds.
_DAY = 24 * 60 * 60


def check_retention(job: Job, report: Report) -> None:
    """Report settings of *job* for artifacts, caches and reports that have no effect on Jenkins."""
    retention, coverage = job.retention, job.reports.coverage
    at = retention.span or job.span
    if retention.expire:
        _report(
            "Jenkins has no expiry for artifacts: it keeps them as long as the build",
            at,
            "let the job discard them: "
            f"targets: {{jenkins: {{discard: {{artifact_days: {-(-retention.expire // _DAY)}}}}}}}",
            report,
        )
    if retention.name is not None:
        _report(
            "Jenkins has no archive name for artifacts: users download single files",
            retention.name.span,
            "put the name into the names of the files, or pack them into one archive with this name in the script",
            report,
        )
    _check_downloads(job, at, report)
    for cache in job.caches:
        _check_cache(cache, report)
    if coverage is not None and coverage.percent and coverage.path is None:
        _report(
            "Jenkins reads no coverage from the log",
            coverage.span,
            'name a report that the tests write: "coverage: {path: coverage.xml, percent: …}"',
            report,
        )
    if stored := stored_reports(job):
        kinds = listed(list(dict.fromkeys(path.kind for path in stored)))
        _report(
            f"Jenkins does not display the reports {kinds}",
            stored[0].span,
            'remove "keep: false" to archive their files with the build'
            if is_hidden(job)
            else "download their files: they are archived with the build, whatever the result",
            report,
        )


def _check_downloads(job: Job, at: Span, report: Report) -> None:
    """Report settings for users that download the artifacts of *job*."""
    retention = job.retention
    if retention.access:
        _report(
            f'Jenkins has no role "{retention.access}" for artifacts',
            at,
            "set permissions of the job, or omit the download: artifacts: {keep: false}",
            report,
        )
    if retention.expose_as is not None:
        _report(
            "Jenkins has no link to artifacts in the change request",
            retention.expose_as.span,
            "link to the page of the build: users find the artifacts there",
            report,
        )


def _check_cache(cache: Cache, report: Report) -> None:
    if cache.when is not ArtifactsWhen.SUCCESS and cache.policy is not CachePolicy.PULL:
        _report(
            "Jenkins saves a cache only when the stage succeeds",
            cache.span,
            'remove "when", or fill the cache in a stage of its own that succeeds',
            report,
        )
    if cache.fallback:
        _report(
            "Jenkins looks for a cache under one key only",
            cache.fallback[0].span,
            "leave out the part of the key that changes most often",
            report,
        )
    _check_checkout(cache, report)


def _check_checkout(cache: Cache, report: Report) -> None:
    """Report caches of single files in the checkout: the plugin empties the folder if the archive is broken."""
    paths = folders(cache.paths).get(CHECKOUT)
    if paths:
        report.add(
            codes.CACHE_IN_CHECKOUT,
            f"Jenkins restores {listed(paths)} into the checkout, which it empties if the cache cannot be unpacked",
            at=cache.span,
            hint='add a slash to the end of a folder, such as ".npm/"; put single files into a folder',
        )


def _report(message: str, at: Span, hint: str, report: Report) -> None:
    report.add(codes.NOT_ON_JENKINS, message, at=at, hint=hint)
