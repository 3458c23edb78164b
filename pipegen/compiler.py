"""The stages of a compilation, in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from pipegen.bindings.budget import Budget
from pipegen.config.empty_steps import check_empty_steps
from pipegen.config.files.include import read_included
from pipegen.config.files.union import merge_files
from pipegen.config.model import Config, PipelineConfig
from pipegen.config.parse import parse
from pipegen.config.read import read
from pipegen.config.resolve import resolve
from pipegen.config.schema.check import check_schema, check_settings
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped, listed, suggestion
from pipegen.plan.build import FileContext, build_plan, check_values
from pipegen.plan.expansion.expand import Expanded, expand_stages, read_stages, with_stages
from pipegen.plan.files.caches import check_keys
from pipegen.plan.model import Plan
from pipegen.plan.runs.parameters import read_parameters
from pipegen.plan.runs.selection import report_on_demand
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node
from pipegen.structs import Struct
from pipegen.targets.base import GeneratedFile, Request, Target
from pipegen.targets.foreign import check_raw_targets, check_targets

_SLUG, _NOT_IN_SLUG = re.compile("[a-z0-9]{1,40}"), re.compile("[^a-z0-9]+")
_NO_INPUTS: Mapping[str, str] = MappingProxyType({})


class Analysed(Struct):
    """A checked config: its plans, the settings of targets by name, and the inputs with fixed values.

    *sources* are *file* and the files that it includes. *pipelines* are the configs of *plans*, in the same order:
    matrix stages are expanded to combinations, and pipelines without stages are left out. *selected* are the names
    of the pipelines to compile; empty for all.
    """

    file: SourceFile
    sources: tuple[SourceFile, ...]
    pipelines: tuple[PipelineConfig, ...]
    plans: tuple[Plan, ...]
    settings: Mapping[str, TreeMapping]
    selected: tuple[str, ...]
    inputs: Mapping[str, str]


def compile_file(
    file: SourceFile, target: Target, options: Mapping[str, str], names: Sequence[str], report: Report
) -> tuple[GeneratedFile, ...]:
    """Return the files that *target* needs for the pipelines *names* (all when empty) of *file*."""
    return generate(analyse(file, names, report), target, options, report)


def expand(file: SourceFile, report: Report) -> TreeMapping:
    """Return the tree of *file* merged with its included files, with templates and defaults expanded."""
    return _expanded(_trees(file, report), report)


def _trees(file: SourceFile, report: Report) -> tuple[Node, ...]:
    """Return the trees of the files that *file* includes, then its own."""
    tree = read(file, report)
    report.stop_if_errors()
    check_schema(tree, report)
    report.stop_if_errors()
    return _included(tree, file, report)


def _included(tree: Node, file: SourceFile, report: Report) -> tuple[Node, ...]:
    """Return the trees of the files that *file* includes, then its own *tree*."""
    trees = read_included(tree, file, report)
    report.stop_if_errors()
    return trees


def _expanded(trees: Sequence[Node], report: Report) -> TreeMapping:
    """Return *trees* merged into one config, with templates and defaults expanded."""
    merged = merge_files(trees, report)
    report.stop_if_errors()
    return resolve(merged, report)


def analyse(file: SourceFile, names: Sequence[str], report: Report, inputs: Mapping[str, str] = _NO_INPUTS) -> Analysed:
    """Return the plans of *file* with the values of *inputs* fixed; raise `Stopped` after a stage that reports errors.

    If *file* breaks the schema, its valid parts are still analysed, so that more errors are reported at once.
    """
    tree = read(file, report)
    report.stop_if_errors()
    valid_part = check_schema(tree, report)
    if valid_part is not None and report.has_errors():
        partial_report = Report()
        with suppress(Stopped):
            _analysed(_included(valid_part.tree, file, partial_report), file, names, partial_report, inputs)
        report.take(partial_report, valid_part.is_certain)
    report.stop_if_errors()
    return _analysed(_included(tree, file, report), file, names, report, inputs)


def _analysed(
    trees: Sequence[Node], file: SourceFile, names: Sequence[str], report: Report, inputs: Mapping[str, str]
) -> Analysed:
    """Return the plans of *trees*: those of *file* and of its included files; raise `Stopped` as `analyse` does."""
    tree = _expanded(trees, report)
    check_empty_steps(tree, report)
    config = parse(tree, file)
    pipelines = _selected(config, names, report)
    parameters = read_parameters(config, inputs, report)
    check_targets((name for name, _ in config.targets), report)
    report.stop_if_errors()
    pipeline_sources = read_stages(pipelines, config, report)
    report.stop_if_errors()
    expanded = with_stages(expand_stages(pipeline_sources, pipelines, report), report)
    slugs, pipelines_by_stage = _slugs([one.pipeline for one in expanded]), _pipelines_by_stage(config.pipelines)
    called = frozenset() if names else pipeline_sources.called
    budget = Budget()
    is_one_of_several = not names and sum(one.pipeline.name.value not in called for one in expanded) > 1
    plans = [
        plan
        for one in expanded
        if (
            plan := _plan(
                one,
                FileContext(
                    pipelines_by_stage,
                    is_one_of_several,
                    called,
                    slugs[one.pipeline.name.value],
                    file.folder,
                    parameters,
                    budget,
                ),
                report,
            )
        )
    ]
    report_on_demand(plans, called, report)
    check_raw_targets(plans, report)
    check_keys(plans, report)
    report.stop_if_errors()
    return Analysed(
        file,
        tuple(one.span.file for one in trees),
        tuple(one.pipeline for one in expanded),
        tuple(plans),
        {name.value: settings for name, settings in config.targets},
        selected=tuple(names),
        inputs=parameters.given,
    )


def generate(
    analysed: Analysed, target: Target, options: Mapping[str, str], report: Report
) -> tuple[GeneratedFile, ...]:
    """Return the files that *target* needs; a parent file comes after its children."""
    settings = analysed.settings.get(target.NAME)
    if settings is not None:
        check_settings(settings, target.SETTINGS, report, f"targets.{target.NAME}")
        report.stop_if_errors()
    request = Request(
        source=analysed.file.from_root,
        start=Span(analysed.file, 0, 0),
        settings=settings,
        chosen=analysed.selected,
        options=options,
        given=analysed.inputs,
    )
    files = tuple(target.generate(analysed.plans, request, report))
    report.stop_if_errors()
    return files


def _selected(config: Config, names: Sequence[str], report: Report) -> tuple[PipelineConfig, ...]:
    """Return the pipelines *names* in the user's order; without names, all of them."""
    known = [pipeline.name.value for pipeline in config.pipelines]
    for name in names:
        if name not in known:
            suggested = suggestion(name, known)
            report.add(
                codes.UNKNOWN_PIPELINE,
                f'"{config.file.path}" has no pipeline "{name}"',
                at=Span(config.file, 0, 0),
                hint=f'write "--pipeline {suggested}"' if suggested else f"its pipelines are {listed(known)}",
            )
    return tuple(pipeline for pipeline in config.pipelines if not names or pipeline.name.value in names)


def _plan(expanded: Expanded, context: FileContext, report: Report) -> Plan | None:
    """Return the plan of a pipeline; None if its graph has a cycle, which is reported."""
    pipeline, graph = expanded.pipeline, expanded.graph
    if graph.cycles():
        check_values(pipeline, graph, context, report)
        return None
    return build_plan(pipeline, graph, context, report)


def _pipelines_by_stage(pipelines: Iterable[PipelineConfig]) -> dict[str, tuple[str, ...]]:
    """Return the names of the pipelines that define each stage, by the stage's name."""
    pipelines_by_stage: dict[str, tuple[str, ...]] = {}
    for pipeline in pipelines:
        owner = (pipeline.name.value,)
        for name in dict.fromkeys([stage.name.value for stage in pipeline.stages]):
            pipelines_by_stage[name] = pipelines_by_stage.get(name, ()) + owner
    return pipelines_by_stage


def _slugs(pipelines: Sequence[PipelineConfig]) -> dict[str, dict[str, str]]:
    """Return a slug for each stage of each pipeline: lower-case letters, digits and hyphens, unique in the file."""
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    slugs: dict[str, dict[str, str]] = {}
    for pipeline in pipelines:
        own = slugs.setdefault(pipeline.name.value, {})
        for stage in pipeline.stages:
            text = stage.name.value if len(pipelines) == 1 else f"{pipeline.name.value}-{stage.name.value}"
            base = text if _SLUG.fullmatch(text) else _slug(text)
            slug = base
            while slug in taken:
                numbers[base] = numbers.get(base, 1) + 1
                slug = f"{base}-{numbers[base]}"
            taken.add(slug)
            own[stage.name.value] = slug
    return slugs


def _slug(text: str) -> str:
    return _NOT_IN_SLUG.sub("-", text.lower()).strip("-")[:40].strip("-") or "stage"
