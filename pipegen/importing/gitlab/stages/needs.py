"""What stages need: the files they get (`files_from`), and raw needs where a config cannot express them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, suggestion
from pipegen.emit.yaml import Data
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.arcs import SelectedArc, closure
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import Need, Order, is_elsewhere, needs_of, values_in, whole_name
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.stages.after_failures import Misordered, after_any_failure, in_order_of_stages
from pipegen.importing.gitlab.stages.keys.base import as_map, raw_data
from pipegen.importing.gitlab.stages.keys.matrices import matrix_combinations
from pipegen.importing.gitlab.stages.other_files import needs_elsewhere, other_files
from pipegen.importing.gitlab.stages.raw_keys import RawKeys
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.plan.expansion.combinations import combination_name
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct, field
from pipegen.targets.gitlab.jobs.raw import has_rules, needs_failure, runs_after_failures

_MOST_NEEDS = 50
# Why needs stay raw.
_SKIPPED = "GitLab skips a job that needs a skipped one, or starts it at once"
_MISORDERED = "in some runs it waits for fewer jobs than a stage would"
# Names of jobs that GitLab reserves: https://docs.gitlab.com/ci/jobs/#job-names
_RENAMED = frozenset({"pages", "types", "true", "false", "nil"})


class GeneratedNames(Struct):
    """Names in a generated file: the *jobs* of each stage, and of some jobs the *helpers* that others await instead.

    The helper of a job that is optional in some runs is only in the others.
    """

    jobs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    helpers: Mapping[str, str] = field(default_factory=dict)


class KeptNeeds(Struct):
    """The stages with raw needs, each with the reason.

    If it *lacks_names*, other stages need names of jobs in the generated file. *staged* ones keep the order of stages.
    """

    reasons: Mapping[str, str]
    lacks_names: bool
    staged: frozenset[str]


class Received(Struct):
    """The stages whose files a stage gets: *is_usual* says whether they are all earlier ones that leave files."""

    sources: tuple[str, ...]
    is_usual: bool


def received_files(drafts: Sequence[Draft], order: Order) -> dict[str, Received]:
    """Return the stages whose files each stage with a script gets.

    Usual ones are all earlier ones that leave files; for a final stage, none. Those that need a failure leave none for
    a stage that starts without one.
    """
    failed = {draft.name for draft in drafts if needs_failure(draft.raw)}
    leaving = [draft.name for draft in drafts if _passes_files_on(draft)]
    earlier = {**closure(order.before), **dict.fromkeys(order.final, frozenset(order.before))}
    whole = closure({name: direct | _needed_as_a_whole(name, order) for name, direct in order.whole.items()})
    result: dict[str, Received] = {}
    for draft in (draft for draft in drafts if "script" in draft.keys):
        partial = order.partial_files.get(draft.name, {})
        selected = {**order.selected.get(draft.name, {}), **partial}
        missing = failed - order.before.get(draft.name, failed) if not runs_after_failures(draft.raw) else ()
        received = set(order.files[draft.name]).difference(missing)
        sources = tuple(name for name in leaving if name in received and name in earlier[draft.name])
        usual = tuple(name for name in leaving if name in earlier[draft.name] and draft.name not in order.final)
        is_usual = sources == usual and not partial
        is_usual = is_usual and whole.get(draft.name, frozenset()).isdisjoint(selected.keys() & set(sources))
        result[draft.name] = Received(sources, is_usual)
    return result


def files_from(received: Mapping[str, Received], order: Order) -> dict[str, list[str]]:
    """Return the stages whose files a stage gets, where these are not the usual ones."""
    result: dict[str, list[str]] = {}
    for stage, own in received.items():
        if not own.is_usual:
            selected = {**order.selected.get(stage, {}), **order.partial_files.get(stage, {})}
            names = [each for name in own.sources for each in _file_names(name, stage, selected.get(name, ()))]
            result[stage] = list(dict.fromkeys(names))
    return result


def _needed_as_a_whole(name: str, order: Order) -> frozenset[str]:
    """Return the stages all of whose combinations are before stage *name* by arcs of their own."""
    selected = order.selected.get(name, {})
    return frozenset(other for other, arcs in selected.items() if any(arc.earlier == (other,) for arc in arcs))


def _file_names(name: str, stage: str, arcs: Sequence[SelectedArc]) -> tuple[str, ...]:
    """Return the names in `files_from` of *stage* for the files of *name*, which is before it by *arcs*, or as a whole.

    The whole name stands for those of its combinations that are before a combination.
    """
    is_partial = not arcs or any(arc.later != (stage,) for arc in arcs)
    return (name,) if is_partial else tuple(chain.from_iterable(arc.earlier for arc in arcs))


def keep_needs(
    drafts: Sequence[Draft],
    source: SourcePipeline,
    order: Order,
    names: GeneratedNames,
    misordered: Misordered,
    inputs: Collection[str],
    report: Report,
) -> KeptNeeds:
    """Keep the needs of stages raw that a config cannot express.

    These need single combinations or jobs of other pipelines, or are *misordered*: they would wait for other jobs in
    some runs. *names* are those in the generated file, and *inputs* the variables that a run sets. A job whose stage
    decides its order awaits no optional job.
    """
    reasons: dict[str, str] = {}
    has_unknown = False
    by_name = {draft.name: draft for draft in drafts}
    leaving = {draft.name for draft in drafts if "outputs" in draft.keys or _leaves_raw_files(draft)}
    earlier = closure(order.before)
    skipped = after_any_failure(drafts, source, order, misordered, report).difference(misordered.names)
    chosen = [draft for draft in drafts if draft.name in misordered.names or draft.name in misordered.staged]
    exact = in_order_of_stages(chosen, drafts, source, order, misordered)
    staged = {**dict.fromkeys(exact, _MISORDERED), **dict.fromkeys(skipped, _SKIPPED)}
    for draft in drafts:
        origins = [by_name[name] for name in order.files[draft.name]]
        if draft.name in staged:
            has_unknown |= not _keep_stage_order(draft, origins, names)
            reasons[draft.name] = staged[draft.name]
            continue
        others = other_files(draft.job, inputs)
        reason = _raw_reason(draft, source, order, others, is_misordered=draft.name in misordered.names)
        if not reason:
            draft.other_files = others or ()
            continue
        sources = leaving.intersection(order.files[draft.name], earlier.get(draft.name, ()))
        needed = [other for other in drafts if other.name in sources.union(order.before.get(draft.name, ()))]
        is_by_stage = needs_of(draft.job, source) is None
        if any(_is_unknown(other, names, is_by_stage=is_by_stage) for other in needed):
            has_unknown = True
            continue
        needs = [*_raw_needs(draft, needed, source, order, names), *needs_elsewhere(draft.job, inputs)]
        if len(needs) + sum(_further_combinations(other, names) for other in needed) <= _MOST_NEEDS:
            draft.raw["needs"] = needs
        elif is_by_stage:
            has_unknown |= not _keep_stage_order(draft, origins, names)
        if "needs" in draft.raw:
            reasons[draft.name] = reason
    return KeptNeeds(reasons, lacks_names=has_unknown, staged=frozenset(staged))


def _raw_needs(
    draft: Draft, needed: Sequence[Draft], source: SourcePipeline, order: Order, names: GeneratedNames
) -> Iterator[Data]:
    """Yield the needs of *draft* on the jobs of *needed*, whose *names* are those in the generated file."""
    helpers = names.helpers if needs_of(draft.job, source) is None else {}
    single = _single_combinations(draft.job, source)
    for other in needed:
        jobs = _chosen(names.jobs.get(other.name) or _job_names(other), other.name, single.get(other.name))
        keys = _need_keys(other, has_files=other.name in order.files[draft.name]) | _own(draft.job, other, source)
        for name in jobs:
            own = keys | ({"optional": True} if name in helpers else {})
            yield {"job": helpers.get(name, name), **own} if own else name


def _further_combinations(other: Draft, names: GeneratedNames) -> int:
    """Return how many needs GitLab counts besides one for each of the jobs of *other* in the generated file."""
    combinations = matrix_combinations(as_map(other.keys.get("matrix")))
    return max(0, len(combinations) - len(names.jobs.get(other.name, combinations)))


def _keep_stage_order(draft: Draft, sources: Sequence[Draft], names: GeneratedNames) -> bool:
    """Let the stage decide the order of *draft*, which gets files of *sources*; return whether their names are known.

    *names* are those in the generated file.
    """
    draft.raw["needs"] = None
    if draft.job.get("dependencies") is None:
        return True
    jobs = [names.jobs.get(source.name) or _job_names(source) for source in sources]
    draft.raw["dependencies"] = list(chain.from_iterable(jobs))
    return not any(_is_unknown(source, names, is_by_stage=False) for source in sources)


def _raw_reason(
    draft: Draft,
    source: SourcePipeline,
    order: Order,
    others: Sequence[Mapping[str, Data]] | None,
    *,
    is_misordered: bool,
) -> str:
    """Return why a config cannot express the needs of *draft*, "" if it can.

    *others* are those on jobs of other pipelines, None if these are not files that a config can name.
    """
    if "parallel" in draft.raw and any(need.own_axes for need in needs_of(draft.job, source) or ()):
        return "it needs the same combinations of another matrix"
    if not _single_combinations(draft.job, source).keys() <= order.selected.get(draft.name, {}).keys():
        return "it needs single combinations"
    if is_misordered:
        return _MISORDERED
    return "it needs jobs of other pipelines" if others is None else ""


def _need_keys(other: Draft, *, has_files: bool) -> dict[str, Data]:
    """Return the keys of a need on *other*, whose files arrive if it *has_files*."""
    keys: dict[str, Data] = {}
    if not has_files and (_leaves_files(other) or "outputs" in other.keys or other.raw):
        keys["artifacts"] = False
    if "when" in other.keys or has_rules(other.raw):
        keys["optional"] = True
    return keys


def _own(job: SourceJob, other: Draft, source: SourcePipeline) -> dict[str, Data]:
    """Return the key of the need of *job* on the combinations of *other* with its own values, {} if it has none."""
    needs = [need for need in needs_of(job, source) or () if need.own_axes and need.name == other.name]
    nodes = [need.node.get("parallel") for need in needs if isinstance(need.node, TreeMapping)]
    return {"parallel": raw_data(nodes[0])} if nodes and nodes[0] is not None and "parallel" in other.raw else {}


def _chosen(jobs: Sequence[str], stage: str, single: Mapping[str, str] | None) -> Sequence[str]:
    """Return those of the *jobs* of *stage* that are its *single* combinations, all without these.

    If the stage itself is one of them, it has the other combinations, which GitLab names.
    """
    if single is None:
        return jobs
    own = {values_in(name): name for name in jobs if name != stage}
    return [own.get(values, name) for values, name in single.items() if values in own or stage in jobs]


def report_needs(
    draft: Draft,
    source: SourcePipeline,
    order: Order,
    raw_reason: str,
    raw_keys: RawKeys,
    accounting: Accounting,
    report: Report,
) -> None:
    """Account for `needs` and `dependencies` of *draft*, and report the needs that are left out, or stay raw."""
    job = draft.job
    for key in ("needs", "dependencies"):
        if key in job.entries:
            accounting.mark(job.entries[key], KeyOutcome.TRANSLATED)
    if raw_reason:
        if "needs" in job.entries:
            _mark_raw_needs(job, source, accounting)
        at = job.entries["needs"].key.span if "needs" in job.entries else job.key.span
        raw_keys.add(job.name, "needs", at, raw_reason)
    elif "needs" not in draft.raw:
        _report_inexact(draft, source, order, accounting, report)
    for need in needs_of(job, source) or ():
        # A job that is left out has been reported.
        if need.name not in order.before and need.name not in source.jobs:
            _report_missing(job, need, source, accounting, report)
    _report_dependencies(draft, source, order, accounting, report)


def _report_dependencies(
    draft: Draft, source: SourcePipeline, order: Order, accounting: Accounting, report: Report
) -> None:
    """Report the `dependencies` of *draft* whose files it does not get."""
    job = draft.job
    is_by_stage = needs_of(job, source) is None and draft.name not in order.final
    for item in flat_items(job.get("dependencies")):
        name = whole_name(text_of(item), source.jobs)
        if is_by_stage and name in order.files[draft.name] and name not in order.before[draft.name]:
            accounting.mark(job.entries["dependencies"], KeyOutcome.REPORTED)
            report.add(
                codes.NOT_IMPORTED,
                f'job "{job.name}" does not get the files of "{name}", which it does not wait for',
                at=item.span,
                hint='put the job into its "needs", so that it waits for it',
            )
        if not source.is_complete and name not in source.jobs:
            accounting.mark(job.entries["dependencies"], KeyOutcome.REPORTED)
            report.add(
                codes.INCLUDE_NOT_READ,
                f'job "{job.name}" does not get the files of "{text_of(item)}": the job is not in the files',
                at=item.span,
                hint="add the job as a stage",
            )


def _mark_raw_needs(job: SourceJob, source: SourcePipeline, accounting: Accounting) -> None:
    """Mark the raw needs of *job*: arcs also express those on whole jobs of the pipeline."""
    entry = job.entries["needs"]
    others = [item for item in flat_items(entry.value) if is_elsewhere(item)]
    others += [need.node for need in needs_of(job, source) or () if need.combinations is not None or need.own_axes]
    accounting.mark_key(entry.key, KeyOutcome.RAW)
    for node in others:
        accounting.mark_value(node, KeyOutcome.RAW)


def _report_inexact(draft: Draft, source: SourcePipeline, order: Order, accounting: Accounting, report: Report) -> None:
    """Report the needs of *draft* on other pipelines and on single combinations."""
    job = draft.job
    for item in flat_items(job.get("needs")):
        if is_elsewhere(item) and not draft.other_files:
            accounting.mark_value(item, KeyOutcome.REPORTED)
            report.add(
                codes.NOT_IMPORTED,
                f'the need of job "{job.name}" on another pipeline is left out',
                at=item.span,
                hint="download the files in the script",
            )
    for need in needs_of(job, source) or ():
        is_exact = need.name in draft.paired or need.name in order.selected.get(draft.name, {})
        if (need.combinations is not None or need.own) and not is_exact:
            accounting.mark_value(need.node, KeyOutcome.REPORTED)
            report.add(
                codes.NOT_IMPORTED,
                f'job "{job.name}" waits for all combinations of "{need.name}", not only for some',
                at=need.node.span,
                hint='use a matrix with "from" if each combination needs the same combination',
            )


def _report_missing(job: SourceJob, need: Need, source: SourcePipeline, accounting: Accounting, report: Report) -> None:
    accounting.mark_value(need.node, KeyOutcome.REPORTED)
    if not need.is_optional or not source.is_complete:
        similar = suggestion(need.name, source.jobs)
        report.add(
            codes.NOT_IMPORTED if source.is_complete else codes.INCLUDE_NOT_READ,
            f'the need of job "{job.name}" on "{need.name}" is left out: the job is not in the files',
            at=need.node.span,
            hint=f'write "{similar}"' if similar and source.is_complete else "add the job as a stage",
        )


def _single_combinations(job: SourceJob, source: SourcePipeline) -> dict[str, dict[str, str]]:
    """Return GitLab's names of the combinations that *job* needs, by their values, for each job that has others."""
    result: dict[str, dict[str, str]] = {}
    for need in needs_of(job, source) or ():
        if need.combinations is not None and not need.own_axes:
            result.setdefault(need.name, {}).update({values_in(name): name for name in need.combinations})
    return result


def _passes_files_on(draft: Draft) -> bool:
    """Return whether later stages can get files of *draft*: they do not run after its failure."""
    artifacts = draft.keys.get("artifacts")
    is_for_failures = isinstance(artifacts, dict) and artifacts.get("when") == "failure"
    # Without paths, they say how reports are retained.
    paths = artifacts.get("paths") if isinstance(artifacts, dict) else artifacts
    return (bool(paths) and not is_for_failures) or _leaves_raw_files(draft)


def _leaves_raw_files(draft: Draft) -> bool:
    """Return whether *draft* leaves files by raw keys, or may leave some as its script is elsewhere, or extended."""
    raw = draft.raw.get("artifacts")
    keys = raw if isinstance(raw, dict) else {}
    reports = keys.get("reports")
    has_variables = isinstance(reports, dict) and "dotenv" in reports
    is_elsewhere = "extends" in draft.raw or draft.raw.get("script", "") is None
    return is_elsewhere or "paths" in keys or "untracked" in keys or has_variables


def _is_unknown(draft: Draft, names: GeneratedNames, *, is_by_stage: bool) -> bool:
    """Return whether the generated file, which must be known, has other jobs for *draft* that a stage waits for."""
    approve = draft.keys.get("approve")
    may_be_optional = "rules" in draft.raw or (isinstance(approve, dict) and "when" in approve)
    return draft.name not in names.jobs and (_has_other_name(draft) or (is_by_stage and may_be_optional))


def _has_other_name(draft: Draft) -> bool:
    """Return whether the generated file may have another name for the job of *draft*."""
    return draft.name in _RENAMED or "matrix" in draft.keys


def _job_names(draft: Draft) -> list[str]:
    """Return the names of the jobs of *draft* in the generated file, where each combination is one."""
    names = {draft.name}
    combinations = matrix_combinations(as_map(draft.keys.get("matrix")))
    return [combination_name(draft.name, list(values.values()), names) for values in combinations] or [draft.name]


def _leaves_files(draft: Draft) -> bool:
    raw = draft.raw.get("artifacts")
    return "artifacts" in draft.keys or (isinstance(raw, dict) and ("paths" in raw or "untracked" in raw))
