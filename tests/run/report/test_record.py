"""Reports of a run: record, summary, lines and chart."""

from __future__ import annotations

import io
import re
from pathlib import Path

from run.simulated_runs_in_tests import graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Failure
from pipegen.run.chart.svg import render_svg
from pipegen.run.chart.times import SECONDS
from pipegen.run.events import Cause, Ended, Listener, PipelineEnded, Ready, Skipped, Started, Waiting
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.model import Attempt, AttemptResult, Outcome, PipelineRun, RunMachine
from pipegen.run.report.html import picture as run_picture
from pipegen.run.report.live import Live
from pipegen.run.report.plain import Plain
from pipegen.run.report.record import RunRecord
from pipegen.run.report.summary import path_words, summary
from pipegen.run.status import Reason, Status
from pipegen.run.tasks import pipeline_run

GRAPH = ExecutionGraph([["a", "b", "c"], ["d"]])
SUCCESS = Outcome(result=AttemptResult.SUCCESS, exit_code=0)
LOST = Outcome(result=AttemptResult.FAILED, failure=Failure.SYSTEM, exit_code=125, reason="its container did not start")


def run() -> PipelineRun:
    """Return a run whose stages take 5 seconds each."""
    return pipeline_run(graph_plan(GRAPH), dict.fromkeys("abcd", 5.0))


def send_events(tasks: PipelineRun, *listeners: Listener) -> None:
    """Send events: a takes two attempts, b fails, c never starts, d waits for a lock and runs."""
    a, b, c, d = tasks.tasks
    first, second, third, fourth = (Attempt(task, number, "here") for task, number in ((a, 1), (a, 2), (b, 1), (d, 1)))
    for event in (
        Ready(0, a.id),
        Started(0, first),
        Ready(0, d.id),
        Waiting(0, d.id, Cause.LOCK, "db"),
        Ended(1, first, LOST, is_final=False),
        Started(2, second),
        Ended(5, second, SUCCESS, is_final=True),
        Started(5, third),
        Ended(8, third, LOST, is_final=True),
        Skipped(8, c.id, Reason.BEFORE),
        Started(9, fourth),
    ):
        for listener in listeners:
            listener.notify(event)


def test_a_record_has_the_result_of_each_stage() -> None:
    """All attempts are in seconds; a running stage has no result yet."""
    tasks = run()
    record = RunRecord([tasks])
    send_events(tasks, record)
    a, b, c, d = (record.entries[task.id] for task in tasks.tasks)

    assert [stage.status for stage in (a, b, c, d)] == ["success", "failed", "skipped", ""]
    assert (a.seconds, [attempt.number for attempt in a.attempts], a.ready) == (4, [1, 2], 0)
    assert (d.is_running, d.waits, record.failures()) == (True, None, (b,))
    assert record.critical_path() == (a, b)
    assert path_words((a, b), several=False) == "a 5 s -> b 3 s: 8 s"
    assert record.durations() == {tasks.tasks[0].id: 3}
    assert not record.is_success


def test_a_record_renders_as_a_chart() -> None:
    """Like a simulated run."""
    tasks = run()
    record = RunRecord([tasks])
    send_events(tasks, record)
    picture = run_picture(record, (RunMachine(name="here", slots=2),))

    assert [bar.task.id.stage for bar in picture.bars] == ["a", "a", "b"]
    assert (picture.makespan, picture.path.seconds) == (9, 8)
    assert "<svg" in render_svg(picture, SECONDS)


def test_a_summary_shows_failures_totals_and_logs(tmp_path: Path) -> None:
    """For a failed stage, it has the end of its log."""
    tasks = run()
    record = RunRecord([tasks])
    send_events(tasks, record)
    (tmp_path / "b.log").write_text("".join(f"line {number}\n" for number in range(100)))
    lines = list(summary(record, RunFolder(tmp_path, "x", tmp_path)))

    assert "b failed: its container did not start, 3 s" in lines
    assert [line for line in lines if line.startswith("  | ")] == [f"  | line {number}" for number in range(80, 100)]
    assert lines[-3:] == [
        "1 ok, 1 failed, 1 skipped, 1 not run in 9 s",
        "longest path: a 5 s -> b 3 s: 8 s",
        f"logs: {tmp_path}",
    ]


def test_plain_output_has_a_line_per_event() -> None:
    """Starts, ends, and waits for resources other than a slot."""
    tasks = run()
    record, lines = RunRecord([tasks]), list[str]()
    plain = Plain(record, lines.append)
    send_events(tasks, record, plain)
    plain.notify(PipelineEnded(9, "p", Status.FAILED))

    assert [" ".join(line.split()) for line in lines] == [
        "0 s start a",
        '0 s wait d, for lock "db"',
        "1 s again a, 1 s: its container did not start",
        "2 s start a (attempt 2)",
        "5 s ok a, 3 s",
        "5 s start b",
        "8 s FAILED b, 3 s: its container did not start",
        "8 s skip c: an earlier stage did not succeed",
        "9 s start d",
    ]


def test_live_output_estimates_the_remaining_time() -> None:
    """Durations must be known; a waiting stage has its reason."""
    tasks = run()
    record, stream = RunRecord([tasks]), io.StringIO()
    live = Live(record, stream)
    a, _, _, d = tasks.tasks
    for event in (Started(0, Attempt(a, 1, "here")), Ready(0, d.id), Waiting(0, d.id, Cause.LOCK, "db")):
        record.notify(event)
    live.draw(2)
    shown = [" ".join(line.split()) for line in stream.getvalue().replace("\x1b[?7l", "").splitlines()]

    assert shown[:3] == ["2 s run a", 'wait d, for lock "db"', "2 s 0 of 4 ended, about 13 s left"]


def test_waits_between_attempts_are_on_the_longest_path() -> None:
    """One second passes before the second attempt of a, in the run and in the path."""
    tasks = run()
    record = RunRecord([tasks])
    send_events(tasks, record)
    a = record.entries[tasks.tasks[0].id]

    assert (a.seconds, a.elapsed) == (4, 5)
    assert path_words(record.critical_path(), several=False) == "a 5 s -> b 3 s: 8 s"


def test_attempts_of_a_stage_share_a_row() -> None:
    """Failed attempts have their own colour."""
    tasks = run()
    record = RunRecord([tasks])
    send_events(tasks, record)
    picture = render_svg(run_picture(record, (RunMachine(name="here", slots=2),)), SECONDS)
    bars = re.findall(r'<rect class="(\w+)"[^>]*rx="2"><title>(\w)', picture)

    assert "2 stages, 3 attempts, lower bound" in picture
    assert bars == [("failed", "a"), ("path", "a"), ("failed", "b")]
    assert len(re.findall(r'text-anchor="end">[abcd]<', picture)) == 2
    assert ">failed</text>" in picture
