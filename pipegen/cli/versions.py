"""Versions of a config: files of the working tree, and what git holds of them."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from pipegen.cli.exits import WrongUsage
from pipegen.cli.revisions import Revision, revision
from pipegen.cli.session import config_path
from pipegen.compiler import Analysed, analyse
from pipegen.config.files.include import included_paths
from pipegen.config.files.load import USUAL_NAMES, decode, find, folder_of, load, repository_root
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Node
from pipegen.structs import Struct, replace


class Present(Struct):
    """A config of the working tree."""

    name: str
    file: Path


class Past(Struct):
    """The config at *path* of a revision, seen from the root of the repository; "" is the usual one."""

    name: str
    revision: Revision
    path: str = ""


Wanted: TypeAlias = Present | Past


def wanted(old: str | None, new: str | None) -> tuple[Wanted, Wanted]:
    """Return the versions *old*, HEAD without it, and *new*, the config here without it; or end with wrong usage.

    A revision without a path means the file that the other one is, or the config here.
    """
    first = _wanted(old if old is not None else "HEAD")
    second = _wanted(new) if new is not None else _here()
    path = next((path for one in (second, first) if (path := _path(one))), "") or _usual_path()
    return _with_path(first, path), _with_path(second, path)


def analysed(one: Wanted, report: Report) -> Analysed | None:
    """Return what the version says; None when diagnostics stop it."""
    try:
        if isinstance(one, Present):
            return _analysed(load(one.file, report), report)
        with _checked_out(one.revision, one.path) as place:
            # A dot, so that what is included is shown as a file of that revision too.
            return _analysed(load(place, report, shown=f"{one.revision.name}:./{one.path}"), report)
    except Stopped:
        return None


def _analysed(file: SourceFile, report: Report) -> Analysed:
    report.stop_if_errors()
    return analyse(file, (), report)


def _here() -> Present:
    path = config_path(None)
    return Present(path.as_posix(), path)


def _wanted(name: str) -> Wanted:
    if Path(name).is_file():
        return Present(name, config_path(Path(name)))
    root = repository_root(Path.cwd() / "any")
    if (root / ".git").exists():
        # No name of a branch or tag holds a colon.
        before, _, path = name.partition(":")
        found = revision(root, before)
        if found is not None:
            return Past(name, found, _from_root(path, root) if path else "")
    if Path(name).is_dir():
        return Present(name, config_path(Path(name)))
    raise WrongUsage(f'"{name}" is neither a file nor a revision that git knows here')


def _from_root(path: str, root: Path) -> str:
    """Return *path* of a revision as git takes it: from the root, or with a dot from the current folder."""
    if path.startswith(("./", "../")):
        path = posixpath.join(Path.cwd().relative_to(root).as_posix(), path)
    return posixpath.normpath(path)


def _path(one: Wanted) -> str:
    """Return the path of a version from the root of its repository, "" where that is not known."""
    if isinstance(one, Past):
        return one.path
    folder = folder_of(Path.cwd() / one.file, repository_root(one.file))
    return posixpath.join(folder, one.file.name)


def _usual_path() -> str:
    found = find(Path())
    return _path(Present("", found)) if found is not None else ""


def _with_path(one: Wanted, path: str) -> Wanted:
    """Return *one* with the path of its config: *path*, or where the revision has none there, a usual one."""
    if isinstance(one, Present) or one.path:
        return one
    folder = posixpath.dirname(path).removesuffix(".pipeline").rstrip("/")
    tried = dict.fromkeys((*([path] if path else ()), *(posixpath.join(folder, name) for name in USUAL_NAMES)))
    found = next((name for name in tried if one.revision.content(name) is not None), None)
    if found is None:
        raise WrongUsage(f'revision "{one.name}" has no config: looked for {", ".join(tried)}')
    return replace(one, path=found)


@contextmanager
def _checked_out(one: Revision, path: str) -> Iterator[Path]:
    """Yield the file at *path* of a revision, with what it includes around it, in a repository of their own."""
    with tempfile.TemporaryDirectory(prefix="pipegen-") as name:
        root = Path(name).resolve()
        (root / ".git").mkdir()
        waiting, seen = [path], {path}
        while waiting:
            found = waiting.pop()
            data = one.content(found)
            if data is None:
                continue
            place = root / found
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            included = [posixpath.normpath(posixpath.join(posixpath.dirname(found), at)) for at in _included(data)]
            new = [at for at in included if at not in seen and not at.startswith(("/", "../", ".git/"))]
            waiting, seen = [*waiting, *new], {*seen, *new}
        if not (root / path).is_file():
            raise WrongUsage(f'revision "{one.name}" has no file "{path}"')
        yield root / path


def _included(data: bytes) -> list[str]:
    report = Report()
    try:
        tree: Node = read(decode(data, "", "", report), report)
    except Stopped:
        return []
    return [written.text for written in included_paths(tree)]
