"""The real clock: it waits for times, files, ends of processes, and signals."""

from __future__ import annotations

import selectors
import signal
import socket
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Protocol

from pipegen.run.clocks.alarms import Alarms, Call


class ChildProcess(Protocol):
    """A child process, such as `subprocess.Popen`."""

    def poll(self) -> int | None:
        """Return its exit status, None while it runs; do not wait."""
        ...


class RealClock:
    """Real seconds. At most one instance at a time, in the main thread; `close` restores the signal handlers.

    Calls for files, processes and signals alternate with scheduled calls, so that neither blocks the other. If several
    processes have ended, the call that one of them schedules comes before the call for the next: a stage starts in the
    place of the first before the others are handled.
    Signals never interrupt a call: they become calls themselves (the write end of a socket is Python's wakeup file
    descriptor, https://docs.python.org/3/library/signal.html#signal.set_wakeup_fd).
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._alarms = Alarms()
        self._selector = selectors.DefaultSelector()
        self._due: deque[Call] = deque()
        self._is_turn_of_alarms = False
        self._last_look = 0.0
        self._watches: dict[int, Call] = {}
        self._children: dict[ChildProcess, Call] = {}
        self._signals: dict[int, Call] = {}
        self._handlers_before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        self._wakeup_read, self._wakeup_write = socket.socketpair()
        for end in (self._wakeup_read, self._wakeup_write):
            end.setblocking(False)
        self._selector.register(self._wakeup_read, selectors.EVENT_READ)
        self._wakeup_before = signal.set_wakeup_fd(self._wakeup_write.fileno(), warn_on_full_buffer=False)
        self._handlers_before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, _ignore)

    def close(self) -> None:
        """Restore signal handlers and drop all calls; the caller closes files and processes."""
        for number, handler in self._handlers_before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        self._selector.close()
        self._wakeup_read.close()
        self._wakeup_write.close()

    # The interface of every clock

    def now(self) -> float:
        """Return the seconds since the run began."""
        return time.monotonic() - self._began

    def at(self, time: float, call: Call) -> Call:
        """Schedule *call* at *time*, immediately if that is past; return a function that cancels it."""
        return self._alarms.add(time, call)

    def wait(self) -> bool:
        """Wait for the next call and make it; return False if nothing is left to wait for.

        Signals alone are not waited for.
        """
        while self._is_turn_of_alarms or not self._due:
            alarm = self._next_alarm() if self._is_turn_of_alarms else None
            self._is_turn_of_alarms = False
            if alarm is not None:
                alarm[1]()
                return True
            if self._due:
                break
            if self._alarms.next_time() is None and not self._watches and not self._children:
                return False
            self._queue_due_calls()
            self._is_turn_of_alarms = not self._due
        self._is_turn_of_alarms = True
        self._due.popleft()()
        return True

    # For executors and views

    def every(self, seconds: float, call: Call) -> Call:
        """Make *call* now, and again each time that *seconds* have passed; return a function that ends this."""
        cancel: Call

        def repeat() -> None:
            nonlocal cancel
            call()
            cancel = self.at(self.now() + seconds, repeat)

        def end() -> None:
            cancel()

        repeat()
        return end

    def on_readable(self, file: int, call: Call) -> Call:
        """Make *call* whenever the descriptor *file* is readable or at its end; return a function that ends this.

        Not for regular files. End it before *file* is closed.
        """
        self._watches[file] = call
        self._selector.register(file, selectors.EVENT_READ)

        def end() -> None:
            if self._watches.get(file) is call:
                del self._watches[file]
                self._selector.unregister(file)

        return end

    def on_end(self, child: ChildProcess, call: Call) -> None:
        """Make *call* once, when `poll` of *child* returns a status.

        The child was started since the last `wait`, so the signal of its end is still to come, even if it has ended.
        """
        self._children[child] = call

    def on_signal(self, number: int, call: Call) -> None:
        """Handle signal *number* by *call*; signals that arrive together cause one call."""
        if number not in self._signals:
            self._handlers_before[number] = signal.signal(number, _ignore)
        self._signals[number] = call

    def _next_alarm(self) -> tuple[float, Call] | None:
        """Remove and return the next scheduled call, if it is due.

        While calls for files and processes wait, only one that was scheduled after these were found: a stage that has
        ended is not late, even if pipegen was suspended until after its timeout.
        """
        time = self._alarms.next_time()
        if self._due and time is not None and time < self._last_look:
            return None
        return self._alarms.take(self.now())

    def _queue_due_calls(self) -> None:
        """Wait until a file or signal has a call, or until the time of a scheduled one; queue those for files."""
        due = self._alarms.next_time()
        for key, _ in self._selector.select(None if due is None else max(0.0, due - self.now())):
            if key.fd == self._wakeup_read.fileno():
                self._queue_signals()
            else:
                self._due.append(partial(self._read, key.fd))
        self._last_look = self.now()

    def _queue_signals(self) -> None:
        """Queue the calls for signals, and for children that have ended."""
        # Children come last: Ctrl-C, which arrives together with the end of one, may be the cause.
        for number in sorted(set(self._wakeup_read.recv(4096)), key=lambda number: (number == signal.SIGCHLD, number)):
            if number == signal.SIGCHLD:
                ended = [child for child in self._children if child.poll() is not None]
                self._due.extend(map(self._children.pop, ended))
            elif number in self._signals:
                self._due.append(self._signals[number])

    def _read(self, file: int) -> None:
        """Call the watcher of *file*, if it is still watched."""
        if file in self._watches:
            self._watches[file]()


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: Python writes the signal's number to the wakeup descriptor."""
