"""`default`, the keys that most jobs share."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import Compiled, compiled
from yaml_data import yaml_data

_SHARED = "image: alpine:3, retry: 1, cache: { key: k, paths: [x/] }, interruptible: true"


def _raw(output: Compiled) -> dict[str, Any]:
    """Return the text of the file."""
    data: dict[str, Any] = yaml_data(output.text)
    return data


def _with(last: str, *, more: str = "") -> Compiled:
    """Return the file of three equal stages and the stage *last*."""
    stages = ", ".join(f"{{ name: {name}, script: x, {_SHARED} }}" for name in ("a", "b", "c"))
    every = "[a], [b], [c], [last]"
    return compiled(
        f"{more}pipelines: {{ p: {{ stages: [{stages}, {{ name: last, {last} }}], execution: [{every}] }} }}"
    )


def test_shared_keys_move_to_default() -> None:
    """A timeout stays in the jobs, since GitLab ignores it in `default`."""
    raw = _raw(_with(f"script: x, {_SHARED}, timeout: 5 minutes"))

    assert raw["default"] == {
        "image": "alpine:3",
        "retry": 1,
        "interruptible": True,
        "cache": {"key": "k", "paths": ["x/"]},
    }
    assert raw["a"] == {"stage": "a, b and 2 more", "script": ["x"]}
    assert raw["last"] == {"stage": "a, b and 2 more", "timeout": "5 minutes", "script": ["x"]}


def test_a_job_that_differs_overrides_the_default() -> None:
    """A key that it lacks is empty, or excluded from inheritance."""
    assert _raw(_with("script: x, image: alpine:3"))["last"] == {
        "stage": "a, b and 2 more",
        "retry": 0,
        "interruptible": False,
        "cache": [],
        "script": ["x"],
    }
    data = _raw(_with("script: x, cache: { key: k, paths: [y/] }, interruptible: true"))["last"]
    assert data["inherit"] == {"default": ["interruptible"]}
    assert data["cache"] == {"key": "k", "paths": ["y/"]}


_TAGGED = "agent: [linux, fast]"


def _tagged(last: str, *, more: str = "") -> dict[str, Any]:
    """Return the file of three stages with tags and the stage *last*."""
    stages = ", ".join(f"{{ name: {name}, script: x, image: i, {_TAGGED} }}" for name in ("a", "b", "c"))
    return _raw(compiled(f"{more}pipelines: {{ p: {{ stages: [{stages}, {{ name: last, {last} }}] }} }}"))


def test_tags_that_most_jobs_share_move_to_default() -> None:
    """A job with other tags has its own, and one without tags does not inherit those of the others."""
    assert _tagged("script: x, image: i, agent: gpu")["default"] == {"image": "i", "tags": ["linux", "fast"]}
    assert _tagged("script: x, image: i, agent: gpu")["last"]["tags"] == ["gpu"]
    assert _tagged("script: x, image: i")["last"]["inherit"] == {"default": ["image"]}
    assert _tagged("script: x, image: i", more="targets: { gitlab: { tags: [own] } }\n")["a"]["tags"] == [
        "linux",
        "fast",
    ]


def test_jobs_of_other_files_get_no_tags() -> None:
    """There may be no runner with these."""
    data = _tagged("script: x, image: i", more="targets: { gitlab: { include: [{ local: own.yml }] } }\n")

    assert data["default"] == {"image": "i"}
    assert data["a"]["tags"] == ["linux", "fast"]


def test_images_of_hidden_jobs_do_not_move_to_default() -> None:
    """They take precedence over the default image."""
    output = _with("build: v, interruptible: true, retry: 1")

    assert output.data["last"]["image"].startswith("docker:")
    assert _raw(output)["last"]["cache"] == []


def test_raw_gitlab_keys_are_merged_with_shared_keys() -> None:
    """A job with such keys repeats the shared ones."""
    raw = _raw(_with(f"script: x, {_SHARED}, raw: {{ gitlab: {{ cache: {{ policy: pull }} }} }}"))
    assert raw["last"]["cache"] == {"key": "k", "paths": ["x/"], "policy": "pull"}

    raw = _raw(_with(f"script: x, {_SHARED}, raw: {{ gitlab: {{ inherit: {{ default: false }} }} }}"))
    assert "default" not in raw


def test_other_raw_keys_leave_shared_keys_in_default() -> None:
    """Those of a raw `extends` would replace these, so the job repeats them."""
    raw = _raw(_with(f"script: x, {_SHARED}, raw: {{ gitlab: {{ coverage: /x/, retry: 2 }} }}"))
    assert raw["last"] == {"stage": "a, b and 2 more", "retry": 2, "coverage": "/x/", "script": ["x"]}

    raw = _raw(_with(f"script: x, {_SHARED}, raw: {{ gitlab: {{ extends: .other }} }}"))
    assert raw["last"]["image"] == "alpine:3"


@pytest.mark.parametrize("key", ["image", "interruptible"])
def test_a_job_does_not_inherit_a_key_that_its_own_text_removes(key: str) -> None:
    """`null` removes what pipegen generates, wherever that is."""
    raw = _raw(_with(f"script: x, {_SHARED}, raw: {{ gitlab: {{ {key}: null }} }}"))

    assert key in raw["default"]
    assert key not in raw["last"]
    assert key not in raw["last"]["inherit"]["default"]


def test_helpers_and_bridges_do_not_inherit() -> None:
    """A helper gets the tags of the user; a bridge would get `interruptible`."""
    mail = "script: x, notify: { email: { to: [a@b.c] } }"
    more = "targets: { gitlab: { tags: [t], mail: {}, projects: { j: g/p } } }\n"
    raw = _raw(_with(mail, more=more))
    assert raw["mail when last fails"]["inherit"] == {"default": ["tags"]}

    raw = _raw(_with("trigger: { name: j }", more=more))
    assert raw["last"]["inherit"] == {"default": False, "variables": False}


def test_helpers_that_share_a_script_need_no_line_of_their_own() -> None:
    """Their hidden job does not inherit."""
    stages = ", ".join(f"{{ name: {name}, script: x, image: i }}" for name in ("lint", "unit", "pack", "sign", "ship"))
    keys = f"notify: {{ email: {{ to: [a@b.c] }} }}, stages: [{stages}]"
    raw = _raw(compiled(f"targets: {{ gitlab: {{ mail: {{}} }} }}\npipelines: {{ p: {{ {keys} }} }}"))

    assert raw["default"] == {"image": "i"}
    assert raw[".mail"]["inherit"] == {"default": False}
    assert "inherit" not in raw["mail when lint fails"]


def test_a_default_that_saves_no_line_is_not_generated() -> None:
    """Two jobs with one common key are shorter without it."""
    stages = "{ name: a, script: x, image: i }, { name: b, script: x, image: i }"
    raw = _raw(compiled(f"pipelines: {{ p: {{ stages: [{stages}] }} }}"))

    assert "default" not in raw
