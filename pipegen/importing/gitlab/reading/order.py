"""The order of jobs: stages and needs as predecessors, and the jobs whose files each job gets."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import chain, islice, product
from types import MappingProxyType

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.importing.arcs import SelectedArc, arcs, has_cycle, in_order
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.missing import OWN_WORK
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.readback.gitlab_file import OWN_VALUE
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, entries_of
from pipegen.structs import Struct, field, replace

# The end of the name of a combination: https://docs.gitlab.com/ci/yaml/#parallelmatrix
_COMBINATION = re.compile(r"(?:: \[.*\]| \d+/\d+)$")
# GitLab makes no more of a job: https://docs.gitlab.com/ci/yaml/#parallel
_MOST_COMBINATIONS = 200


class Need(Struct, kw_only=True):
    """A need on the job *name*: whether its files arrive, and whether it may be missing.

    *combinations* are GitLab's names of those it is on, None for all. A name can refer to values of the needing job.
    If the name of the job does, only combinations with the values *own* have the need.
    """

    name: str
    has_files: bool
    is_optional: bool
    node: Node
    combinations: tuple[str, ...] | None
    own: Mapping[str, str] = MappingProxyType({})

    @property
    def own_axes(self) -> frozenset[str]:
        """The axes of the needing job whose values *combinations* contain."""
        return frozenset(axis for name in self.combinations or () for axis in OWN_VALUE.findall(name))

    def chosen(self, combinations: Iterable[str], own: Mapping[str, str]) -> Iterable[str]:
        """Return those of *combinations*, names of the needed job's, that a job with the *own* values needs."""
        if not self.own.items() <= own.items():
            return ()
        if self.combinations is None:
            return combinations
        names = (OWN_VALUE.sub(lambda match: own.get(match[1], ""), name) for name in self.combinations)
        values = {values_in(name) for name in names}
        return [combination for combination in combinations if values_in(combination) in values]


class Order(Struct):
    """The jobs directly before each job, and the jobs whose files it gets, by name; both in text order.

    Of the matrix jobs in *selected*, only single combinations are before it, and of those in *partial_files*, it gets
    only the files of some that are. The *final* jobs come after all others, each in any case or for a status of the
    pipeline; *before* does not have them.
    """

    before: Mapping[str, frozenset[str]]
    files: Mapping[str, tuple[str, ...]]
    selected: Mapping[str, Mapping[str, tuple[SelectedArc, ...]]] = field(default_factory=dict)
    partial_files: Mapping[str, Mapping[str, tuple[SelectedArc, ...]]] = field(default_factory=dict)
    final: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> dict[str, frozenset[str]]:
        """The jobs that are before each job with all their combinations."""
        selected = self.selected
        return {name: each - selected[name].keys() if name in selected else each for name, each in self.before.items()}

    @property
    def arcs(self) -> list[list[Data]]:
        """The arcs that give this order."""
        return arcs(self.whole, tuple(chain.from_iterable(chain(*each.values()) for each in self.selected.values())))

    def with_final(self, final: Mapping[str, str]) -> Order:
        """Return the order with the *final* jobs after all others, none of which waits for them."""
        before = {name: direct for name, direct in self.before.items() if name not in final}
        return replace(self, before=before, final=final)


@lru_cache(maxsize=10_000)
def needs_of(job: SourceJob, source: SourcePipeline) -> tuple[Need, ...] | None:
    """Return the needs of *job* on jobs of *source*; None if its stage decides."""
    node = job.get("needs")
    if node is None:
        return None
    needs: list[Need] = []
    for item in flat_items(node):
        keys = item if isinstance(item, TreeMapping) else None
        if is_elsewhere(item) or (keys is not None and not keys.get("job")):
            continue
        name = text_of(keys.get("job") if keys is not None else item)
        axes = {*OWN_VALUE.findall(name)}
        for values in _own_values(job) if axes else ({},):
            if axes <= values.keys():
                own_name = OWN_VALUE.sub(lambda match, values=values: values[match[1]], name)  # type: ignore[misc]
                needs.append(_need(item, own_name, values, source))
    # Only needs on other pipelines: the stage decides, as in GitLab's bridges with `needs: pipeline`.
    return tuple(needs) if needs or not flat_items(node) else ()


def _need(item: Node, name: str, own: Mapping[str, str], source: SourcePipeline) -> Need:
    """Return the need *item* on the job, or the combination, *name*, which combinations with the values *own* have."""
    keys = item if isinstance(item, TreeMapping) else None
    whole = whole_name(name, source.jobs)
    is_combination = whole in source.jobs and whole != name
    # GitLab ignores the key if the job has no combinations.
    is_single = whole in source.jobs and source.jobs[whole].get("parallel") is None
    return Need(
        name=whole if is_combination else name,
        has_files=keys is None or text_of(keys.get("artifacts")) != "false",
        is_optional=keys is not None and text_of(keys.get("optional")) == "true",
        node=item,
        combinations=(name,) if is_combination else None if is_single else _combinations(whole, keys),
        own=own,
    )


def _own_values(job: SourceJob) -> Iterator[Mapping[str, str]]:
    """Yield the values of each combination of *job*."""
    parallel = job.get("parallel")
    for mapping in flat_items(parallel.get("matrix")) if isinstance(parallel, TreeMapping) else ():
        axes = {entry.key.text: texts_of(entry.value) for entry in entries_of(mapping)}
        yield from (
            dict(zip(axes, values, strict=True)) for values in islice(product(*axes.values()), _MOST_COMBINATIONS)
        )


def whole_name(name: str, jobs: Container[str]) -> str:
    """Return those of *jobs* that *name* refers to; it may be the name of a combination."""
    return _COMBINATION.sub("", name) if name not in jobs else name


def _combinations(job: str, need: TreeMapping | None) -> tuple[str, ...] | None:
    """Return GitLab's names of the combinations of *job* in the key `parallel` of *need*; None without the key."""
    parallel = need.get("parallel") if need is not None else None
    if parallel is None:
        return None
    maps = flat_items(parallel.get("matrix")) if isinstance(parallel, TreeMapping) else ()
    axes = [[texts_of(entry.value) for entry in entries_of(mapping)] for mapping in maps]
    names = (f"{job}: [{', '.join(values)}]" for lists in axes for values in product(*lists))
    return tuple(islice(names, _MOST_COMBINATIONS))


# Each need on single combinations compares the names of all.
@lru_cache(maxsize=10_000)
def values_in(name: str) -> str:
    """Return the values in the *name* of a combination, without the signs in which generated files differ."""
    # Of `parallel: 4`; the combinations of a matrix can have such values, too.
    part = re.fullmatch(r".*[^:,] (\d+)/\d+", name)
    values = name.rpartition(": ")[2]
    # A generated file has "-" for an empty value.
    return part[1] if part else re.sub(r"[^\w.:/+]+", " ", values).strip() or values.strip("[]-")


def is_elsewhere(need: Node) -> bool:
    """Return whether *need* is on a job of another pipeline."""
    return isinstance(need, TreeMapping) and bool(need.get("pipeline") or need.get("project"))


def report_cycles(source: SourcePipeline, report: Report) -> None:
    """Report jobs of *source* that need each other, for which GitLab refuses the pipeline: one cycle for each group."""
    needed = {name: {need.name for need in needs_of(job, source) or ()} for name, job in source.jobs.items()}
    while True:
        try:
            TopologicalSorter(needed).prepare()
        except CycleError as error:
            cycle = list(reversed(error.args[1]))
            first = min(range(len(cycle) - 1), key=lambda at: source.jobs[cycle[at]].span.start)
            path = [*cycle[first:-1], *cycle[: first + 1]]
            report.add(
                codes.NOT_IMPORTED,
                f"GitLab refuses the pipeline, in which jobs need each other: {' -> '.join(path)}",
                at=source.jobs[path[0]].entries["needs"].key.span,
                hint="remove one of these needs",
            )
            for name in cycle:
                needed[name] = set()
        else:
            return


def order_of(
    source: SourcePipeline, names: Collection[str], awaited: Collection[str], left_out: Collection[str] = ()
) -> Order:
    """Return the order of the jobs *names*; later stages wait only for the *awaited* ones.

    Jobs that need those *left_out* wait for the needs of these.
    """
    before: dict[str, frozenset[str]] = {}
    files: dict[str, tuple[str, ...]] = {}
    earlier: dict[int, tuple[str, ...]] = {}
    awaited_earlier: dict[int, frozenset[str]] = {}
    for number in {source.jobs[name].stage_number for name in names}:
        earlier[number] = tuple([name for name in names if source.jobs[name].stage_number < number])
        awaited_earlier[number] = frozenset(awaited).intersection(earlier[number])
    for name in names:
        job = source.jobs[name]
        needs = needs_of(job, source)
        if needs is None:
            before[name] = awaited_earlier[job.stage_number]
            files[name] = earlier[job.stage_number]
        else:
            before[name] = frozenset(_needed(needs, source, left_out)) & frozenset(names) - {name}
            files[name] = tuple(need.name for need in needs if need.has_files and need.name in names)
        # Without a value, the key has no effect.
        if (dependencies := job.get("dependencies")) is not None:
            chosen = {whole_name(each, source.jobs) for each in texts_of(dependencies)}
            files[name] = tuple(predecessor for predecessor in files[name] if predecessor in chosen)
    return Order(_without_cycles(before, source), files)


def _without_cycles(before: Mapping[str, frozenset[str]], source: SourcePipeline) -> dict[str, frozenset[str]]:
    """Return *before* without cycles, for which GitLab refuses *source*: of these, at least one job has a need.

    If a need is on a job of a later stage, the need is left out; if this stage is assumed, that job waits for none.
    """
    jobs, result = source.jobs, dict(before)
    needing = [name for name in before if jobs[name].get("needs") is not None]
    later = [(name, each) for name in needing for each in before[name] if _is_after(jobs[each], jobs[name])]
    if later and has_cycle(before):
        for name, each in later:
            if is_later(each, jobs[name], source):
                result[name] -= {each}
            elif each not in needing:
                result[each] = frozenset()
    needed = {name: result[name].intersection(needing) for name in needing}
    position = {name: at for at, name in enumerate(in_order(needed))}
    for name, direct in needed.items():
        result[name] -= {each for each in direct if position[each] > position[name]}
    return result


def is_later(name: str, job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether the job *name* is in a later stage than *job*, if both stages are known."""
    other = source.jobs.get(name)
    if other is None or other.stage not in source.stages or not _is_after(other, job):
        return False
    return source.is_complete or (_has_own_stage(job) and _has_own_stage(other))


def _is_after(job: SourceJob, other: SourceJob) -> bool:
    return job.stage_number > other.stage_number


def _has_own_stage(job: SourceJob) -> bool:
    """Return whether the stage of *job* cannot be in a part of it in a file that is not here."""
    is_whole = not job.unknown and not job.entries.keys().isdisjoint(OWN_WORK)
    return is_whole or job.get("stage") is not None


def _needed(needs: Iterable[Need], source: SourcePipeline, left_out: Collection[str]) -> Iterable[str]:
    """Return the names in *needs*, and those of the needs of jobs *left_out*."""
    result: dict[str, None] = {}
    waiting = [need.name for need in needs]
    while waiting:
        name = waiting.pop()
        if name not in result:
            result[name] = None
            others = needs_of(source.jobs[name], source) or () if name in left_out else ()
            waiting += [need.name for need in others]
    return result
