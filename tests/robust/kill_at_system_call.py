"""A function in a separate process, killed before a selected system call with Linux' ptrace(2)."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

_TRACEME, _NEXT_CALL, _SET_OPTIONS = 0, 24, 0x4200
# A bit distinguishes a stop at a system call from a signal; a child ends with its parent.
_OPTIONS = 0x00000001 | 0x00100000
_CALL = signal.SIGTRAP | 0x80


class NotTracedError(OSError):
    """The operating system does not permit tracing."""


def pause() -> None:
    """Wait, in a traced process, until the parent starts counting."""
    os.kill(os.getpid(), signal.SIGSTOP)


def forked(work: Callable[[], object]) -> int:
    """Return the process that runs *work* silently."""
    process = os.fork()
    if process == 0:
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            work()
        finally:
            os._exit(0)
    return process


def killed_at(stop: int, work: Callable[[], object]) -> bool:
    """Kill *work*, after its `pause`, at the start or end number *stop* of its system calls.

    Return False if it makes fewer of them and ends by itself.
    """
    return _ended_or_killed(stop, work)[1]


def calls(work: Callable[[], object]) -> int:
    """Return the number of starts and ends of system calls of *work* after its `pause`."""
    return _ended_or_killed(None, work)[0]


def _ended_or_killed(stop: int | None, work: Callable[[], object]) -> tuple[int, bool]:
    """Return the number of starts and ends, and whether *work* was killed."""
    trace = _ptrace()

    def traced() -> None:
        if trace(_TRACEME, 0, 0, 0) == 0:
            work()

    process = forked(traced)
    _, status = os.waitpid(process, 0)
    if not os.WIFSTOPPED(status):
        raise NotTracedError(ctypes.get_errno(), "a process cannot be traced")
    trace(_SET_OPTIONS, process, 0, _OPTIONS)
    count, number = 0, 0
    while stop is None or count < stop:
        trace(_NEXT_CALL, process, 0, number)
        _, status = os.waitpid(process, 0)
        if not os.WIFSTOPPED(status):
            return count, False
        # A signal is forwarded: a process that waits for a child needs the signal of its end.
        number = 0 if os.WSTOPSIG(status) == _CALL else os.WSTOPSIG(status)
        count += not number
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return count, True


def _ptrace() -> Callable[[int, int, int, int], int]:
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    library.ptrace.restype = ctypes.c_long
    function: Callable[[int, int, int, int], int] = library.ptrace
    return function
