"""The person at the terminal, who is asked."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Sequence

from pipegen.cli.streams import say
from pipegen.run.clocks.real import RealClock
from pipegen.run.local.effects import Effect
from pipegen.run.model import Task
from pipegen.visible import visible

_YES = ("y", "yes")


def is_here() -> bool:
    """Return whether somebody can be asked: a terminal at both ends."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def allows(found: Sequence[Effect]) -> bool:
    """Ask whether what a run does outside of this machine shall happen."""
    for one in found:
        say(visible(f'stage "{one.stage}" {one.why}'))
    say("This reaches outside of this machine. Run it? [y/N] ", ends_line=False)
    return sys.stdin.readline().strip().lower() in _YES


class Prompter:
    """Asked during a run, one question at a time; *say* shows the question."""

    def __init__(self, clock: RealClock, say: Callable[[str], None]) -> None:
        self._clock, self._say = clock, say
        self._asked: deque[tuple[Task, Callable[[bool], None]]] = deque()
        self._end: Callable[[], None] | None = None

    def ask(self, task: Task, answer: Callable[[bool], None]) -> None:
        """Ask whether *task* may start, and call *answer* with what the person says."""
        self._asked.append((task, answer))
        if len(self._asked) == 1:
            self._next()
            self._end = self._clock.on_readable(sys.stdin.fileno(), self._read)

    def _next(self) -> None:
        task, _ = self._asked[0]
        approval = task.job.deployment.approval
        message = approval.message if approval is not None and approval.message else f"Run {task.id.stage}?"
        self._say(visible(f'stage "{task.id.stage}" waits: {message} [y/N]'))

    def _read(self) -> None:
        line = os.read(sys.stdin.fileno(), 4096).decode(errors="replace")
        _, answer = self._asked.popleft()
        if self._asked:
            self._next()
        elif self._end is not None:
            self._end()
        answer(line.strip().lower() in _YES)
