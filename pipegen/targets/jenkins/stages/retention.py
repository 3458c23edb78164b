"""What Jenkins cannot do with what a stage keeps."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.model import Cache, Job
from pipegen.source.text import Span
from pipegen.targets.jenkins.stages.caches import CHECKOUT, folders


def check_retention(job: Job, report: Report) -> None:
    """Report what of *job* is kept as Jenkins keeps it, not as the user says."""
    retention, coverage = job.retention, job.reports.coverage
    at = retention.span or job.span
    if retention.expire is not None:
        _say(
            f'artifacts of stage "{job.title}" do not expire by themselves on Jenkins: they go with the build',
            at,
            "let the job discard them: targets: {jenkins: {discard: {artifact_days: 7}}}",
            report,
        )
    if retention.name is not None:
        _say(
            f'artifacts of stage "{job.title}" have no name of their own on Jenkins: people get them as files',
            retention.name.span,
            "give the files the names that people shall see",
            report,
        )
    for cache in job.caches:
        if cache.fallback:
            _say(
                f'Jenkins looks for a cache of stage "{job.title}" under one key only',
                cache.fallback[0].span,
                "leave the part of the key out that changes most often",
                report,
            )
        _check_checkout(cache, job, report)
    if coverage is not None and coverage.percent and coverage.path is None:
        _say(
            f'Jenkins reads no coverage of stage "{job.title}" from the log',
            coverage.span,
            'name a report that the tests write: "coverage: {path: coverage.xml, percent: …}"',
            report,
        )


def _check_checkout(cache: Cache, job: Job, report: Report) -> None:
    """Report what is looked for in the checkout itself: a folder whose archive is broken is emptied by the plugin."""
    found = folders(cache.paths).get(CHECKOUT)
    if found:
        report.add(
            codes.CACHE_IN_CHECKOUT,
            f'Jenkins looks for {listed(found)} in the whole checkout of stage "{job.title}", which it empties when '
            "the cache cannot be unpacked",
            at=cache.span,
            hint='write a slash at the end of a folder, such as ".npm/"; keep single files in one',
        )


def _say(message: str, at: Span, hint: str, report: Report) -> None:
    report.add(codes.NOT_ON_JENKINS, message, at=at, hint=hint)
