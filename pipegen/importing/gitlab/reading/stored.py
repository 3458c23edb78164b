"""The artifacts of jobs, and the paths of artifacts and caches that GitLab's runner does not store.

These are outside the checkout: `fileArchiver.process` in `commands/helpers/file_archiver.go` of the runner refuses
them, and nothing expands a `~`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, scalars

# The checkout is in a folder of its project, in one of its group, in that of builds, which may be anywhere.
_LOCATION_OF_CHECKOUT = "GIT_CLONE_PATH"
_ABOVE_ALL_CHECKOUTS = re.compile(r"(?!.*\*\*)/+(?:[^/*?\[{$%]+/+)?[^/${]+/*")
_NOT_LITERAL = re.compile(r"[*?\[{$%\\]")
# Programs may also find the folder of the user by the variable with its name.
_OF_USER = re.compile(r"(?!.*/\.\.(?:/|$))~(?:/[^${]*)?")
_COMMANDS = ("before_script", "script", "after_script")


def artifacts_of(job: SourceJob) -> tuple[TreeMapping, TreeMapping]:
    """Return the artifacts of *job*, and the reports among them."""
    nothing = TreeMapping((), job.span)
    artifacts = job.get("artifacts")
    keys = artifacts if isinstance(artifacts, TreeMapping) else nothing
    reports = keys.get("reports")
    return keys, reports if isinstance(reports, TreeMapping) else nothing


def is_outside(path: str, job: SourceJob) -> bool:
    """Return whether *path* of artifacts or of a cache of *job* is certainly outside the checkout.

    A folder named `~` is in the checkout if a program takes the name literally.
    """
    if _OF_USER.fullmatch(path):
        return not any(path.rstrip("/*") in text for text in _texts(job))
    is_absolute = _ABOVE_ALL_CHECKOUTS.fullmatch(path) is not None and _LOCATION_OF_CHECKOUT not in job.variables
    return is_absolute or _is_above(path)


def _is_above(path: str) -> bool:
    """Return whether *path* leads to more folders above the checkout than it has names to lead back into it.

    `../proj` is the checkout if the project has this name.
    """
    if _NOT_LITERAL.search(path):
        return False
    parts = posixpath.normpath(path).split("/")
    return parts.count("..") * 2 > len(parts)


def outside(node: Node | None, job: SourceJob) -> tuple[Scalar, ...]:
    """Return the paths in the list *node* that are outside the checkout of *job*."""
    return tuple(item for item in flat_items(node) if isinstance(item, Scalar) and is_outside(text_of(item), job))


def _texts(job: SourceJob) -> Iterator[str]:
    """Yield the commands and variables of *job*."""
    yield from (variable.text for variable in job.variables.values())
    for node in map(job.get, _COMMANDS):
        yield from (scalar.text for scalar in scalars(node)) if node is not None else ()
