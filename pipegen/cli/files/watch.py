"""`compile --watch`: work that is done again when a file that it reads changes."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import typer

from pipegen.cli.exits import WrongUsage
from pipegen.cli.streams import say
from pipegen.config.files.sources import sources

# A look at a hundred files takes less than a millisecond, works on every file system, and needs no library.
_SECONDS = 0.2
# How often files are looked at that never stop changing, before the work is done all the same: for five seconds.
_MOST_LOOKS = 25
_State = Mapping[Path, tuple[int, int, int] | None]


def watch(config: Path, work: Callable[[], None], wait: Callable[[float], None] = time.sleep) -> None:
    """Do *work* now, and whenever *config* or a file that it includes has changed, until a person interrupts that."""
    gc.enable()  # this goes on for long
    state = _state(config)  # before the work: what is saved while that goes on counts as well
    while True:
        _attempt(work)
        say(f"watching {_told(config, len(state))}; Ctrl-C ends this")
        before, state = state, _changed(config, state, wait)
        say(f"\n{time.strftime('%H:%M:%S')} {_names(before, state)} changed")


def _attempt(work: Callable[[], None]) -> None:
    """Do *work*; what goes wrong in it has been told, or is told here, and ends nothing."""
    try:
        work()
    except typer.Exit:
        pass
    except WrongUsage as error:
        say(f"pipegen: {error}")
    except OSError as error:
        say(f"pipegen: {error.filename or ''}: {error.strerror or error}")


def _changed(config: Path, before: _State, wait: Callable[[float], None]) -> _State:
    """Return the state of the files once it is not that of *before*, and no longer changes: editors write in steps."""
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
    return {path: _stamp(path) for path in sources(config)}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _told(config: Path, files: int) -> str:
    more = files - 1
    return f"{config}" + (f" and {more} included {'file' if more == 1 else 'files'}" if more else "")


def _names(before: _State, now: _State) -> str:
    changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
    return ", ".join(path.name for path in changed) or "something"
