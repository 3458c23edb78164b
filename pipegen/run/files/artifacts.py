"""The artifacts of a stage: finding them in its tree and storing them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from pipegen.run.files import no_follow
from pipegen.run.files.no_follow import FileEntry

# Folders of git and pipegen in a checkout hold no artifacts.
_EXCLUDED = frozenset({".git", ".pipegen"})


def matching(root: str, paths: Iterable[str], excluded: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the files below *root* that match *paths*, relative to it; missing files are ignored.

    A path matches a file, or all files in a folder; `*` matches any part of a name, `**` any folders. A link counts as
    a file. An excluded path without `*` also matches all files in a folder.
    """
    excluded_patterns = [_pattern(excluded_path, reaches_in="*" not in excluded_path) for excluded_path in excluded]
    names: dict[str, None] = {}
    for path in paths:
        for name in _below(root, path):
            if not any(pattern.fullmatch(name) for pattern in excluded_patterns):
                names[name] = None
    return tuple(names)


def all_files(store: str) -> tuple[str, ...]:
    """Return all files below *store*, including those in the folders of git and pipegen."""
    return tuple(_files(store, "", left_out=()))


def store_files(root: str, names: Iterable[str], store: str) -> None:
    """Move the files *names* from *root*, which is no longer needed, to *store*, and replace files there."""
    for name in names:
        target = os.path.join(store, name)  # noqa: PTH118 - many of them
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(root, name).replace(target)


def storable(root: str, names: Iterable[str], warn: Callable[[str], None]) -> dict[str, FileEntry]:
    """Return the entries of those files *names* below *root* that can be stored; call *warn* for each other one.

    Only regular files and links within the tree are stored: opening a pipe would wait for a writer, and a target
    outside the tree is not the stage's. (GitLab's runner ignores pipes, sockets and devices:
    helpers/archives/zip_create.go.)
    """
    entries = {}
    for name in names:
        try:
            entry = no_follow.entry(root, name)
        except OSError:
            warn(f"{name} is behind a link, or cannot be read")
            continue
        reason = _rejection(name, entry)
        if reason:
            warn(f"{name} {reason}")
        else:
            entries[name] = entry
    return entries


def _rejection(name: str, entry: FileEntry) -> str:
    """Return why the file *name* cannot be stored, "" if it can."""
    if entry.link is not None:
        return f"is a link out of the tree, to {entry.link}" if no_follow.leads_out(name, entry.link) else ""
    return "" if entry.is_file else "is not a regular file"


def link_into(store: str, names: Iterable[str], folder: str) -> None:
    """Link the files *names* of *store* into *folder*, for the user."""
    for name in names:
        no_follow.link_into(store, name, Path(folder))


def _below(root: str, path: str) -> Iterator[str]:
    """Yield the files of *root* that match *path*."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts:
        return
    literal_count = next((index for index, part in enumerate(parts) if "*" in part), len(parts))
    start = "/".join(parts[:literal_count])
    pattern = _pattern("/".join(parts), reaches_in=True) if literal_count < len(parts) else None
    top = os.path.join(root, start)  # noqa: PTH118 - many of them
    try:
        is_folder = stat.S_ISDIR(os.lstat(top).st_mode)
    except (OSError, ValueError):
        return
    if not is_folder:
        if pattern is None:
            yield start
        return
    for name in _files(top, f"{start}/" if start else ""):
        if pattern is None or pattern.fullmatch(name):
            yield name


def _files(folder: str, prefix: str, left_out: Collection[str] = _EXCLUDED) -> Iterator[str]:
    """Yield the files in *folder* and below, sorted by name."""
    if not Path(folder).is_dir():
        return
    waiting = [(folder, prefix)]
    while waiting:
        path, path_prefix = waiting.pop()
        with os.scandir(path) as entries:
            children = sorted(entries, key=lambda child: child.name)
        for child in children:
            if not path_prefix and child.name in left_out:
                continue
            if child.is_dir(follow_symlinks=False):
                waiting.append((child.path, f"{path_prefix}{child.name}/"))
            else:
                yield f"{path_prefix}{child.name}"


@lru_cache(maxsize=256)
def _pattern(path: str, *, reaches_in: bool) -> re.Pattern[str]:
    """Return the expression for the files that match *path*; with *reaches_in*, also for files in such a folder."""
    *above, last = [part for part in path.split("/") if part not in ("", ".")] or [""]
    folders = "".join("(?:[^/]+/)*" if part == "**" else f"{_name(part)}/" for part in above)
    if last == "**":
        return re.compile(f"{folders}.+", re.DOTALL)
    return re.compile(f"{folders}{_name(last)}{'(?:/.+)?' if reaches_in else ''}", re.DOTALL)


def _name(part: str) -> str:
    return "[^/]*".join(map(re.escape, re.split(r"\*+", part)))
