"""GitLab CI/CD: a `.gitlab-ci.yml` with a job for each stage and real needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.diagnostics.codes import NO_JOBS
from pipegen.diagnostics.report import Report
from pipegen.emit.header import options_note
from pipegen.plan.model import Plan
from pipegen.targets.base import Capability, GeneratedFile, Pair, Request
from pipegen.targets.gitlab.capabilities import TABLE
from pipegen.targets.gitlab.checks.registries import check_registry
from pipegen.targets.gitlab.checks.versions import table
from pipegen.targets.gitlab.file_names import MAIN, Files
from pipegen.targets.gitlab.files.sizes import Scales
from pipegen.targets.gitlab.jobs.publications import check_publications
from pipegen.targets.gitlab.lower import lower
from pipegen.targets.gitlab.pairs import PAIRS
from pipegen.targets.gitlab.settings import SCHEMA, read

NAME = "gitlab"
FILE = MAIN
CAPABILITIES: tuple[Capability, ...] = TABLE
INCOMPATIBLE: tuple[Pair, ...] = PAIRS
VERSIONS: tuple[tuple[str, str], ...] = table()
SETTINGS: Mapping[str, object] = SCHEMA
OPTIONS: Mapping[str, tuple[str, ...]] = {"split": (), "child": ()}


def generate(plans: Sequence[Plan], request: Request, report: Report) -> Sequence[GeneratedFile]:
    """Return the file of *plans*, after those that it starts or includes; what GitLab cannot say is reported."""
    if not plans:
        report.add(
            NO_JOBS,
            "no pipeline has stages, and GitLab refuses a file without jobs",
            at=request.start,
            hint='give a pipeline a stage, or generate no file: take "gitlab" out of "targets"',
        )
        return ()
    settings, chosen = read(request.settings), bool(request.chosen)
    # Of what has changed since then, stages may be left out that the settings, or a call that is always the same, name.
    since = request.options.get("changed_since", "")
    check_publications(plans, request.settings, is_part=chosen or bool(since), report=report)
    check_registry(plans, request.settings, settings, report)
    groups = tuple(tuple(group.split(",")) for group in request.options.get("split", "").splitlines())
    is_child = bool(request.options.get("child"))
    left = groups
    if since:
        from pipegen.targets.gitlab.files.splitting import known_groups  # noqa: PLC0415 - most files are not cut

        left = known_groups(plans, groups)
    scales = Scales()
    lowered = lower(plans, settings, chosen=chosen, report=report, groups=left, is_child=is_child)
    files = Files(
        source=request.source,
        given=options_note(
            request.chosen,
            request.given,
            [",".join(group) for group in groups],
            since=since,
            is_child=is_child,
        ),
        folder=request.options.get("folder", ""),
        limit=settings.max_yaml_size_bytes,
        scales=scales,
        is_alone=is_child,
        at=plans[0].span,
        jobs={f"{plan.name}: {job.stage}" if len(plans) > 1 else job.stage: job for plan in plans for job in plan.jobs},
        version=settings.version,
        report=report,
    )
    return files.of(lowered)
