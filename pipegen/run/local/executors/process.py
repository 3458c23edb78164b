"""Process groups: a program and the processes that it starts."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence

from pipegen.run.clocks.real import RealClock
from pipegen.run.local.redaction.redactor import RedactedStream, Redactor
from pipegen.structs import Struct

_CHUNK = 65_536
# No pipe holds more: /proc/sys/fs/pipe-max-size.
_LARGEST_PIPE = 1 << 20
# Python ignores these, and child processes would inherit that.
_AS_USUAL = (signal.SIGPIPE, signal.SIGXFSZ)
_NOTHING = Redactor(())


class Invocation(Struct, kw_only=True):
    """A program to start; its path is the first of *arguments*.

    Its output is appended to the file *log*, redacted by *redactor*; *warn* is called if writing fails.
    """

    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    log: str
    redactor: Redactor = _NOTHING
    warn: Callable[[str], None] = lambda _: None


class Process:
    """A running invocation; *ended* is called from the clock's `wait` with its exit status.

    The status of a signal is 128 plus its number. When the program ends, the other processes of its group are killed,
    as on engines.
    """

    def __init__(self, invocation: Invocation, clock: RealClock, ended: Callable[[int], None]) -> None:
        self._ended = ended
        self._status: int | None = None
        self._pipe = _Pipe(invocation, clock)
        try:
            self._pid = _spawn(invocation, self._pipe.write_end)
        except OSError:
            self._pipe.close()
            raise
        clock.on_end(self, self._end)

    def poll(self) -> int | None:
        """Return its exit status, None while it runs."""
        if self._status is None and os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            # Until the leader is reaped, no other group can have its number.
            self._signal(signal.SIGKILL)
            _, status = os.waitpid(self._pid, 0)
            code = os.waitstatus_to_exitcode(status)
            self._status = 128 - code if code < 0 else code
        return self._status

    def stop(self, *, kill: bool) -> None:
        """Ask it to end, or *kill* it."""
        if self._status is None:
            self._signal(signal.SIGKILL if kill else signal.SIGTERM)

    def _signal(self, number: int) -> None:
        # The process may have ended, or belong to another user.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)

    def _end(self) -> None:
        self._pipe.close()
        self._ended(self._status or 0)


# If the folder of logs is in the tree, a stage may have replaced a log by a link or a pipe.
_LOG = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class _Pipe:
    """The output of a program on its way to the log, which is created at the first output.

    Creating a file is expensive compared to a small stage, and many stages print nothing. The write end also stays open
    here: when a program closes its own, nothing has to be done.
    """

    def __init__(self, invocation: Invocation, clock: RealClock) -> None:
        self._stream = RedactedStream(invocation.redactor) if invocation.redactor else None
        self._path, self._log = invocation.log, -1
        self._warn, self._is_full = invocation.warn, False
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._end_watch = clock.on_readable(self._read_end, self._read)

    def close(self) -> None:
        """Write the remaining output; later output of processes outside the group is lost."""
        self._end_watch()
        os.close(self.write_end)
        remaining = _LARGEST_PIPE
        while remaining > 0 and (size := self._take()):
            remaining -= size
        os.close(self._read_end)
        if self._stream is not None:
            self._write(self._stream.end())
        if self._log >= 0:
            os.close(self._log)

    def _read(self) -> None:
        self._take()

    def _take(self) -> int:
        """Write available output; return its size."""
        try:
            data = os.read(self._read_end, _CHUNK)
        except BlockingIOError:
            return 0
        self._write(data if self._stream is None else self._stream.feed(data))
        return len(data)

    def _write(self, data: bytes) -> None:
        if not data or self._is_full:
            return
        try:
            if self._log < 0:
                self._log = os.open(self._path, _LOG, 0o666)
            while data:
                data = data[os.write(self._log, data) :]
        except OSError as error:
            # On a full disk, the log ends, but the run continues.
            self._is_full = True
            self._warn(f"{self._path}: {error.strerror}: the rest of the output is lost")


def _spawn(invocation: Invocation, pipe: int) -> int:
    """Start a process as the leader of a new group, and return its ID.

    Unlike a fork, `posix_spawn` copies no page table, and it reports failures directly.
    """
    with contextlib.chdir(invocation.folder):
        return os.posix_spawn(
            invocation.arguments[0],
            tuple(invocation.arguments),
            invocation.environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, pipe, 1),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setpgroup=0,
            setsigdef=_AS_USUAL,
        )
