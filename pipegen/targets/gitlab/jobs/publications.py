"""What the jobs of some stages do for GitLab itself: publish a website, make a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.plan.model import BuildImage, Copy, Deploy, Plan, Promote, PublishImage, RunContainer
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar
from pipegen.structs import replace
from pipegen.targets.gitlab.model import Document, GitLabJob, ImageKeys
from pipegen.targets.gitlab.pairs import RELEASE_WITH_IMAGE, RELEASE_WITH_TOOLS
from pipegen.targets.gitlab.settings import GitLabSettings, Pages, Release

# Steps whose jobs run in an image with tools.
_WITH_TOOLS = BuildImage | RunContainer | Copy | PublishImage | Promote | Deploy

Titles = Mapping[tuple[str, str], str]


def publishing(document: Document, titles: Titles, settings: GitLabSettings) -> tuple[GitLabJob, ...]:
    """Return the jobs of *document*, those that the settings name with what they publish.

    *titles* are the jobs of stages.
    """
    jobs: Iterable[GitLabJob] = document.jobs
    pages, release = settings.pages, settings.release
    if pages is not None:
        named = _named(pages.stage, titles)
        jobs = [_with_pages(job, pages) if job.name in named else job for job in jobs]
    if release is not None:
        named = _named(release.stage, titles)
        images = {hidden.name: hidden.image for hidden in document.hidden}
        jobs = [_with_release(job, release, settings, images) if job.name in named else job for job in jobs]
    return tuple(jobs)


def check_publications(plans: Sequence[Plan], section: TreeMapping | None, *, is_part: bool, report: Report) -> None:
    """Report stages that no plan has, unless these are a part of all, and images that a release does not come with."""
    plain = {job.stage: job for plan in plans for job in plan.jobs}
    stages = {**plain, **{f"{plan.name}: {job.stage}": job for plan in plans for job in plan.jobs}}
    for key in ("pages", "release"):
        node = section.get(key) if section is not None else None
        named = node.get("stage") if isinstance(node, TreeMapping) else None
        if not isinstance(named, Scalar):
            continue
        job = stages.get(named.text)
        if job is None and not is_part:
            found = suggestion(named.text, tuple(stages))
            report.add(
                codes.UNKNOWN_STAGE_IN_SETTING,
                f'targets.gitlab.{key} names stage "{named.text}", which is not defined',
                at=named.span,
                hint=f'did you mean "{found}"?' if found else f"there are {listed(tuple(plain))}",
            )
        if key == "release" and job is not None and job.machine.image is not None:
            report.add(
                RELEASE_WITH_IMAGE.code,
                f'stage "{job.title}" makes a release in an image of its own, which must hold the program glab',
                at=job.machine.image.span,
                also=[Label(named.span, "the stage that makes the release")],
                hint="leave the image out, so that the job runs in the setting tools.release, or name one with glab",
            )
        elif key == "release" and job is not None and any(isinstance(step, _WITH_TOOLS) for step in job.steps):
            report.add(
                RELEASE_WITH_TOOLS.code,
                f'stage "{job.title}" makes a release in the image with the tools of its other steps, which must hold '
                "the program glab",
                at=named.span,
                hint="make the release in a stage of its own",
            )


def _named(stage: str, titles: Titles) -> frozenset[str]:
    """Return the jobs of the stages that settings call *stage*."""
    return frozenset(title for (plan, own), title in titles.items() if stage in (own, f"{plan}: {own}"))


def _with_pages(job: GitLabJob, pages: Pages) -> GitLabJob:
    # GitLab adds the folder by itself since 17.10; before that, it has to be among the artifacts.
    is_left = any(path.rstrip("/") == pages.publish.rstrip("/") for path in job.artifacts)
    return replace(job, pages=pages, artifacts=job.artifacts if is_left else (*job.artifacts, pages.publish))


def _with_release(
    job: GitLabJob, release: Release, settings: GitLabSettings, images: Mapping[str, ImageKeys | None]
) -> GitLabJob:
    """Return *job* with what it releases, in the image for that if it names none; *images* are those of hidden jobs."""
    is_free = job.image is None and images.get(job.extends) is None and settings.images is Images.REGISTRY
    return replace(job, release=release, image=ImageKeys(settings.tools.release) if is_free else job.image)
