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
from pipegen.readback.gitlab_file import HELPER, JobInFile, Path, WrongFileError, jobs
from pipegen.readback.gitlab_order import FileOrders, OrderGap
from pipegen.readback.plain import document as plain_document
from pipegen.structs import Struct

_NO_FILES: Mapping[str, str] = MappingProxyType({})
# The exceptions of ruamel; the last is for an unknown %YAML directive.
_NO_YAML = (YAMLError, ValueError, AssertionError)
# GitLab's limits, the size doubled: https://docs.gitlab.com/administration/instance_limits/
_LARGEST = 4 * 1024 * 1024
_MOST_CHILDREN, _MOST_LEVELS = 1_000, 2
# Returns the text of a child pipeline's file, None if it does not exist.
Child = Callable[[str], str | None]


def order(text: str, children: Mapping[str, str] = _NO_FILES) -> ExecutionGraph:
    """Return the order of the jobs by name; *children* are the files of child pipelines by path.

    A job waits for its needs, or without that key for all jobs of earlier stages. Helper jobs are not nodes: a job that
    waits for a helper waits for the helper's predecessors. Needs on farther ancestors are arcs too, so compare the
    ancestors of a job, not the arcs. Raises `UnreadableError` for other text, and if the order depends on a job that
    rules may drop.
    """
    graph, gaps = read(text, children.get)
    for gap in gaps:
        raise UnreadableError(gap_message(gap))
    return graph


def read(text: str, child: Child) -> tuple[ExecutionGraph, tuple[OrderGap, ...]]:
    """Return the order of the jobs if all of them run, and the gaps if rules drop a job."""
    orders = FileOrders()
    _add(orders, text, child, iter(range(_MOST_CHILDREN)))
    try:
        order_ = orders.order()
    except WrongFileError as error:
        raise UnreadableError(str(error)) from None
    graph = order_.graph()
    return graph, tuple(order_.gaps(graph))


def gap_message(gap: OrderGap) -> str:
    """Return the message about *gap* for the user."""
    return f'where rules drop "{gap.through}", "{gap.later}" does not wait for "{gap.earlier}"'


def document(text: str) -> object:
    """Return the data in *text*, without keys that do not affect the order; `UnreadableError` for invalid YAML."""
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
    """Add the jobs of a file, and of the child pipelines that it starts; *budget* limits their number."""
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
    """Return the keys of a file merged over those of the files that it includes."""
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
    """Builds data; a `!reference` is not resolved, since it must not affect the order."""


_Constructor.add_constructor("!reference", lambda *_: None)


def _loaded(text: str) -> object:
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Constructor
    # If there are two documents, the first is the header of a file with inputs.
    return ([None, *yaml.load_all(text)])[-1]


def offsets_of(text: str, path: Path) -> tuple[int, int]:
    """Return the start and end offsets of the last key of *path* that exists."""
    node: Node | None = None
    with suppress(*_NO_YAML):  # text that `plain_document` reads may be invalid YAML
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
    """The names of all jobs and of helper jobs, and the largest number of needs of a job."""

    names: tuple[str, ...]
    helpers: tuple[str, ...]
    most_needs: int


def read_jobs(text: str) -> Jobs:
    """Return the jobs in *text*: the entries with a stage, their own or that of the job that they extend."""
    data = document(text)
    keys: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    jobs = {
        name: keys_of_job
        for name, keys_of_job in keys.items()
        if isinstance(keys_of_job, Mapping) and not {"stage", "extends"}.isdisjoint(keys_of_job) and name[:1] != "."
    }
    return Jobs(
        names=tuple(jobs),
        helpers=tuple(name for name, job in jobs.items() if HELPER in job.get("variables", {})),
        most_needs=max((len(job.get("needs", ())) for job in jobs.values()), default=0),
    )
