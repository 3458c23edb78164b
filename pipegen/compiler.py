"""The stages of a compilation, in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from pipegen.bindings.budget import Budget
from pipegen.config.empty_steps import check_empty_steps
from pipegen.config.files.include import read_included
from pipegen.config.files.union import merge_files
from pipegen.config.model import Config, PipelineConfig, StageConfig
from pipegen.config.parse import parse
from pipegen.config.read import read
from pipegen.config.resolve import resolve
from pipegen.config.schema.check import ValidConfig, check_schema, check_settings
from pipegen.config.schema.parts import without
from pipegen.config.schema.violation import Path
from pipegen.config.unknown.index import misread_parts
from pipegen.config.unknown.rounds import check_further
from pipegen.config.unknown.unknown import Unknown
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report, Stopped, listed, suggestion
from pipegen.lint.base import CheckedConfig
from pipegen.plan.build import FileContext, build_plan, check_values
from pipegen.plan.expansion.expand import Expanded, expand_stages, read_stages, with_stages
from pipegen.plan.files.caches import check_keys
from pipegen.plan.model import Plan
from pipegen.plan.runs.parameters import read_parameters
from pipegen.plan.runs.selection import report_on_demand, report_unselectable
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node
from pipegen.structs import Struct, replace
from pipegen.targets.base import GeneratedFile, Request, Target
from pipegen.targets.unknown_targets import check_raw_targets, check_targets


class _Resolved(Struct):
    """The *tree* of a config and its included files without the unknown *parts*; *sources* are its files.

    *templates* are the names of those that a stage extends, by its path.
    """

    tree: Node
    parts: tuple[Path, ...]
    sources: tuple[SourceFile, ...]
    templates: Mapping[Path, tuple[str, ...]]


_SLUG, _NOT_IN_SLUG = re.compile("[a-z0-9]{1,40}"), re.compile("[^a-z0-9]+")
# A value of an axis in a path, and the most characters of all values.
_PLAIN_VALUE, _LONGEST_VALUES = re.compile("[A-Za-z0-9][A-Za-z0-9._-]*"), 40
_NO_INPUTS: Mapping[str, str] = MappingProxyType({})


class Analysed(Struct):
    """A checked config: its plans, the settings of targets by name, and the inputs with fixed values.

    *sources* are *file* and the files that it includes. *pipelines* are the configs of *plans*, in the same order:
    matrix stages are expanded to combinations, and pipelines without stages are left out. *selected* are the names
    of the pipelines to compile; empty for all. The settings of *unsettled* targets are unknown.
    """

    file: SourceFile
    sources: tuple[SourceFile, ...]
    pipelines: tuple[PipelineConfig, ...]
    plans: tuple[Plan, ...]
    settings: Mapping[str, TreeMapping]
    selected: tuple[str, ...]
    inputs: Mapping[str, str]
    unsettled: tuple[str, ...]

    @property
    def input_values(self) -> Mapping[str, str]:
        """The values of inputs by name: the fixed ones, else the defaults; "" without a default."""
        defaults = {input_.name: input_.default or "" for plan in self.plans for input_ in plan.inputs}
        return {**defaults, **self.inputs}

    def for_rules(self, targets: Sequence[str]) -> CheckedConfig:
        """Return the input of lint rules, if files for *targets* are generated."""
        return CheckedConfig(self.file, self.sources, self.pipelines, self.plans, self.settings, tuple(targets))


def expand(file: SourceFile, report: Report) -> TreeMapping:
    """Return the tree of *file* merged with its included files, with templates and defaults expanded."""
    resolved = _resolved(file, report)
    report.stop_if_errors()
    return resolved.tree if isinstance(resolved.tree, TreeMapping) else TreeMapping((), resolved.tree.span)


def _resolved(file: SourceFile, report: Report) -> _Resolved:
    """Return the valid parts of *file* and its included files, expanded; raise `Stopped` if there are none."""
    checked = _checked(file, report)
    included = read_included(checked, file, report)
    merged = resolve(merge_files(included, report), report)
    return _Resolved(merged.tree, merged.parts, tuple(tree.span.file for tree in included.trees), merged.templates)


def _checked(file: SourceFile, report: Report) -> ValidConfig:
    """Return the tree of the valid parts of *file*; raise `Stopped` if there are none or it is not a config."""
    own = Report()
    try:
        tree = read(file, own)
        misread = misread_parts(tree, own.errors())
        checked = check_schema(tree, own, misread) if misread is not None else None
    except Stopped:
        checked = None
    if own.has_errors():
        from pipegen.readback.engines import report_foreign_file  # noqa: PLC0415 - only for a file with errors

        if report_foreign_file(file, report):
            raise Stopped
    report.take(own)
    if checked is None:
        raise Stopped
    return checked


def analyse(
    file: SourceFile,
    names: Sequence[str],
    report: Report,
    inputs: Mapping[str, str] = _NO_INPUTS,
    after: Callable[[Analysed, Report], object] | None = None,
    final: Collection[Code] = (),
) -> Analysed:
    """Return the plans of *file* with the values of *inputs* fixed; raise `Stopped` if there are errors.

    If there are errors, the valid parts are still checked, also by *after*, where corrections of the invalid parts
    cannot change the result, until a check reports *final* errors.
    """
    resolved = _resolved(file, report)

    def again(parts: tuple[Path, ...], further: Report) -> Analysed | None:
        remainder = without(resolved.tree, parts)
        with suppress(Stopped):
            return _analysed(replace(resolved, tree=remainder, parts=parts), file, names, further, inputs)
        return None

    first = Report()
    analysed = again(resolved.parts, first)
    if analysed is not None and not resolved.parts:
        report.take(first)
        if not report.has_errors():
            return analysed
    unknown = Unknown(resolved.tree, resolved.parts)
    check_further(unknown, analysed, first, again, after or (lambda *_: None), report, final)
    raise Stopped


def _analysed(
    resolved: _Resolved, file: SourceFile, names: Sequence[str], report: Report, inputs: Mapping[str, str]
) -> Analysed:
    """Return the plans of *file*, whose tree is *resolved*; raise `Stopped` after the first stage with errors."""
    tree = resolved.tree
    check_empty_steps(tree, report)
    config = parse(tree, file, resolved.templates)
    pipelines = _selected(config, names, report)
    parameters = read_parameters(config, inputs, report)
    check_targets((name for name, _ in config.targets), report)
    report.stop_if_errors()
    pipeline_sources = read_stages(pipelines, config, report)
    report.stop_if_errors()
    expanded = with_stages(expand_stages(pipeline_sources, pipelines, report), report)
    slugs, pipelines_by_stage = (
        _slugs([expansion.pipeline for expansion in expanded]),
        _pipelines_by_stage(config.pipelines),
    )
    called = frozenset() if names else pipeline_sources.called
    budget = Budget()
    is_one_of_several = not names and sum(expansion.pipeline.name.value not in called for expansion in expanded) > 1
    plans = []
    for expansion in expanded:
        slug = slugs[expansion.pipeline.name.value]
        context = FileContext(pipelines_by_stage, is_one_of_several, called, slug, file.folder, parameters, budget)
        if plan := _plan(expansion, context, report):
            plans.append(plan)
    report_on_demand(plans, called, report)
    report_unselectable(plans, report)
    check_raw_targets(plans, report)
    check_keys(plans, report)
    report.stop_if_errors()
    return Analysed(
        file,
        resolved.sources,
        tuple(expansion.pipeline for expansion in expanded),
        tuple(plans),
        {name.value: settings for name, settings in config.targets},
        selected=tuple(names),
        inputs=parameters.fixed,
        unsettled=tuple(str(part[-1]) for part in resolved.parts if part[0] == "targets"),
    )


def generate(
    analysed: Analysed, target: Target, options: Mapping[str, str], report: Report
) -> tuple[GeneratedFile, ...]:
    """Return the files that *target* needs; a parent file comes after its children."""
    if target.NAME in analysed.unsettled or "targets" in analysed.unsettled:
        raise Stopped
    settings = analysed.settings.get(target.NAME)
    if settings is not None:
        # Errors for another target do not prevent the checks for this one.
        own = Report()
        check_settings(settings, target.SETTINGS, own, f"targets.{target.NAME}")
        report.take(own)
        own.stop_if_errors()
    request = Request(
        source=analysed.file.from_root,
        start=Span(analysed.file, 0, 0),
        settings=settings,
        selected=analysed.selected,
        options=options,
        fixed_inputs=analysed.inputs,
    )
    try:
        files = tuple(target.generate(analysed.plans, request, report))
    except Exception as error:
        # The target may be that of another distribution, whose authors then know of it.
        error.add_note(f'in the target "{target.NAME}"')
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # `sys.exit` of a target does not decide the exit status.
        failure = RuntimeError(f"{type(error).__name__}: {error}")
        failure.add_note(f'in the target "{target.NAME}"')
        raise failure from error
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
    """Return a slug for each stage of each pipeline: lower-case letters, digits and hyphens, unique in the file.

    The slug of a combination ends in the values of its axes, where these are part of a path.
    """
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    slugs: dict[str, dict[str, str]] = {}
    for pipeline in pipelines:
        own = slugs.setdefault(pipeline.name.value, {})
        for stage in pipeline.stages:
            text = stage.name.value if len(pipelines) == 1 else f"{pipeline.name.value}-{stage.name.value}"
            base = _combination_slug(text, stage) or (text if _SLUG.fullmatch(text) else _slug(text))
            slug = base
            while slug.lower().replace(".", "-") in taken:
                numbers[base] = numbers.get(base, 1) + 1
                slug = f"{base}-{numbers[base]}"
            taken.add(slug.lower().replace(".", "-"))
            own[stage.name.value] = slug
    return slugs


def _combination_slug(text: str, stage: StageConfig) -> str:
    """Return the slug of a combination, which ends in the values of its axes, or "" if they are not part of a path.

    *text* is the name of *stage*, after that of its pipeline if there are several.
    """
    if stage.combination is None:
        return ""
    values = "-".join(value for _, value in stage.combination.values)
    matrix = _slug(text.removesuffix(stage.name.value) + stage.combination.stage)
    is_part_of_path = all(map(_PLAIN_VALUE.fullmatch, (value for _, value in stage.combination.values)))
    return f"{matrix}-{values}" if is_part_of_path and len(values) <= _LONGEST_VALUES else ""


def _slug(text: str) -> str:
    return _NOT_IN_SLUG.sub("-", text.lower()).strip("-")[:40].strip("-") or "stage"
