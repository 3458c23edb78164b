"""Artifacts at the same path, which GitLab lets several jobs leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pipegen.importing.arcs import closure
from pipegen.importing.compilation import overlapping
from pipegen.importing.gitlab.reading.order import Order
from pipegen.importing.gitlab.stages.keys.base import as_map
from pipegen.importing.gitlab.stages.needs import Received
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.source.text import Span


def set_overlaps(drafts: Sequence[Draft], received: Mapping[str, Received], order: Order) -> None:
    """Let those of *drafts* leave overlapping files that leave a path which a stage also gets from another one.

    The compilation finds all such files, also those of patterns and folders. Most have the same path, and to find these
    here saves one or two compilations, a third of the time of some imports.
    """
    paths = {draft.name: paths for draft in drafts if (paths := tuple(_paths(draft)))}
    combined = {draft.name for draft in drafts if "matrix" in draft.keys}
    earlier = closure(order.before)
    overlaps: set[str] = set()
    getting = [draft for draft in drafts if draft.name in received]
    for names in {tuple(_whole(draft, received[draft.name], paths, order)) for draft in getting}:
        by_path: dict[str, list[str]] = {}
        for name in names:
            for path in paths[name]:
                by_path.setdefault(path, []).append(name)
        for path, same in by_path.items():
            overlaps |= set(_overlapping(path, same, earlier)) | combined.intersection(same)
    # Stages with the artifacts of one hidden job, for example, keep sharing them.
    places = {_place(draft) for draft in drafts if draft.name in overlaps}
    for draft in drafts:
        if draft.name in paths and _place(draft) in places:
            draft.keys["artifacts"] = overlapping(draft.keys["artifacts"])


def _place(draft: Draft) -> Span:
    """Return where the source has the artifacts of *draft*; of some jobs, it has none."""
    return draft.job.entries.get("artifacts", draft.job).key.span


def _paths(draft: Draft) -> Iterator[str]:
    """Yield the paths of the artifacts of *draft* that are the same in all runs and combinations."""
    artifacts = draft.keys.get("artifacts")
    paths = as_map(artifacts).get("paths", artifacts)
    for path in paths if isinstance(paths, list) else ():
        if isinstance(path, str) and "${" not in path:
            yield path.rstrip("/")


def _whole(draft: Draft, received: Received, paths: Mapping[str, object], order: Order) -> Iterator[str]:
    """Yield the stages with *paths* of which *draft* gets the files of all combinations."""
    partial = {*order.selected.get(draft.name, ()), *order.partial_files.get(draft.name, ()), *draft.paired}
    return (name for name in received.sources if name in paths and name not in partial)


def _overlapping(path: str, names: Iterable[str], earlier: Mapping[str, AbstractSet[str]]) -> Iterator[str]:
    """Yield those of *names* that leave *path* in no order to another one, or replace the file of an earlier one."""
    all_names = set(names)
    for name in all_names:
        others = all_names - {name}
        is_later = not earlier[name].isdisjoint(others) and "*" not in path
        if is_later or any(other not in earlier[name] and name not in earlier[other] for other in others):
            yield name
