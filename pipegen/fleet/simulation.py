"""The simulation of a fleet: events in the order of time, and a session of the scheduler that places stages.

An event costs only the changes that it makes: a run of a pipeline counts the open predecessors of its stages. The equal
stages of a load are one gang of the session, so that one refusal applies to all of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any

from pipegen.fleet.arrivals import HOUR
from pipegen.fleet.measures import MachineUse, Measures
from pipegen.fleet.model import Fleet
from pipegen.fleet.scaling import IdleMachine, Scaling, lacks_machine
from pipegen.fleet.state import ActiveRun, AttemptEnd, LoadState, StageRun, job_queues, stage_run_of
from pipegen.fleet.workflow import Stage
from pipegen.run.scheduling.job_queues import Gang, QueuedTask, TaskState
from pipegen.run.scheduling.machine_state import Freed
from pipegen.run.scheduling.plugins import EVICTING, open_session

# The gate of stages that wait for an approval.
APPROVAL = "approval"
# How many times all slots are given to others before room is reserved for a stage that does not fit, as in a run.
_ROUNDS = 2


class TooLongSimulationError(Exception):
    """Pipelines of a fleet end after the hours that are simulated at most."""


class FleetSimulation:
    """A simulation of *fleet*; `run` returns its measures."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._now = 0.0
        self._events: list[tuple[float, int, Callable[[Any], None], Any]] = []
        self._number = 0
        self._orders = count(1)
        self._starts = 0
        # The number of loads with further arrivals, plus that of pipelines in progress.
        self._open = len(fleet.loads)
        self._unapproved: set[Gang] = set()
        # Stages with a gang of their own, whose approval or backoff has just ended.
        self._alone: list[StageRun] = []
        slots = sum(group.maximum * (group.machine.slots or 1) for group in fleet.groups)
        self._scaling = Scaling(fleet.groups, self._at_machine)
        # Machines that start and stop are not progress: the simulation ends if nothing else happens for long enough.
        self._machine_events = 0
        self._idle_machine_events = 0
        self._most_machine_events = 4 * sum(group.maximum for group in fleet.groups if group.is_scaled)
        self._session, self._actions = open_session(
            self._scaling.nodes(),
            fleet.scheduling,
            patience=_ROUNDS * slots,
            gates={APPROVAL: self._is_approved},
            possible=self._scaling.possible() if self._scaling.is_scaled else None,
        )
        names = fleet.scheduling.actions
        self._admits_last = names.index("enqueue") > names.index("allocate")
        queues = job_queues(fleet)
        for queue in queues.values():
            self._session.open_job_queue(queue)
        self._loads = [LoadState(load, queues[load.queue], fleet) for load in fleet.loads]

    def run(self) -> Measures:
        """Simulate until all pipelines have ended, or no further stage can start.

        Raise `TooLongSimulationError` if that takes too many hours.
        """
        latest = self._fleet.most_hours * HOUR
        for load in self._loads:
            self._next_arrival(load)
        self._scaling.begin(self._session)
        events = self._events
        while self._open and events and self._may_progress():
            if isinstance(end := events[0][3], AttemptEnd | IdleMachine) and end.is_void:
                # All is as before: a cycle would only stop other attempts, and each of them has a void end, too.
                heappop(events)
                self._machine_events -= isinstance(end, IdleMachine)
                continue
            now = self._now = self._session.now = events[0][0]
            if now > latest:
                raise TooLongSimulationError
            while events and events[0][0] == now:
                _, _, call, argument = heappop(events)
                call(argument)
            self._cycle()
        return Measures(
            {load.load.name: load.measures for load in self._loads},
            self._scaling.finish(self._now),
            tuple(use for load in self._loads for use in load.uses.values()),
            self._now,
            self._starts,
        )

    def _may_progress(self) -> bool:
        """Return whether more than machines may happen: the last one that started may have been enough for a stage."""
        return len(self._events) > self._machine_events or self._idle_machine_events <= self._most_machine_events

    def _at(self, time: float, call: Callable[[Any], None], argument: object) -> None:
        """Schedule *call* with *argument*; calls of one time come in the order in which they were scheduled."""
        self._number += 1
        heappush(self._events, (time, self._number, call, argument))

    def _at_machine(self, time: float, call: Callable[[Any], None], argument: object) -> None:
        """Schedule *call* for a machine that starts or may stop."""
        self._machine_events += 1
        self._at(time, partial(self._machine_event, call), argument)

    def _machine_event(self, call: Callable[[Any], None], argument: object) -> None:
        call(argument)
        self._machine_events -= 1
        is_progress = len(self._events) > self._machine_events
        self._idle_machine_events = 0 if is_progress else self._idle_machine_events + 1

    # Pipelines

    def _next_arrival(self, load: LoadState) -> None:
        time = next(load.arrivals, None)
        if time is None:
            self._open -= 1
        else:
            self._at(time, self._arrive, load)

    def _arrive(self, load: LoadState) -> None:
        self._open += 1
        load.measures.unfinished += 1
        self._next_arrival(load)
        run = ActiveRun(load, self._now)
        first = load.workflow.first or load.workflow.final
        run.is_final = not load.workflow.first
        self._reach(run, first)
        if not first:
            self._finish(run)

    def _reach(self, run: ActiveRun, indexes: Sequence[int]) -> None:
        """Note that the stages with *indexes* are ready."""
        run.left += len(indexes)
        for index in indexes:
            stage = run.load.workflow.stages[index]
            if stage.needs_approval:
                self._ask(run, stage)
            elif stage.delay:
                self._at(self._now + stage.delay, self._enqueue, (run, stage))
            else:
                self._enqueue((run, stage))

    def _finish(self, run: ActiveRun) -> None:
        self._open -= 1
        measures = run.load.measures
        measures.unfinished -= 1
        if run.start >= self._fleet.warm_up:
            measures.results.append(self._now - run.start)
            measures.failures += run.is_failed

    # Stages

    def _enqueue(self, ready: tuple[ActiveRun, Stage]) -> None:
        run, stage = ready
        gang = run.load.gang(stage) if stage.services else self._gang(run.load, stage)
        self._wait(stage_run_of(run, stage, gang, self._orders, self._now))

    def _gang(self, load: LoadState, stage: Stage) -> Gang:
        """Return the gang of all runs of *stage*, which has no services."""
        gang = load.gangs.get(stage.index)
        if gang is None:
            gang = load.gangs[stage.index] = load.gang(stage)
            self._session.entering.append(gang)
        return gang

    def _wait(self, stage_run: StageRun) -> None:
        """Queue *stage_run* in the gang of all equal ones, or if it has services, in line with them."""
        if not stage_run.helpers:
            self._session.join(stage_run)
            if stage_run.gang.is_admitted:
                self._session.offer(stage_run.gang)
            return
        line = stage_run.run.load.lines.setdefault(stage_run.stage.index, deque())
        line.append(stage_run)
        if len(line) == 1:
            self._enter(stage_run)

    def _enter_alone(self, stage_run: StageRun) -> None:
        """Let *stage_run*, with a gang of its own, wait for an approval or for the end of a backoff."""
        self._session.admit_unplaced(stage_run.gang)
        for member in (stage_run, *stage_run.helpers):
            self._session.join(member)

    def _share(self, stage_run: StageRun) -> bool:
        """Let *stage_run*, which waited alone, wait with equal ones; return False if it found room.

        Otherwise, each machine and each lock that gets free would concern all that wait alone.
        """
        members = (stage_run, *stage_run.helpers)
        if any(member.state is not TaskState.WAITING for member in members if not member.is_light):
            return False
        self._session.withdraw(stage_run.gang)
        for member in members:
            # Services without resources start before their stage.
            if member.state is TaskState.RUNNING:
                self._session.give_back(member)
                self._scaling.freed(member.node)
            self._session.leave(member)
            member.state, member.node = TaskState.WAITING, ""
        stage_run.gang.forget()
        if not stage_run.helpers:
            stage_run.gang = self._gang(stage_run.run.load, stage_run.stage)
        self._wait(stage_run)
        return True

    def _enter(self, stage_run: StageRun) -> None:
        """Queue a stage with services, which all start together."""
        for member in (stage_run, *stage_run.helpers):
            self._session.join(member)
        self._session.entering.append(stage_run.gang)

    def _ask(self, run: ActiveRun, stage: Stage) -> None:
        """Queue *stage* behind a gate until a person approves it."""
        gang = run.load.gang(stage)
        stage_run = stage_run_of(run, stage, gang, self._orders, self._now)
        self._unapproved.add(gang)
        self._enter_alone(stage_run)
        self._session.offer(gang)
        self._at(self._now + run.load.approvals[stage.index](), self._approve, stage_run)

    def _approve(self, stage_run: StageRun) -> None:
        self._unapproved.discard(stage_run.gang)
        for member in (stage_run, *stage_run.helpers):
            member.since = self._now
        stage_run.ready = self._now
        self._session.pass_gate(stage_run.gang, APPROVAL)
        self._alone.append(stage_run)

    def _is_approved(self, gang: Gang) -> bool:
        return gang not in self._unapproved

    def _start(self, stage_run: StageRun) -> None:
        """Start the attempt that the scheduler placed."""
        now = self._now
        self._starts += 1
        stage_run.attempt += 1
        stage_run.started = now
        stage_run.waited += now - stage_run.since
        self._at(now + stage_run.seconds, self._end, AttemptEnd(stage_run))
        line = stage_run.run.load.lines.get(stage_run.stage.index) if stage_run.helpers else None
        if line and line[0] is stage_run:
            line.popleft()
            if line:
                self._enter(line[0])

    def _end(self, end: AttemptEnd) -> None:
        if end.is_void:
            return
        stage_run = end.stage_run
        self._release(stage_run)
        run, stage = stage_run.run, stage_run.stage
        if run.start >= self._fleet.warm_up:
            run.load.measures.ready.append(stage_run.ready)
            run.load.measures.waits.append(stage_run.waited)
        if stage.times.failure and run.load.chance() < stage.times.failure:
            if stage_run.failures < stage.retries:
                self._retry(stage_run)
                return
            if not stage.may_fail:
                run.is_failed = True
                self._proceed(run, ())
                return
        self._proceed(run, stage.successors)

    def _proceed(self, run: ActiveRun, successors: Sequence[int]) -> None:
        """Note that a stage ended, and start *successors* without other open predecessors."""
        run.left -= 1
        ready = []
        for index in successors:
            run.open[index] -= 1
            if not run.open[index]:
                ready.append(index)
        if ready:
            self._reach(run, ready)
        if run.left:
            return
        workflow = run.load.workflow
        final = workflow.final_after_failure if run.is_failed else workflow.final
        if final and not run.is_final:
            run.is_final = True
            self._reach(run, final)
        else:
            self._finish(run)

    def _preempt(self, stage_run: StageRun) -> None:
        """Stop the attempt of *stage_run*, whose work is lost, and queue it again."""
        load, session = stage_run.run.load, self._session
        load.measures.preempted += 1
        load.measures.lost += self._now - stage_run.started
        freed = self._give_back(stage_run, stage_run, 0)
        stage_run.attempt += 1  # the end of this attempt is void
        stage_run.state, stage_run.node, stage_run.since = TaskState.WAITING, "", self._now
        session.wait(stage_run)
        session.offer(stage_run.gang)
        session.wake(freed)

    def _release(self, stage_run: StageRun) -> None:
        """Release the resources of *stage_run* and of its services, which have ended."""
        session = self._session
        freed = self._give_back(stage_run, stage_run, 0)
        session.leave(stage_run)
        if stage_run.helpers:
            # Without the plugin `gang`, a stage may end before there is room for its services.
            nodes = [*freed.nodes, *session.unpledge(stage_run.gang).nodes]
            for number, helper in enumerate(stage_run.helpers, start=1):
                if helper.state is TaskState.RUNNING:
                    nodes += self._give_back(stage_run, helper, number).nodes
                session.leave(helper)
            session.withdraw(stage_run.gang)
            freed = Freed(tuple(nodes), freed.locks)
        session.wake(freed)

    def _give_back(self, stage_run: StageRun, member: QueuedTask, number: int) -> Freed:
        """Release the resources of *member*, and count how long it had them."""
        load, node = stage_run.run.load, member.node
        freed = self._session.give_back(member)
        key = (stage_run.stage.index, number, self._scaling.group_of[node])
        use = load.uses.get(key)
        if use is None:
            use = load.uses[key] = MachineUse(load.load.name, load.queue.name, key[2], member.requests)
        use.add(stage_run.started, self._now)
        self._scaling.freed(node)
        return freed

    def _retry(self, stage_run: StageRun) -> None:
        """Queue another attempt, with a backoff."""
        run, stage = stage_run.run, stage_run.stage
        gang = run.load.gang(stage)
        again = stage_run_of(run, stage, gang, self._orders, self._now)
        again.failures = stage_run.failures + 1
        again.seconds = run.load.samplers[stage.index]()
        self._enter_alone(again)
        queue = self._session.light if again.is_light else self._session.queues[gang.job_queue.name]
        self._at(self._session.add_failed(gang, queue, again.failures), self._flush, again)

    def _flush(self, stage_run: StageRun) -> None:
        """Activate the tasks whose backoff is over, *stage_run* among them."""
        self._session.flush(is_safety=False)
        self._alone.append(stage_run)

    def _cycle(self) -> None:
        if self._session.ballot.backs_off:
            self._session.flush(is_safety=False)  # not at the end of each backoff: a cycle leaves none that could start
        self._act()
        alone, self._alone = self._alone, []
        if [stage_run for stage_run in alone if self._share(stage_run)]:
            # They enter again, which cannot wait for the next event: there may be none.
            self._act()
        self._session.changed.clear()
        if self._scaling.is_scaled:
            self._scaling.shrink()
            self._scaling.grow(self._waiting_gangs())

    def _act(self) -> None:
        """Let the actions place, stop and start stages."""
        session, actions = self._session, self._actions
        while True:
            entering = len(session.entering)
            for act in actions:
                act(session)
            left = len(session.entering)
            started, session.started = session.started, []
            for placed in started:
                self._scaling.placed(placed.node)
                if isinstance(placed, StageRun):
                    self._start(placed)
            # What "enqueue" admits after "allocate", or enters after an equal stage, cannot wait for an event.
            is_left = len(session.entering) > left or (self._admits_last and left < entering)
            if session.evicted:
                # Their room is for those that are promised it: another pass starts these, and stops no others. Else two
                # stages that may stop each other would do so without end, as no time passes.
                actions = tuple(act for act in actions if act not in EVICTING)
            elif not is_left:
                break
            evicted, session.evicted = session.evicted, []
            for task in evicted:
                if isinstance(task, StageRun):
                    self._preempt(task)

    def _waiting_gangs(self) -> Iterator[tuple[Gang, int]]:
        """Yield once each gang with tasks that wait for a machine, and the number of equal gangs that wait."""
        queues = (*self._session.queues.values(), self._session.light)
        for gang in dict.fromkeys(entry.item for queue in queues for entry in queue if not entry.is_held):
            if lacks_machine(self._session, gang):
                yield gang, 1
        for load in self._loads:
            for line in load.lines.values():
                if len(line) > 1 and lacks_machine(self._session, line[0].gang):
                    yield line[0].gang, len(line) - 1
