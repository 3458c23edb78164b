"""GitLab CI/CD: a `.gitlab-ci.yml` with a job for each stage and real needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.diagnostics.codes import NO_JOBS
from pipegen.diagnostics.report import Report
from pipegen.emit.header import options_note
from pipegen.plan.model import Plan
from pipegen.targets.base import Capability, GeneratedFile, Pair, Request
from pipegen.targets.gitlab.capabilities import TABLE
from pipegen.targets.gitlab.checks.unsupported import check_registry
from pipegen.targets.gitlab.checks.versions import table
from pipegen.targets.gitlab.file_builder import MAIN, FileBuilder
from pipegen.targets.gitlab.files.sizes import SizeEstimator
from pipegen.targets.gitlab.files.splitting import known_groups
from pipegen.targets.gitlab.helper_jobs.built_images import with_built_images
from pipegen.targets.gitlab.jobs.deployments.publications import check_publications
from pipegen.targets.gitlab.jobs.fetch import fetched_names
from pipegen.targets.gitlab.jobs.included_jobs import check_includes
from pipegen.targets.gitlab.jobs.other_files import check_other_files
from pipegen.targets.gitlab.lower import lower
from pipegen.targets.gitlab.pairs import PAIRS
from pipegen.targets.gitlab.runner_variables import check_runner_variables
from pipegen.targets.gitlab.settings import check_references, read
from pipegen.targets.gitlab.settings_schema import SCHEMA

NAME = "gitlab"
FILE = MAIN
CAPABILITIES: tuple[Capability, ...] = TABLE
INCOMPATIBLE: tuple[Pair, ...] = PAIRS
VERSIONS: tuple[tuple[str, str], ...] = table()
SETTINGS: Mapping[str, object] = SCHEMA
OPTIONS: Mapping[str, tuple[str, ...]] = {"split": (), "child": ()}


def generate(plans: Sequence[Plan], request: Request, report: Report) -> Sequence[GeneratedFile]:
    """Return the file of *plans*, after the files that it starts or includes; report what GitLab does not support."""
    if not plans:
        report.add(
            NO_JOBS,
            "no pipeline has stages, and GitLab rejects a file without jobs",
            at=request.start,
            hint='add a stage to a pipeline, or remove "gitlab" from "targets"',
        )
        return ()
    settings, has_selection = read(request.settings), bool(request.selected)
    # With this option, stages that the settings or --split name may be absent from the plans.
    since = request.options.get("changed_since", "")
    check_references(request.settings, plans, report)
    check_publications(plans, request.settings, is_part=has_selection or bool(since), report=report)
    check_includes(plans, request.settings, is_part=has_selection or bool(since), report=report)
    check_other_files(plans, request.settings, settings, is_part=has_selection or bool(since), report=report)
    check_runner_variables(request.settings, plans, fetched_names, report)
    plans = with_built_images(plans, settings)
    check_registry(plans, request.settings, settings, report)
    groups = tuple(tuple(group.split(",")) for group in request.options.get("split", "").splitlines())
    is_child = bool(request.options.get("child"))
    known = known_groups(plans, groups) if since else groups
    sizes = SizeEstimator()
    lowered = lower(plans, settings, has_selection=has_selection, report=report, groups=known, is_child=is_child)
    builder = FileBuilder(
        source=request.source,
        option_notes=options_note(
            request.selected,
            request.fixed_inputs,
            [",".join(group) for group in groups],
            since=since,
            is_child=is_child,
        ),
        folder=request.options.get("folder", ""),
        limit=settings.max_yaml_size_bytes,
        sizes=sizes,
        is_alone=is_child,
        at=plans[0].span,
        jobs={f"{plan.name}: {job.stage}" if len(plans) > 1 else job.stage: job for plan in plans for job in plan.jobs},
        version=settings.version,
        report=report,
    )
    return builder.build(lowered)
