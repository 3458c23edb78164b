"""A job flow is validated as in Volcano, except that duplicate names are errors."""

from __future__ import annotations

import json
from contextlib import suppress

from cases.excluded_cases import is_left_out
from cases.volcano import LEFT_OUT, Case

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile

CASES = "volcano_other.json"

# Volcano's map keeps the last of two jobs of one name; a stage that is defined twice is a mistake here.
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
    return {one.code.number for one in report.diagnostics()}


def test_case_has_the_errors_of_volcano(case: Case) -> None:
    """Documented exclusions are skipped."""
    if is_left_out(case["id"], LEFT_OUT):
        return  # docs/simulate.md says why

    assert reported_codes(case) == ({"PG302"} if case["id"] in TWICE else ERRORS[case["expect"]["error"]])
