"""Finally stages on GitLab."""

from __future__ import annotations

from typing import Any

from plan.sample_plans import plans_of
from yaml_data import yaml_data

from pipegen.diagnostics.codes import STATUS_UNAVAILABLE
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile, Span
from pipegen.targets import gitlab
from pipegen.targets.base import Request
from pipegen.targets.gitlab.helper_jobs.finally_stages import check_outcomes

_STAGES = (
    "{name: a, script: [x], outputs: [v], artifacts: [f], when: {branch: main}}, "
    "{name: b, script: [x], allow_failure: {exit_codes: 3}}, "
    "{name: last, script: ['x ${a.status} ${b.status} ${a.v|none}'], files_from: [a], when: {branch: main}}"
)


def _generated(config: str) -> dict[str, Any]:
    request = Request(
        source="pipegen.yaml", start=Span(SourceFile("pipegen.yaml", ""), 0, 0), settings=None, selected=(), options={}
    )
    (file,) = gitlab.generate(plans_of(config), request, Report())
    data: dict[str, Any] = yaml_data(file.text)
    return data


def test_a_finally_job_fetches_without_waiting_for_success() -> None:
    """It is in the last stage, has no needs, and always runs if its condition holds."""
    data = _generated(f"pipelines: {{p: {{stages: [{_STAGES}], finally: [last]}}}}")
    last = data["last"]

    assert (last["when"], len(last["rules"])) == ("always", 1)
    assert "needs" not in last
    assert last["dependencies"] == ["a", "note when a fails", "b", "note when b fails", "note whether b fails"]
    assert data["stages"] == ["a", "b", "finally"]


def test_helpers_record_failures_and_allowed_failures() -> None:
    """A job with exit codes may have either; each helper has the condition of its stage."""
    data = _generated(f"pipelines: {{p: {{stages: [{_STAGES}], finally: [last]}}}}")

    assert (data["note when a fails"]["when"], len(data["note when a fails"]["rules"])) == ("on_failure", 1)
    assert data["note when b fails"]["when"] == "on_failure"
    assert "when" not in data["note whether b fails"]
    assert data["note whether b fails"]["needs"] == ["b"]


_BY_STATUS = """
    pipelines:
      p:
        stages:
          - {name: a, script: [x]}
          - {name: clean, script: [x]}
          - {name: alert, script: ['x ${a.status}'], env: {STATUS: "${pipeline.status}"}}
          - {name: undo, script: [x], when: {branch: main}}
          - {name: tell, script: [x], when: {branch: main}}
        finally: {always: [clean], failed: [alert, undo], success: [tell]}
    """


def test_a_finally_job_runs_for_the_status_of_the_pipeline() -> None:
    """GitLab decides, by the jobs of earlier stages: a status that it decides by is no second job."""
    data = _generated(_BY_STATUS)

    whens = [data[name].get("when") for name in ("clean", "alert", "undo", "tell")]
    assert whens == ["always", "on_failure", "on_failure", None]
    assert [[rule.get("when") for rule in data[name]["rules"]] for name in ("undo", "tell")] == [[None], [None]]
    assert data["alert"]["variables"] == {"STATUS": "failed"}
    assert list(data) == ["stages", "a", "note when a fails", "clean", "alert", "undo", "tell"]


def test_the_status_of_one_of_several_pipelines_is_refused() -> None:
    """GitLab has one status for all of them."""
    report = Report()
    plans = plans_of(f"{_BY_STATUS}  other: {{ stages: [{{ name: b, script: [x] }}] }}\n")
    check_outcomes(plans, report)

    assert [(found.code, found.message.split(" for ")[0]) for found in report.diagnostics()] == [
        (STATUS_UNAVAILABLE, "GitLab has one status")
    ] * 3


def test_unread_statuses_are_not_recorded() -> None:
    """Without a reader, there are no helper jobs, artifacts or dependencies."""
    data = _generated("pipelines: {p: {stages: [{name: a, script: [x]}, {name: last, script: [x]}], finally: [last]}}")

    assert list(data) == ["stages", "a", "last"]
    assert data["last"]["dependencies"] == []
    assert "artifacts" not in data["a"]


def test_helpers_for_many_stages_share_a_script() -> None:
    """Each has the name of its stage in a variable."""
    data = _generated("""
        pipelines:
          p:
            stages:
              - { name: a, matrix: { v: ['1', '2', '3', '4'] }, script: x }
              - { name: last, script: 'echo ${a.status}' }
            finally: [last]
    """)

    assert data[".note-when-a"]["script"] == [
        'mkdir -p .pipegen/status && echo failed >".pipegen/status/$PIPEGEN_STAGE"'
    ]
    assert data[".note-when-a"]["artifacts"] == {"paths": [".pipegen/status/$PIPEGEN_STAGE"]}
    assert data["note when a: 1 fails"] == {
        "extends": ".note-when-a",
        "stage": "a",
        "needs": [{"job": "a", "parallel": {"matrix": [{"v": "1"}]}, "artifacts": False}],
        "when": "on_failure",
        "variables": {"PIPEGEN_STAGE": "a-1"},
    }
