"""The order that a generated `.gitlab-ci.yml` enforces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.errors import UnreadableError
from pipegen.readback.gitlab_file import JobInFile, Path, WrongFileError, jobs
from pipegen.readback.gitlab_order import FileOrders, OrderGap
from pipegen.readback.plain import document as plain_document
from pipegen.structs import Struct

_HELPER = "PIPEGEN_HELPER"
_NO_FILES: Mapping[str, str] = MappingProxyType({})
# What ruamel raises; the last is for a %YAML line that it does not know.
_NO_YAML = (YAMLError, ValueError, AssertionError)
# GitLab's own bounds, for the size twice as much: https://docs.gitlab.com/administration/instance_limits/
_LARGEST = 4 * 1024 * 1024
_MOST_CHILDREN, _MOST_LEVELS = 1_000, 2
# Gives the text of a child pipeline's file, None when it is not there.
Child = Callable[[str], str | None]


def order(text: str, children: Mapping[str, str] = _NO_FILES) -> ExecutionGraph:
    """Return which job waits for which, by the names of the jobs; *children* are the files of child pipelines by path.

    A job waits for its needs, and without that key for all jobs of earlier stages. Helper jobs are no nodes: who waits
    for one waits for what it waits for. Needs on farther ancestors are arcs too, so compare what comes before a job,
    not the arcs alone. Raises `UnreadableError` for other text, and where the order hangs on a job that rules may drop.
    """
    graph, gaps = read(text, children.get)
    for gap in gaps:
        raise UnreadableError(gap_message(gap))
    return graph


def read(text: str, child: Child) -> tuple[ExecutionGraph, tuple[OrderGap, ...]]:
    """Return the order of the jobs, where all of them run, and where it hangs on a job that rules may drop."""
    orders = FileOrders()
    _add(orders, text, child, iter(range(_MOST_CHILDREN)))
    try:
        order_ = orders.order()
    except WrongFileError as error:
        raise UnreadableError(str(error)) from None
    graph = order_.graph()
    return graph, tuple(order_.gaps(graph))


def gap_message(gap: OrderGap) -> str:
    """Return what *gap* means for whoever reads the file."""
    return f'where rules drop "{gap.through}", "{gap.later}" does not wait for "{gap.earlier}"'


def document(text: str) -> object:
    """Return the data in *text*, without what takes no part in the order; `UnreadableError` when it is no YAML."""
    with suppress(*_NO_YAML):
        plain = plain_document(text, _loaded)
        if plain:
            return plain
    try:
        return _loaded(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        start = mark.index if mark is not None else 0
        end = min(start + 1, len(text))
        raise UnreadableError(f"this is not valid YAML: {error.problem or error.context}", start, end) from None
    except _NO_YAML as error:
        raise UnreadableError(f"this is not valid YAML: {error}") from None


def _add(
    orders: FileOrders,
    text: str,
    child: Child,
    budget: Iterator[int],
    start: JobInFile | None = None,
    path: str = "",
    level: int = 0,
) -> None:
    """Add the jobs of a file, and of the child pipelines that it starts: so many *budget* may come."""
    if len(text) > _LARGEST:
        raise UnreadableError(f"GitLab accepts no file larger than {_LARGEST // 1024 // 1024} MiB")
    if level > _MOST_LEVELS or next(budget, None) is None:
        raise UnreadableError("there are more child pipelines than GitLab allows")
    try:
        file_jobs = jobs(_with_included(document(text), child))
        orders.add(file_jobs, start)
        texts = [
            (job, child_path, _child_text(job, child_path, child))
            for job in file_jobs.values()
            for child_path in job.children
        ]
    except WrongFileError as error:
        raise UnreadableError(str(error), *offsets_of(text, error.path), path=path) from None
    except UnreadableError as error:
        raise UnreadableError(str(error), error.start, error.end, path=path) from None
    for job, child_path, child_text in texts:
        _add(orders, child_text, child, budget, job, child_path, level + 1)


def _with_included(data: object, child: Child) -> object:
    """Return the keys of a file with those of the files that it includes, over which its own go."""
    if not isinstance(data, Mapping) or "include" not in data:
        return data
    includes = data["include"] if isinstance(data["include"], list) else [data["include"]]
    merged: dict[object, object] = {}
    for index, include in enumerate(includes):
        path = include.get("local") if isinstance(include, Mapping) and len(include) == 1 else None
        if not isinstance(path, str):
            raise WrongFileError('only local files of an "include" are read', "include", index)
        text = child(path)
        if text is None:
            raise WrongFileError(f'the file "{path}" of an "include" does not exist', "include", index)
        included = document(text)
        if not isinstance(included, Mapping):
            raise WrongFileError(f'the file "{path}" of an "include" has no jobs', "include", index)
        merged |= included
    return {**merged, **{key: value for key, value in data.items() if key != "include"}}


def _child_text(job: JobInFile, path: str, child: Child) -> str:
    text = child(path)
    if text is None:
        raise WrongFileError(f'the file "{path}" of a child pipeline does not exist', job.name, "trigger")
    return text


class _Constructor(SafeConstructor):
    """Builds data; what `!reference` stands for is looked up nowhere, and is no value that the order may hang on."""


_Constructor.add_constructor("!reference", lambda *_: None)


def _loaded(text: str) -> object:
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Constructor
    # What stands before a second document is the header of a file with inputs.
    return ([None, *yaml.load_all(text)])[-1]


def offsets_of(text: str, path: Path) -> tuple[int, int]:
    """Return from where to where the last key of *path* stands, or as far as the path goes."""
    node: Node | None = None
    with suppress(*_NO_YAML):  # what is read line by line may be none
        node = ([None, *YAML(typ="safe", pure=True).compose_all(text)])[-1]
    start, end = 0, 0
    for step in path:
        child = None
        if isinstance(node, MappingNode):
            for key, value in node.value:
                if key.value == step:
                    start, end, child = key.start_mark.index, key.end_mark.index, value
        elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
            child = node.value[step]
            start, end = child.start_mark.index, child.end_mark.index
        if child is None:
            break
        node = child
    return start, end


class Jobs(Struct):
    """All jobs, those among them that stand for no stage, and the most needs that one of all has."""

    names: tuple[str, ...]
    helpers: tuple[str, ...]
    most_needs: int


def read_jobs(text: str) -> Jobs:
    """Return what the jobs in *text* are; each of them has a stage, and nothing else has."""
    data = document(text)
    keys: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    jobs = {
        name: keys_of_job
        for name, keys_of_job in keys.items()
        if isinstance(keys_of_job, Mapping) and "stage" in keys_of_job
    }
    return Jobs(
        names=tuple(jobs),
        helpers=tuple(name for name, job in jobs.items() if _HELPER in job.get("variables", {})),
        most_needs=max((len(job.get("needs", ())) for job in jobs.values()), default=0),
    )
