"""Guards against changes from forks."""

from __future__ import annotations

import pytest
from engines.sized import built

_CONFIG = "pipelines: {{ p: {{ stages: [{{ name: a, script: [make], secrets: {{ A: a }}, {} }}] }} }}"


@pytest.mark.parametrize(
    ("when", "is_guarded"),
    [
        ("description: always", True),
        ("when: { event: merge_request }", True),
        ("when: { branch: main }", False),
        ("when: { tag: v* }", False),
        ("when: { event: [push, merge_request] }", True),
        ("when: { event: push }", False),
    ],
)
def test_a_privileged_stage_is_guarded_if_change_requests_run_it(when: str, is_guarded: bool) -> None:  # noqa: FBT001 - a case
    """A change request has no branch and no tag, and one event."""
    assert ("noFork()" in built(_CONFIG.format(when)).text) is is_guarded


def test_stages_have_no_guard_of_their_own_where_the_build_has_one() -> None:
    """A change from a fork never reaches them."""
    grouped = _CONFIG.replace("stages", "concurrency: group, stages").format("lock: door")

    text = built(grouped).text

    assert "\nnoFork()\n" in text
    assert text.count("noFork()") == 2, "the call and the function"
    assert "lock(resource: 'door')\n            }\n            agent any" in text
