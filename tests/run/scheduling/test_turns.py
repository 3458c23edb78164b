"""The choice of the next queue is correct after any change."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from run.graphs import graphs
from run.scheduling_state import deserved
from run.simulated_runs_in_tests import graph_plan

from pipegen.run.model import Demand, PipelineRun, RunMachine, TaskId
from pipegen.run.scheduling.job_queues import JobQueue
from pipegen.run.scheduling.scheduler import scheduler
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.turns import Turns
from pipegen.run.simulation import simulate
from pipegen.run.tasks import pipeline_run
from pipegen.structs import replace

DEMANDS = st.builds(
    Demand,
    cpu=st.sampled_from([0, 0, 1000, 2000]),
    labels=st.sampled_from([(), (), ("x",)]),
    locks=st.sampled_from([(), (), (), ("l",)]),
)
MACHINES = [RunMachine(name="a", slots=2, cpu=3000, labels=("x",)), RunMachine(name="b", slots=1, cpu=2000)]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_it_is_the_turn_of_who_has_least(data: st.DataObject) -> None:
    """It equals a comparison of all queues, with deserved shares computed anew, after each placement."""
    runs: list[PipelineRun] = []
    times: dict[TaskId, float] = {}
    for number in range(data.draw(st.integers(1, 5))):
        plan = graph_plan(data.draw(graphs(most=5)), name=f"p{number}")
        run = pipeline_run(plan, first=sum(len(earlier_run.tasks) for earlier_run in runs))
        tasks = tuple(replace(task, demand=data.draw(DEMANDS)) for task in run.tasks)
        runs.append(replace(run, tasks=tasks))
        times |= {TaskId(plan.name, job.stage): float(data.draw(st.integers(0, 4))) for job in plan.jobs}
    sessions: list[Session] = []
    first, init = Turns.first, Session.__init__

    def noted(session: Session, *arguments: object, **options: object) -> None:
        init(session, *arguments, **options)  # type: ignore[arg-type]
        sessions.append(session)

    def compared(turns: Turns) -> JobQueue | None:
        queue, session = first(turns), sessions[0]
        waiting = [job_queue for job_queue in session.job_queues.values() if session.queues[job_queue.name].has_next()]
        due = deserved(session.job_queues.values(), session.machines.totals)

        def state(job_queue: JobQueue) -> tuple[float, int, int]:
            shares = [job_queue.taken.get(name, 0) / amount for name, amount in due[job_queue.name].items() if amount]
            return (round(max([0.0, *shares]), 6), job_queue.served, job_queue.order)

        assert queue is min(waiting, key=state, default=None)
        return queue

    with patch.object(Session, "__init__", noted), patch.object(Turns, "first", compared):
        simulate(runs, times, MACHINES, scheduler(MACHINES))
