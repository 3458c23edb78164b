"""The clock of this machine: it waits for the time of day, for files, for the ends of processes, for signals."""

from __future__ import annotations

import selectors
import signal
import socket
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from types import FrameType, TracebackType
from typing import Protocol, Self

from pipegen.run.clocks.alarms import Alarms, Call


class ChildProcess(Protocol):
    """A process of ours, as `subprocess.Popen` is one."""

    def poll(self) -> int | None:
        """Return the status that it ended with, None while it runs; never wait."""
        ...


class RealClock:
    """Seconds as they pass. One at a time, in the main thread; `close` gives signals back to whom they belonged.

    What comes in together is called in turns, files and signals as the system tells of them, then what is due, so that
    neither holds up the other.
    Signals never interrupt a call: they become calls themselves (the write end of a socket is Python's wakeup file
    descriptor, https://docs.python.org/3/library/signal.html#signal.set_wakeup_fd).
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._alarms = Alarms()
        self._selector = selectors.DefaultSelector()
        self._due: deque[Call] = deque()
        self._watches: dict[int, Call] = {}
        self._children: dict[int, tuple[ChildProcess, Call]] = {}
        self._signals: dict[int, Call] = {}
        self._before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        self._woken, self._waking = socket.socketpair()
        for end in (self._woken, self._waking):
            end.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._wakeup_before = signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        self.on_signal(signal.SIGCHLD, self._look_at_children)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give signals back, and forget all that was arranged; files and processes belong to others."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        self._selector.close()
        self._woken.close()
        self._waking.close()

    # What a run asks of every clock

    def now(self) -> float:
        """Return the seconds since the run began."""
        return time.monotonic() - self._began

    def at(self, time: float, call: Call) -> Call:
        """Arrange *call* at *time*, at once if that is past; return what takes it back."""
        return self._alarms.add(time, call)

    def wait(self) -> bool:
        """Do the next thing that is due, waiting for it; return False when there is nothing left to wait for.

        Signals are nothing to wait for.
        """
        while not self._due:
            if self._alarms.next_time() is None and not self._watches and not self._children:
                return False
            self._gather()
        self._due.popleft()()
        return True

    # What executors and views ask of this one

    def on_readable(self, file: int, call: Call) -> Call:
        """Make *call* whenever the descriptor *file* can be read without waiting, its end too; return what ends that.

        Not for plain files. End it before *file* is closed.
        """
        self._watches[file] = call
        self._selector.register(file, selectors.EVENT_READ)

        def end() -> None:
            if self._watches.get(file) is call:
                del self._watches[file]
                self._selector.unregister(file)

        return end

    def on_end(self, child: ChildProcess, call: Call) -> Call:
        """Make *call* once, when *child* has ended and its `poll` says so; return what takes it back."""
        key = id(child)
        self._children[key] = (child, call)
        # It may have ended before anybody listened.
        self.at(0, lambda: self._look_at(key))

        def take_back() -> None:
            self._children.pop(key, None)

        return take_back

    def on_signal(self, number: int, call: Call) -> None:
        """Make *call* for each signal *number*, in place of what it does else; those that come together are one."""
        if number not in self._signals:
            self._before[number] = signal.signal(number, _heard)
        self._signals[number] = call

    def _gather(self) -> None:
        """Wait until something can be done, and put all of that in line."""
        due = self._alarms.next_time()
        for key, _ in self._selector.select(None if due is None else max(0.0, due - self.now())):
            if key.fd == self._woken.fileno():
                self._hear()
            else:
                self._due.append(partial(self._read, key.fd))
        if due is not None and due <= self.now():
            self._due.append(self._ring)

    def _hear(self) -> None:
        numbers = dict.fromkeys(self._woken.recv(4096))
        self._due.extend(self._signals[number] for number in numbers if number in self._signals)

    def _ring(self) -> None:
        """Make the first call that is due, if it has not been taken back since."""
        call = self._alarms.take(self.now())
        if call is not None:
            call()

    def _read(self, file: int) -> None:
        """Tell who watches *file*, if that is still so."""
        if file in self._watches:
            self._watches[file]()

    def _look_at_children(self) -> None:
        for key in list(self._children):
            self._look_at(key)

    def _look_at(self, key: int) -> None:
        """Tell who waits for the child *key*, if it has ended and that is still so."""
        child, call = self._children.get(key, (None, None))
        if child is not None and call is not None and child.poll() is not None:
            del self._children[key]
            call()


def _heard(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: Python writes the signal's number to the wakeup descriptor."""
