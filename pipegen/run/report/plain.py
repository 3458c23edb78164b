"""The progress of a run, line by line, for pipes, files, and engines."""

from __future__ import annotations

from collections.abc import Callable

from pipegen.run.chart.times import SECONDS
from pipegen.run.events import Cause, Ended, PipelineEnded, RunEvent, Skipped, Started, Waiting, wait_words
from pipegen.run.model import AttemptResult, TaskId
from pipegen.run.report.record import RunRecord
from pipegen.visible import visible, visible_lines

# Other causes only mean that machines are busy.
_WORTH_A_LINE = (Cause.LOCK, Cause.BACKOFF, Cause.DELAY, Cause.APPROVAL, Cause.EQUAL)
# Words for results of a stage that differ from its status.
_RESULTS = {"success": "ok", "failed": "FAILED"}


class Plain:
    """Writes a line when a stage starts, ends, or is skipped; with several pipelines, names include the pipeline.

    *write* ends each line.
    """

    def __init__(self, record: RunRecord, write: Callable[[str], None]) -> None:
        self._record, self._write = record, write
        self._several = len(record.runs) > 1

    def notify(self, event: RunEvent) -> None:
        """Write a line for *event*, if it is important enough."""
        line = self._line(event)
        if line:
            self._write(f"{SECONDS.words(event.time):>10}  {visible(line)}")

    def say(self, words: str) -> None:
        """Write *words*."""
        self._write(visible_lines(words))

    def close(self) -> None:
        """Do nothing: everything is written."""

    def _name(self, task: TaskId) -> str:
        return task.display_name(several=self._several)

    def _line(self, event: RunEvent) -> str:
        match event:
            case Started(attempt=attempt):
                attempt_words = f" (attempt {attempt.number})" if attempt.number > 1 else ""
                return f"start    {self._name(attempt.task.id)}{attempt_words}"
            case Ended(attempt=attempt, outcome=outcome, is_final=is_final):
                entry = self._record.entries[attempt.task.id]
                last = entry.attempts[-1]
                duration = SECONDS.words((last.ended or event.time) - last.started)
                word = entry.status if is_final else "again"
                return f"{_RESULTS.get(word, word):<8} {self._name(attempt.task.id)}, {duration}" + (
                    f": {outcome.reason or 'failed'}" if outcome.result is AttemptResult.FAILED else ""
                )
            case Skipped(task=task, reason=reason):
                return f"skip     {self._name(task)}: {reason.value}"
            case Waiting(task=task, cause=cause, what=what) if cause in _WORTH_A_LINE:
                return f"wait     {self._name(task)}, for {wait_words(cause, what)}"
            case PipelineEnded(pipeline=pipeline, status=status) if self._several:
                return f"over     pipeline {pipeline}: {status.value}"
        return ""
