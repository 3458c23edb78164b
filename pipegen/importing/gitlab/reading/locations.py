"""Where the files of an include are: in the checkout of the repository, or in that of another project."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.plan.model.patterns import Pattern
from pipegen.source.tree import Entry, Node, Scalar
from pipegen.structs import Struct

_OWN_PROJECT = re.compile(r"\$\{?CI_PROJECT_PATH\}?")
# The host, the path of the project, and the name: https://docs.gitlab.com/ci/components/#use-a-component
_COMPONENT = re.compile(r"[^/@]+/(?P<project>[^@]+)/(?P<name>[\w-]+)@")
# Where GitLab has its templates: https://gitlab.com/gitlab-org/gitlab/-/tree/master/lib/gitlab/ci/templates
_TEMPLATES = ("gitlab-org/gitlab", "lib/gitlab/ci/templates")
_WILDCARDS = frozenset("*?")


class Roots(Struct):
    """The *folder* of the repository, and the folder with the repositories of other projects, if the user has one."""

    folder: Path
    projects: Path | None = None


class ProjectCheckout(Struct):
    """The *folder* of a repository with included files, which must stay *within* this folder or one above it."""

    folder: Path
    within: Path


class IncludedFiles(Struct):
    """The *names* of files in a *checkout*, which may be patterns."""

    checkout: ProjectCheckout
    names: tuple[str, ...]


def included_files(
    item: Node, keys: Mapping[str, Entry], checkout: ProjectCheckout, roots: Roots
) -> IncludedFiles | None:
    """Return the files of an *item* of `include`, with these *keys*, in a file of *checkout*.

    Return None if they are on another server, or if the user has no checkouts of other projects. They may not exist.
    """
    if "project" in keys:
        other = _other_checkout(text_of(keys["project"].value), roots)
        files = tuple(text_of(file) for file in flat_items(keys["file"].value)) if "file" in keys else ("",)
        return IncludedFiles(other, files) if other is not None else None
    if "template" in keys:
        project, folder = _TEMPLATES
        other = _other_checkout(project, roots)
        return IncludedFiles(other, (f"{folder}/{text_of(keys['template'].value)}",)) if other is not None else None
    if "component" in keys:
        return _component_files(text_of(keys["component"].value), roots)
    local = text_of(item) if isinstance(item, Scalar) else text_of(keys["local"].value) if "local" in keys else None
    if local is None or local.startswith(("http://", "https://")):
        return None
    return IncludedFiles(checkout, (local,))


def _component_files(address: str, roots: Roots) -> IncludedFiles | None:
    component = _COMPONENT.match(address)
    if component is None:
        return None
    is_own = _OWN_PROJECT.fullmatch(component["project"]) is not None
    own = ProjectCheckout(roots.folder, roots.folder)
    other = own if is_own else _other_checkout(component["project"], roots)
    if other is None:
        return None
    # https://docs.gitlab.com/ci/components/#directory-structure
    files = (f"templates/{component['name']}.yml", f"templates/{component['name']}/template.yml")
    return IncludedFiles(other, (next((file for file in files if matching_files(other.folder, file)), files[0]),))


def _other_checkout(project: str, roots: Roots) -> ProjectCheckout | None:
    """Return the checkout of the project at this path; None if the user has none, or if it is not a path."""
    path = project.strip("/")
    if roots.projects is None or not path.isprintable() or not {"", ".", ".."}.isdisjoint(path.split("/")):
        return None
    return ProjectCheckout(roots.projects / path, roots.projects)


def matching_files(root: Path, name: str) -> Sequence[Path]:
    """Return the files of the include *name*, which may be a pattern, below *root*."""
    relative = name.lstrip("/")
    if not relative or ".." in relative.split("/"):
        return ()
    if _WILDCARDS.isdisjoint(relative):
        path = root / relative
        return (path,) if os.path.isfile(path) else ()  # noqa: PTH113 - False for a name that is too long
    # In GitLab's patterns, `**` stands for any folders, and `**.yml` for files at any depth.
    # https://docs.gitlab.com/ci/yaml/includes/#use-includelocal-with-wildcard-file-paths
    pattern = Pattern(relative)
    return sorted(path for path in _below(root) if pattern.matches(path.relative_to(root).as_posix()))


def _below(root: Path) -> Iterator[Path]:
    """Yield the files below *root*; links to folders are not followed, as a repository has no files there."""
    for folder, folders, names in os.walk(root):
        folders[:] = [subfolder for subfolder in folders if subfolder != ".git"]
        yield from (path for path in (Path(folder, name) for name in names) if path.is_file())
