"""The files that a stage leaves, found in its tree and set aside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from pipegen.run.files import no_follow

# What git and pipegen keep in a checkout is nobody's artifact.
_KEPT = frozenset({".git", ".pipegen"})


def found(root: str, paths: Iterable[str], excluded: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the files below *root* that *paths* stand for, relative to it; what is not there is passed over.

    A path stands for a file, or for all files in a folder; `*` for any part of a name, `**` for any folders. A link is
    a file, wherever it leads. An excluded path without `*` stands for all that is in a folder, too.
    """
    left_out = [_pattern(one, reaches_in="*" not in one) for one in excluded]
    names: dict[str, None] = {}
    for path in paths:
        for name in _below(root, path):
            if not any(one.fullmatch(name) for one in left_out):
                names[name] = None
    return tuple(names)


def all_in(store: str) -> tuple[str, ...]:
    """Return all files below *store*, what pipegen keeps there included."""
    return tuple(_files(store, "", left_out=()))


def set_aside(root: str, names: Iterable[str], store: str) -> None:
    """Move the files *names* from *root*, which is not needed any more, to *store*; what is there is replaced."""
    for name in names:
        place = os.path.join(store, name)  # noqa: PTH118 - many of them
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(root, name).replace(place)


def sound(root: str, names: Iterable[str], tell: Callable[[str], None]) -> tuple[str, ...]:
    """Return those of the files *names* below *root* that can be kept; *tell* hears of each other one.

    Only regular files are kept, and links that stay in the tree: to open a pipe would wait for who writes to it, and
    what stands behind a link out of the tree is no stage's. (GitLab's runner passes over pipes, sockets and devices:
    helpers/archives/zip_create.go.)
    """
    found = []
    for name in names:
        why = _unsound(root, name)
        if why:
            tell(f"{name} {why}")
        else:
            found.append(name)
    return tuple(found)


def _unsound(root: str, name: str) -> str:
    """Return why the file *name* is not kept, "" where it is."""
    try:
        about = no_follow.entry(root, name)
    except OSError:
        return "stands behind a link, or cannot be read"
    if about.link is not None:
        return f"is a link out of the tree, to {about.link}" if no_follow.leads_out(name, about.link) else ""
    return "" if about.is_file else "is no regular file"


def shown(store: str, names: Iterable[str], folder: str) -> None:
    """Put the files *names* of *store* into *folder* too, for people."""
    for name in names:
        no_follow.shown(store, name, Path(folder))


def _below(root: str, path: str) -> Iterator[str]:
    """Yield the files of *root* that *path* stands for."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts:
        return
    fixed = next((place for place, part in enumerate(parts) if "*" in part), len(parts))
    start = "/".join(parts[:fixed])
    wanted = _pattern("/".join(parts), reaches_in=True) if fixed < len(parts) else None
    top = os.path.join(root, start)  # noqa: PTH118 - many of them
    if Path(top).is_symlink() or not Path(top).is_dir():
        if wanted is None and os.path.lexists(top):
            yield start
        return
    for name in _files(top, f"{start}/" if start else ""):
        if wanted is None or wanted.fullmatch(name):
            yield name


def _files(folder: str, shown_as: str, left_out: Collection[str] = _KEPT) -> Iterator[str]:
    """Yield the files in *folder* and below, in the order of their names."""
    if not Path(folder).is_dir():
        return
    waiting = [(folder, shown_as)]
    while waiting:
        place, prefix = waiting.pop()
        with os.scandir(place) as entries:
            inside = sorted(entries, key=lambda one: one.name)
        for one in inside:
            if not prefix and one.name in left_out:
                continue
            if one.is_dir(follow_symlinks=False):
                waiting.append((one.path, f"{prefix}{one.name}/"))
            else:
                yield f"{prefix}{one.name}"


@lru_cache(maxsize=256)
def _pattern(path: str, *, reaches_in: bool) -> re.Pattern[str]:
    """Return the expression for the files that *path* stands for; with *reaches_in*, for those in such a folder too."""
    *above, last = [part for part in path.split("/") if part not in ("", ".")] or [""]
    folders = "".join("(?:[^/]+/)*" if part == "**" else f"{_name(part)}/" for part in above)
    if last == "**":
        return re.compile(f"{folders}.+", re.DOTALL)
    return re.compile(f"{folders}{_name(last)}{'(?:/.+)?' if reaches_in else ''}", re.DOTALL)


def _name(part: str) -> str:
    return "[^/]*".join(map(re.escape, re.split(r"\*+", part)))
