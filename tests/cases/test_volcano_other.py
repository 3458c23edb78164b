"""A job flow is validated as in Volcano, except that duplicate names are errors."""

from __future__ import annotations

import json
from contextlib import suppress
from math import inf

from cases.excluded_cases import VOLCANO, skip_excluded
from cases.volcano import Case
from run.scheduling_state import first_queue

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report, Stopped
from pipegen.run.scheduling.job_queues import Gang, QueuedTask
from pipegen.run.scheduling.policies.orders import sla
from pipegen.run.scheduling.queue.queue import QueueSettings
from pipegen.run.scheduling.session import Session
from pipegen.source.text import SourceFile

CASES = "volcano_other.json"

# Volcano's map keeps the last of two jobs with one name; two definitions of a stage are an error here.
TWICE = ("jobflow/duplicate-name-accepted", "jobflow/duplicate-name-with-other-deps-accepted")
ERRORS = {None: set(), "unknown target a": {"PG301"}, "cycle": {"PG401"}}


def reported_codes(case: Case) -> set[str]:
    """Return the codes reported for the flows of *case* as a pipeline."""
    stages = [{"name": flow["name"], "script": ["true"]} for flow in case["flows"]]
    arcs = [[earlier, flow["name"]] for flow in case["flows"] for earlier in flow.get("depends_on", ())]
    lone = [[flow["name"]] for flow in case["flows"] if "depends_on" not in flow]
    config = {"pipelines": {"p": {"stages": stages, "execution": [*dict.fromkeys(map(tuple, [*lone, *arcs]))]}}}
    report = Report()
    with suppress(Stopped):
        analyse(SourceFile("pipegen.yaml", json.dumps(config)), (), report)
    return {diagnostic.code.number for diagnostic in report.diagnostics()}


def check_order(case: Case) -> None:
    """Order two gangs by the ends of their waiting times; the schema ignores a time that is not a string."""
    session = Session([], [[sla]], settings=QueueSettings(), patience=1)
    session.now = 1e9
    default = case["arguments"].get("sla-waiting-time")
    keys, entries = {}, {}
    for order, job in enumerate(case["jobs"]):
        time = job.get("waiting_time", default)
        gang = Gang(name=job["name"], job_queue=first_queue("q"), waiting_time=seconds_of(time))
        gang.push(QueuedTask(name=job["name"], gang=gang, requests={}, order=order), ())
        keys[job["name"]], entries[job["name"]] = session.ballot.gang_key(gang)[0], session.ballot.may_enter(gang)

    assert (keys["job1"] < keys["job2"]) is case["expect"]["job1_before_job2"]
    assert entries["job1"] is case["expect"]["job1_enqueueable"]


def seconds_of(time: object) -> float:
    """Return the seconds of a text such as "3m", infinity of anything else."""
    return float(time[:-1]) * {"s": 1, "m": 60, "h": 3600}[time[-1]] if isinstance(time, str) else inf


def test_case_has_the_errors_of_volcano(case: Case) -> None:
    """Documented exclusions are skipped."""
    skip_excluded(case["id"], VOLCANO)
    if case["kind"] == "order_and_enqueue":
        check_order(case)
        return
    assert reported_codes(case) == ({"PG302"} if case["id"] in TWICE else ERRORS[case["expect"]["error"]])
