"""Websites and releases that jobs publish on GitLab."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import BuildImage, Copy, Deploy, Plan, Promote, PublishImage, RunContainer
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, as_items, child
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.setting_stages import Titles, report_unknown_stage
from pipegen.targets.gitlab.model import Document, GitLabJob, ImageKeys
from pipegen.targets.gitlab.pairs import RELEASE_WITH_IMAGE, RELEASE_WITH_TOOLS
from pipegen.targets.gitlab.settings import GitLabSettings, Pages, Release

# Steps whose jobs run in an image with tools.
_WITH_TOOLS = BuildImage | RunContainer | Copy | PublishImage | Promote | Deploy


def publishing(document: Document, titles: Titles, settings: GitLabSettings) -> tuple[GitLabJob, ...]:
    """Return the jobs of *document*; those of the stages in the settings publish a website or a release.

    *titles* are the job names of stages.
    """
    jobs: Iterable[GitLabJob] = document.jobs
    pages = settings.pages
    if pages is not None:
        named = _named(pages.stage, titles)
        jobs = [_with_pages(job, pages) if job.name in named else job for job in jobs]
    images = {hidden.name: hidden.image for hidden in document.hidden}
    for release in settings.release:
        named = _named(release.stage, titles)
        jobs = [_with_release(job, release, settings, images) if job.name in named else job for job in jobs]
    return tuple(jobs)


def check_publications(plans: Sequence[Plan], section: TreeMapping | None, *, is_part: bool, report: Report) -> None:
    """Report stages that no plan has, unless *is_part*, and images that cannot create a release."""
    stages_by_name = {job.stage: job for plan in plans for job in plan.jobs}
    stages = {**stages_by_name, **{f"{plan.name}: {job.stage}": job for plan in plans for job in plan.jobs}}
    for key, node in _publications(section):
        named = child(node, "stage")
        if not isinstance(named, Scalar):
            continue
        job = stages.get(named.text)
        if job is None and not is_part:
            report_unknown_stage(key, named, tuple(stages), tuple(stages_by_name), report)
        if key == "release" and job is not None and job.machine.image is not None:
            report.add(
                RELEASE_WITH_IMAGE.code,
                f'stage "{job.title}" creates a release in its own image, which must contain glab',
                at=job.machine.image.span,
                related=[Label(named.span, "the stage that creates the release")],
                hint="remove the image, so that the job runs in the image tools.release, or name one with glab",
            )
        elif key == "release" and job is not None and any(isinstance(step, _WITH_TOOLS) for step in job.steps):
            report.add(
                RELEASE_WITH_TOOLS.code,
                f'stage "{job.title}" creates a release in the image with the tools of its other steps, which must '
                "contain glab",
                at=named.span,
                hint="create the release in a separate stage",
            )


def _publications(section: TreeMapping | None) -> Iterator[tuple[str, Node | None]]:
    """Yield each website and release of *section*, with the name of its setting."""
    for key in ("pages", "release") if section is not None else ():
        node = section.get(key) if section is not None else None
        for item in as_items(node):
            yield key, item


def _named(stage: str, titles: Titles) -> frozenset[str]:
    """Return the job names of the stages that the settings call *stage*."""
    return frozenset(title for (plan, own), title in titles.items() if stage in (own, f"{plan}: {own}"))


def _with_pages(job: GitLabJob, pages: Pages) -> GitLabJob:
    # GitLab adds the folder automatically since 17.10; before that, it has to be among the artifacts.
    is_stored = any(path.rstrip("/") == pages.publish.rstrip("/") for path in job.artifacts)
    return replace(job, pages=pages, artifacts=job.artifacts if is_stored else (*job.artifacts, pages.publish))


def _with_release(
    job: GitLabJob, release: Release, settings: GitLabSettings, images: Mapping[str, ImageKeys | None]
) -> GitLabJob:
    """Return *job* with its release, in `tools.release` if it has no image; *images* are those of hidden jobs."""
    has_no_image = job.image is None and images.get(job.extends) is None and settings.images is Images.REGISTRY
    return replace(job, release=release, image=ImageKeys(settings.tools.release) if has_no_image else job.image)
