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
