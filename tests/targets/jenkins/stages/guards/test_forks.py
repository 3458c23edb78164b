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
def test_a_stage_with_rights_is_guarded_if_a_change_request_can_run_it(when: str, is_guarded: bool) -> None:  # noqa: FBT001 - a case
    """A change request has neither a branch nor a tag, and one event."""
    assert ("noFork()" in built(_CONFIG.format(when)).text) is is_guarded
