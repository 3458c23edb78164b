"""`compile --watch`: repeats work when a file that it reads changes."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from pipegen.cli.exits import WrongUsage
from pipegen.cli.terminal.streams import say
from pipegen.config.files.include import included_paths
from pipegen.config.files.load import absolute, load
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped

# Checking a hundred files takes less than a millisecond, works on every file system, and needs no library.
_SECONDS = 0.2
# The maximum number of checks while files keep changing: five seconds.
_MOST_LOOKS = 25
_State = Mapping[Path, tuple[int, int, int] | None]


def watch(config: Path, work: Callable[[], None], wait: Callable[[float], None] = time.sleep) -> None:
    """Do *work* now, and whenever *config* or an included file changes, until the user interrupts it."""
    gc.enable()  # this process runs long
    state = _state(config)  # before the work, so that changes during it count
    while True:
        _attempt(work)
        say(f"watching {_watched_files(config, len(state))}; press Ctrl-C to stop")
        before, state = state, _changed(config, state, wait)
        say(f"\n{time.strftime('%H:%M:%S')} {_names(before, state)} changed")


def _attempt(work: Callable[[], None]) -> None:
    """Do *work*, and report its errors without ending."""
    try:
        work()
    except click.exceptions.Exit:
        pass
    except WrongUsage as error:
        say(f"pipegen: {error}")
    except OSError as error:
        say(f"pipegen: {error.filename or ''}: {error.strerror or error}")


def _changed(config: Path, before: _State, wait: Callable[[float], None]) -> _State:
    """Wait until the files differ from *before* and stop changing, as editors write in steps; return their state."""
    now = _state(config)
    while now == before:
        wait(_SECONDS)
        now = {path: _stamp(path) for path in before}
    now = _state(config)
    for _ in range(_MOST_LOOKS):
        wait(_SECONDS)
        before, now = now, _state(config)
        if now == before:
            break
    return now


def _state(config: Path) -> _State:
    return {path: _stamp(path) for path in _sources(config)}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _watched_files(config: Path, files: int) -> str:
    more = files - 1
    return f"{config}" + (f" and {more} included {'file' if more == 1 else 'files'}" if more else "")


def _names(before: _State, now: _State) -> str:
    changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
    return ", ".join(path.name for path in changed) or "something"


def _sources(config: Path) -> tuple[Path, ...]:
    """Return *config* and the files that it includes, directly or not, even missing and invalid ones."""
    files: dict[Path, None] = {}
    queue = [absolute(config)]
    while queue:
        path = queue.pop(0)
        if path not in files:
            files[path] = None
            queue += [Path(os.path.normpath(path.parent / text)) for text in _included(path)]
    return tuple(files)


def _included(path: Path) -> tuple[str, ...]:
    report = Report()
    try:
        tree = read(load(path, report), report)
    except (OSError, Stopped):
        return ()
    return tuple(path.text for path in included_paths(tree) if "\0" not in path.text)
