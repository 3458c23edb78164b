"""Questions to the user at the terminal."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Sequence

from pipegen.cli.terminal.streams import say
from pipegen.run.clocks.real import RealClock
from pipegen.run.local.effects import Effect
from pipegen.run.model import Task
from pipegen.visible import visible

_YES = ("y", "yes")


def is_interactive() -> bool:
    """Return whether standard input and standard error are terminals."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def allows(requested: Sequence[Effect]) -> bool:
    """Ask whether to allow effects outside this machine."""
    for effect in requested:
        say(visible(f'stage "{effect.stage}" {effect.why}'))
    say("These stages have effects outside this machine. Run them? [y/N] ", ends_line=False)
    return sys.stdin.readline().strip().lower() in _YES


class Prompter:
    """Asks questions during a run, one at a time; *say* shows a question."""

    def __init__(self, clock: RealClock, say: Callable[[str], None]) -> None:
        self._clock, self._say = clock, say
        self._questions: deque[tuple[Task, Callable[[bool], None]]] = deque()
        self._end: Callable[[], None] | None = None

    def ask(self, task: Task, answer: Callable[[bool], None]) -> None:
        """Ask whether *task* may start, and call *answer* with the reply."""
        self._questions.append((task, answer))
        if len(self._questions) == 1:
            self._next()
            self._end = self._clock.on_readable(sys.stdin.fileno(), self._read)

    def _next(self) -> None:
        task, _ = self._questions[0]
        approval = task.job.deployment.approval
        message = approval.message if approval is not None and approval.message else f"Run {task.id.stage}?"
        self._say(visible(f'stage "{task.id.stage}" needs an approval: {message} [y/N]'))

    def _read(self) -> None:
        line = os.read(sys.stdin.fileno(), 4096).decode(errors="replace")
        _, answer = self._questions.popleft()
        if self._questions:
            self._next()
        elif self._end is not None:
            self._end()
        answer(line.strip().lower() in _YES)
