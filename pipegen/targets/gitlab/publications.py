"""What the jobs of some stages do for GitLab itself: publish a website, make a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, near_miss
from pipegen.plan.model import Plan
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar
from pipegen.structs import replace
from pipegen.targets.gitlab.model import Image, Job
from pipegen.targets.gitlab.pairs import RELEASE_WITH_IMAGE
from pipegen.targets.gitlab.settings import Settings

Titles = Mapping[tuple[str, str], str]


def publishing(jobs: Iterable[Job], titles: Titles, settings: Settings) -> tuple[Job, ...]:
    """Return *jobs*, those that the settings name with what they publish; *titles* are the jobs of stages."""
    found = [_with_pages(job, titles, settings) for job in jobs]
    return tuple(_with_release(job, titles, settings) for job in found)


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
            found = near_miss(named.text, tuple(stages))
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


def _is_named(job: Job, stage: str, titles: Titles) -> bool:
    return any(job.name == title and stage in (own, f"{plan}: {own}") for (plan, own), title in titles.items())


def _with_pages(job: Job, titles: Titles, settings: Settings) -> Job:
    pages = settings.pages
    if pages is None or not _is_named(job, pages.stage, titles):
        return job
    # GitLab adds the folder by itself since 17.10; before that, it has to be among the artifacts.
    is_left = any(path.rstrip("/") == pages.publish.rstrip("/") for path in job.artifacts)
    return replace(job, pages=pages, artifacts=job.artifacts if is_left else (*job.artifacts, pages.publish))


def _with_release(job: Job, titles: Titles, settings: Settings) -> Job:
    release = settings.release
    if release is None or not _is_named(job, release.stage, titles):
        return job
    is_free = job.image is None and not job.extends and settings.images is Images.REGISTRY
    return replace(job, release=release, image=Image(settings.tools.release) if is_free else job.image)
