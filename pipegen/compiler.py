"""The stages of a compilation, in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from pipegen.bindings.budget import Budget
from pipegen.config.empty_steps import check_empty_steps
from pipegen.config.files.include import with_included
from pipegen.config.files.union import united
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
from pipegen.targets.unknown_targets import check_raw_targets, check_targets

_SLUG, _NO_SLUG = re.compile("[a-z0-9]{1,40}"), re.compile("[^a-z0-9]+")
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Analysed(Struct):
    """A config that has been checked: its plans, the settings of targets by name, and the inputs that are fixed.

    *sources* are *file* and all that it includes. *pipelines* are what the plans are made of, in the same order: as
    written, but for stages that are several and for pipelines without stages.
    """

    file: SourceFile
    sources: tuple[SourceFile, ...]
    pipelines: tuple[PipelineConfig, ...]
    plans: tuple[Plan, ...]
    settings: Mapping[str, TreeMapping]
    chosen: tuple[str, ...]
    given: Mapping[str, str]


def compile_file(
    file: SourceFile, target: Target, options: Mapping[str, str], names: Sequence[str], report: Report
) -> tuple[GeneratedFile, ...]:
    """Return the files that *target* needs for the pipelines *names* (all when empty) of *file*."""
    return generate(analyse(file, names, report), target, options, report)


def expand(file: SourceFile, report: Report) -> TreeMapping:
    """Return the tree of *file* with what it includes, and with every stage written out."""
    return _expanded(_trees(file, report), report)


def _trees(file: SourceFile, report: Report) -> tuple[Node, ...]:
    """Return the tree of *file* after those of all that it includes."""
    tree = read(file, report)
    report.stop_if_errors()
    check_schema(tree, report)
    report.stop_if_errors()
    return _included(tree, file, report)


def _included(tree: Node, file: SourceFile, report: Report) -> tuple[Node, ...]:
    """Return *tree*, that of *file*, after those of all that it includes."""
    trees = with_included(tree, file, report)
    report.stop_if_errors()
    return trees


def _expanded(trees: Sequence[Node], report: Report) -> TreeMapping:
    """Return the config that *trees* make, with every stage written out."""
    whole = united(trees, report)
    report.stop_if_errors()
    return resolve(whole, report)


def analyse(file: SourceFile, names: Sequence[str], report: Report, given: Mapping[str, str] = _NOTHING) -> Analysed:
    """Return what *file* says, the inputs in *given* fixed; raise `Stopped` after a stage that leaves errors.

    The parts of *file* that fit the schema are checked further beside those that do not.
    """
    tree = read(file, report)
    report.stop_if_errors()
    found = check_schema(tree, report)
    if found is not None and report.has_errors():
        further = Report()
        with suppress(Stopped):
            _analysed(_included(found.tree, file, further), file, names, further, given)
        report.take(further, found.vouches_for)
    report.stop_if_errors()
    return _analysed(_included(tree, file, report), file, names, report, given)


def _analysed(
    trees: Sequence[Node], file: SourceFile, names: Sequence[str], report: Report, given: Mapping[str, str]
) -> Analysed:
    """Return what *trees* say, those of *file* and of what it includes; raise `Stopped` as `analyse` does."""
    tree = _expanded(trees, report)
    check_empty_steps(tree, report)
    config = parse(tree, file)
    pipelines = _chosen(config, names, report)
    parameters = read_parameters(config, given, report)
    check_targets((name for name, _ in config.targets), report)
    report.stop_if_errors()
    written = read_stages(pipelines, config, report)
    report.stop_if_errors()
    expanded = with_stages(expand_stages(written, pipelines, report), report)
    slugs, homes = _slugs([one.pipeline for one in expanded]), _homes(config.pipelines)
    called = frozenset() if names else written.called
    budget = Budget()
    several = not names and sum(one.pipeline.name.value not in called for one in expanded) > 1
    plans = [
        plan
        for one in expanded
        if (
            plan := _plan(
                one,
                FileContext(homes, several, called, slugs[one.pipeline.name.value], file.folder, parameters, budget),
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
        chosen=tuple(names),
        given=parameters.given,
    )


def generate(
    analysed: Analysed, target: Target, options: Mapping[str, str], report: Report
) -> tuple[GeneratedFile, ...]:
    """Return the files that *target* needs, the parent of the others last."""
    settings = analysed.settings.get(target.NAME)
    if settings is not None:
        check_settings(settings, target.SETTINGS, report, f"targets.{target.NAME}")
        report.stop_if_errors()
    request = Request(
        source=analysed.file.from_root,
        start=Span(analysed.file, 0, 0),
        settings=settings,
        chosen=analysed.chosen,
        options=options,
        given=analysed.given,
    )
    files = tuple(target.generate(analysed.plans, request, report))
    report.stop_if_errors()
    return files


def _chosen(config: Config, names: Sequence[str], report: Report) -> tuple[PipelineConfig, ...]:
    """Return the pipelines *names* in the user's order; all of them without names."""
    known = [pipeline.name.value for pipeline in config.pipelines]
    for name in names:
        if name not in known:
            found = suggestion(name, known)
            report.add(
                codes.UNKNOWN_PIPELINE,
                f'"{config.file.path}" holds no pipeline "{name}"',
                at=Span(config.file, 0, 0),
                hint=f'write "--pipeline {found}"' if found else f"its pipelines are {listed(known)}",
            )
    return tuple(pipeline for pipeline in config.pipelines if not names or pipeline.name.value in names)


def _plan(expanded: Expanded, around: FileContext, report: Report) -> Plan | None:
    """Return the plan of a pipeline; None when its graph has a cycle, which is reported."""
    pipeline, graph = expanded.pipeline, expanded.graph
    if graph.cycles():
        check_values(pipeline, graph, around, report)
        return None
    return build_plan(pipeline, graph, around, report)


def _homes(pipelines: Iterable[PipelineConfig]) -> dict[str, tuple[str, ...]]:
    """Return the pipelines that hold a stage of each name."""
    found: dict[str, tuple[str, ...]] = {}
    for pipeline in pipelines:
        home = (pipeline.name.value,)
        for name in dict.fromkeys([stage.name.value for stage in pipeline.stages]):
            found[name] = found.get(name, ()) + home
    return found


def _slugs(pipelines: Sequence[PipelineConfig]) -> dict[str, dict[str, str]]:
    """Return a slug for each stage of each pipeline: lower-case letters, digits and dashes, unique in the file."""
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    slugs: dict[str, dict[str, str]] = {}
    for pipeline in pipelines:
        own = slugs.setdefault(pipeline.name.value, {})
        for stage in pipeline.stages:
            words = stage.name.value if len(pipelines) == 1 else f"{pipeline.name.value}-{stage.name.value}"
            base = words if _SLUG.fullmatch(words) else _slug(words)
            slug = base
            while slug in taken:
                numbers[base] = numbers.get(base, 1) + 1
                slug = f"{base}-{numbers[base]}"
            taken.add(slug)
            own[stage.name.value] = slug
    return slugs


def _slug(words: str) -> str:
    return _NO_SLUG.sub("-", words.lower()).strip("-")[:40].strip("-") or "stage"
