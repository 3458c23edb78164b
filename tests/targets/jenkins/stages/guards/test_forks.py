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


@pytest.mark.parametrize(
    ("step", "is_guarded"),
    [
        ("script { try { sh 'a' } catch (Exception e) { echo e.getMessage() } }", False),
        ("script { try { sh 'a' } catch (error) { echo error.toString() } }", False),
        ("script { def tag = readFile('VERSION'); echo tag.trim() }", False),
        ("script { def image = docker.build('a'); image.push() }", True),
        ("script { if (e) { server.upload() } }", True),
    ],
)
def test_a_variable_of_a_step_gives_no_rights(step: str, is_guarded: bool) -> None:  # noqa: FBT001 - a case
    """The calls that its value comes from may."""
    config = f'pipelines: {{ p: {{ stages: [{{ name: a, steps: {{ jenkins: ["{step}"] }} }}] }} }}'

    assert ("noFork()" in built(config).text) is is_guarded
