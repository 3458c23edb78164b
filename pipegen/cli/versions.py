"""Versions of a config: files in the working tree and in git revisions."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from pipegen.cli.exits import WrongUsage
from pipegen.cli.history.revisions import Revision, revision
from pipegen.cli.session import config_path
from pipegen.compiler import Analysed, analyse
from pipegen.config.files.include import included_paths
from pipegen.config.files.load import USUAL_NAMES, absolute, decode, find, folder_of, load, repository_root
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Node
from pipegen.structs import Struct, replace


class FileVersion(Struct):
    """A config in the working tree."""

    name: str
    file: Path


class RevisionVersion(Struct):
    """The config at *path* of a revision, relative to the root of the repository; "" is the default path."""

    name: str
    revision: Revision
    path: str


ConfigVersion: TypeAlias = FileVersion | RevisionVersion


def versions(old: str | None, new: str | None) -> tuple[ConfigVersion, ConfigVersion]:
    """Return the versions *old*, by default HEAD, and *new*, by default the config in the working tree.

    A revision without a path has the path of the other version or of the config. Raise `WrongUsage` on failure.
    """
    first = _parse_version(old if old is not None else "HEAD")
    second = _parse_version(new) if new is not None else _here()
    path = next((path for version in (second, first) if (path := _path(version))), "") or _usual_path()
    return _with_path(first, path), _with_path(second, path)


def analysed(version: ConfigVersion, report: Report) -> Analysed | None:
    """Return the analysis of the version; None if it has errors."""
    try:
        if isinstance(version, FileVersion):
            return _analysed(load(version.file, report), report)
        with _checked_out(version.revision, version.path) as checkout_path:
            # With the dot, included files are shown as files of the revision, too.
            return _analysed(load(checkout_path, report, shown=f"{version.revision.name}:./{version.path}"), report)
    except Stopped:
        return None


def _analysed(file: SourceFile, report: Report) -> Analysed:
    report.stop_if_errors()
    return analyse(file, (), report)


def _here() -> FileVersion:
    path = config_path(None)
    return FileVersion(path.as_posix(), path)


def _parse_version(name: str) -> ConfigVersion:
    if Path(name).is_file():
        return FileVersion(name, config_path(Path(name)))
    root = repository_root(Path.cwd() / "any")
    if (root / ".git").exists():
        # Names of branches and tags contain no colon.
        revision_name, _, path = name.partition(":")
        known_revision = revision(root, revision_name)
        if known_revision is not None:
            return RevisionVersion(name, known_revision, _from_root(path, root) if path else "")
    if Path(name).is_dir():
        return FileVersion(name, config_path(Path(name)))
    note = "" if (root / ".git").exists() else ", and there is no git repository here"
    raise WrongUsage(f'"{name}" is neither a file nor a git revision{note}')


def _from_root(path: str, root: Path) -> str:
    """Return *path* of a revision relative to the root; with a dot, it is relative to the current folder."""
    if path.startswith(("./", "../")):
        path = posixpath.join(Path.cwd().relative_to(root).as_posix(), path)
    return posixpath.normpath(path)


def _path(version: ConfigVersion) -> str:
    """Return the path of a version relative to the root of its repository, "" if unknown."""
    if isinstance(version, RevisionVersion):
        return version.path
    folder = folder_of(absolute(version.file), repository_root(version.file))
    return posixpath.join(folder, version.file.name)


def _usual_path() -> str:
    config = find(Path())
    return _path(FileVersion("", config)) if config is not None else ""


def _with_path(version: ConfigVersion, path: str) -> ConfigVersion:
    """Return *version* with the path of its config: *path*, or a default path in the same folder."""
    if isinstance(version, FileVersion) or version.path:
        return version
    folder = posixpath.dirname(path).removesuffix(".pipeline").rstrip("/")
    candidates = dict.fromkeys((*([path] if path else ()), *(posixpath.join(folder, name) for name in USUAL_NAMES)))
    config = next((name for name in candidates if version.revision.content(name) is not None), None)
    if config is None:
        raise WrongUsage(f'revision "{version.name}" has no config: looked for {", ".join(candidates)}')
    return replace(version, path=config)


@contextmanager
def _checked_out(revision: Revision, path: str) -> Iterator[Path]:
    """Yield the file at *path* of a revision in a temporary repository with its included files."""
    with tempfile.TemporaryDirectory(prefix="pipegen-") as name:
        root = Path(name).resolve()
        (root / ".git").mkdir()
        waiting, seen = [path], {path}
        while waiting:
            current = waiting.pop()
            data = revision.content(current)
            if data is None:
                if current == path:
                    raise WrongUsage(f'revision "{revision.name}" has no file "{path}"')
                continue
            target = root / current
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            included = [
                posixpath.normpath(posixpath.join(posixpath.dirname(current), included_path))
                for included_path in _included(data)
            ]
            new = [
                included_path
                for included_path in included
                if included_path not in seen and not included_path.startswith(("/", "../", ".git/"))
            ]
            waiting, seen = [*waiting, *new], {*seen, *new}
        yield root / path


def _included(data: bytes) -> list[str]:
    report = Report()
    try:
        tree: Node = read(decode(data, "", "", report), report)
    except Stopped:
        return []
    return [written.text for written in included_paths(tree)]
