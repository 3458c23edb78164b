"""`only` and `except`, without one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text

_WORKFLOW = "workflow: { rules: [{ if: $CI_MERGE_REQUEST_IID }, { if: $CI_COMMIT_BRANCH }] }\n"


@pytest.mark.parametrize(
    ("workflow", "keys", "when"),
    [
        ("", "except: [schedules]", "{ not: { event: [merge_request, schedule] } }"),
        (_WORKFLOW, "except: [schedules]", "{ not: { event: schedule } }"),
        (_WORKFLOW, "only: { variables: [$FULL] }", "{ env: { FULL: true }, not: { event: merge_request } }"),
        (_WORKFLOW, "only: [merge_requests]", "{ event: merge_request }"),
        ("", "only: [schedules], rules: null", "{ event: schedule }"),
    ],
)
def test_only_is_branches_and_tags_by_default_unless_the_workflow_has_rules(
    workflow: str, keys: str, when: str, tmp_path: Path
) -> None:
    """GitLab removes this default for jobs without `only`, not for those with a map without `refs`."""
    result, _ = from_text(f"{workflow}unit: {{ script: make, {keys} }}\nlint: {{ script: lint }}\n", tmp_path)

    assert f"name: unit\n        when: {when}\n" in result.text


def test_rules_without_a_value_let_a_job_run_for_merge_requests(tmp_path: Path) -> None:
    """GitLab adds no condition to a job with the key: `Processable#compose!` in `lib/gitlab/ci/config/entry`."""
    template = ".tagged: { script: make, rules: [{ if: $CI_COMMIT_TAG }] }\n"
    result, _ = from_text(f"{template}unit: {{ extends: .tagged, rules: null }}\nlint: {{ script: make }}\n", tmp_path)
    (event,) = (event for event in result.reading.events if event.title == "merge request")

    assert [job.name for job in result.reading.runnable.started(event.facts)] == ["unit"]
