"""Scripts that jobs share: `before_script` and `after_script` of `default` and of hidden jobs."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled
from yaml_data import yaml_data


def _data(*stages: str, settings: str = "", keys: str = "") -> dict[str, Any]:
    """Return the data of a file with a pipeline of *stages*, with its *keys* and other *settings*."""
    config = f"{settings}\npipelines: {{ p: {{ {keys} stages: [{', '.join(f'{{ {stage} }}' for stage in stages)}] }} }}"
    data: dict[str, Any] = yaml_data(compiled(config).text)
    return data


_SHARED = ("name: a, script: [x, y, a]", "name: b, script: [x, y, b]", "name: c, script: [x, y, c, d]")


def test_commands_with_which_nearly_all_scripts_begin_are_in_default() -> None:
    """A job with another script has an empty value."""
    data = _data(*_SHARED, "name: e, script: [x, e]")

    assert data["default"] == {"before_script": ["x", "y"]}
    assert [data[name]["script"] for name in "abce"] == [["a"], ["b"], ["c", "d"], ["x", "e"]]
    assert [data[name].get("before_script") for name in "abce"] == [None, None, None, []]


def test_each_script_keeps_a_command() -> None:
    """GitLab refuses a job without a script."""
    data = _data("name: a, script: [w, x, y]", "name: b, script: [w, x, y, b]", "name: c, script: [w, x, y, c]")

    assert data["default"] == {"before_script": ["w", "x"]}
    assert data["a"]["script"] == ["y"]


def test_commands_that_save_few_lines_stay_in_the_scripts() -> None:
    """A reader finds the whole script in the job."""
    data = _data("name: a, script: [x, a]", "name: b, script: [x, b, c]")

    assert "default" not in data
    assert data["a"]["script"] == ["x", "a"]


def test_commands_of_some_scripts_are_in_a_hidden_job() -> None:
    """Most jobs would have an empty value in place of the default."""
    start = "p, q, r, s, t, u, v"
    data = _data(
        *(f"name: {name}, script: [{start}, {name}], after: [z]" for name in "ab"),
        *(f"name: {name}, script: {name}" for name in "cde"),
    )

    assert data[".scripts-a"] == {"before_script": start.split(", "), "after_script": ["z"]}
    assert data["a"] == {"extends": ".scripts-a", "stage": "a", "script": ["a"]}
    assert data["c"]["script"] == ["c"]


def test_jobs_with_different_commands_after_their_scripts_share_the_start() -> None:
    """Each keeps its own `after_script`."""
    start = "p, q, r, s, t, u, v"
    data = _data(
        *(f"name: {name}, script: [{start}, {name}], after: [end {name}]" for name in "ab"),
        *(f"name: {name}, script: {name}" for name in "cde"),
    )

    assert data[".scripts-a"] == {"before_script": start.split(", ")}
    assert data["b"]["extends"] == ".scripts-a"
    assert data["b"]["after_script"] == ["end b"]


def test_commands_after_those_of_the_tools_are_with_these() -> None:
    """They are the same for all jobs with these tools."""
    keys: dict[str, str] = {
        "settings": "inputs: { x: { pattern: 'a*', default: '' } }",
        "keys": "blubberfile: Dockerfile,",
    }
    stages = [f"name: s{number}, build: '{number}-${{inputs.x}}'" for number in (1, 2)]
    data = _data(*stages, "name: other, script: x", "name: last, script: y", **keys)
    shared = _data(*stages, "name: b, build: test", **keys)

    assert "does not match" in data[".docker"]["before_script"][-1]
    assert [len(data[name]["script"]) for name in ("s1", "s2")] == [1, 1]
    assert "does not match" not in str(shared.get("default", shared.get(".docker")))


def test_several_groups_of_jobs_have_hidden_jobs() -> None:
    """No group is large enough for the default, which a job of another group would get."""
    data = _data(
        *(
            f"name: {group}{number}, script: [{group} 1, 2, 3, 4, 5, 6, 7, {number}]"
            for group in "ab"
            for number in (1, 2)
        )
    )

    assert [name for name in data if name.startswith(".")] == [".scripts-a1", ".scripts-b1"]
    assert data["b2"] == {"extends": ".scripts-b1", "stage": "b2", "needs": ["b1"], "script": ["2"]}


def test_commands_after_nearly_all_scripts_are_in_default() -> None:
    """A stage without `after` has an empty value."""
    data = _data(*(f"name: {name}, script: {name}, after: [x, y]" for name in "abc"), "name: d, script: d")

    assert data["default"] == {"after_script": ["x", "y"]}
    assert [data[name].get("after_script") for name in "abcd"] == [None, None, None, []]


def test_helper_jobs_get_no_shared_commands() -> None:
    """They need neither the tools nor the files of the user's commands."""
    data = _data(
        *_SHARED,
        *(f"name: {name}, script: [x, y, {name}]" for name in "de"),
        settings="targets: { gitlab: { mail: {} } }",
        keys="notify: { email: { to: [t@example.org] } },",
    )

    assert data["default"] == {"before_script": ["x", "y"]}
    assert data["mail when a fails"]["inherit"] == {"default": False}


def test_jobs_of_the_users_own_files_get_no_shared_commands() -> None:
    """`default` would add the commands to their jobs, too."""
    data = _data(*_SHARED, settings="targets: { gitlab: { include: [{ local: other.yml }] } }")

    assert "default" not in data
    assert data["a"]["script"] == ["x", "y", "a"]


def test_jobs_with_scripts_in_raw_keep_those_of_others_whole() -> None:
    """A job with a raw `extends` may get a `before_script` from there, which the default does not replace."""
    data = _data(*_SHARED, "name: d, script: d, raw: { gitlab: { extends: .mine } }")

    assert "default" not in data
    assert data["a"]["script"] == ["x", "y", "a"]


def test_commands_of_a_pipeline_are_in_its_hidden_job() -> None:
    """In a file of several pipelines, `default` has no scripts."""
    pipelines = ", ".join(f"{name}: {{ stages: [{{ {'}, {'.join(_SHARED)} }}] }}" for name in ("one", "two"))
    data = yaml_data(compiled(f"pipelines: {{ {pipelines} }}").text)

    assert data[".one"]["before_script"] == ["x", "y"]
    assert data["one: c"]["script"] == ["c", "d"]
    assert data["two: a"]["extends"] == ".two"
    assert "default" not in data


def test_jobs_that_differ_in_a_secret_share_the_commands_after_it() -> None:
    """GitLab runs `before_script` and `script` as one script, so that the secrets stay in the jobs."""
    script = "image: x, script: [helm repo update, helm lint, helm upgrade, ./smoke]"
    stages = [f"name: {name}, secrets: {{ TOKEN: {name}-token }}, {script}" for name in ("dev", "test", "live")]
    data = _data(*stages, "name: other, script: [one, ./smoke]")

    assert data[".shared-dev"] == {
        "image": "x",
        "script": ["helm repo update", "helm lint", "helm upgrade", "./smoke"],
    }
    assert data["live"]["extends"] == ".shared-dev"
    assert data["live"]["before_script"] == ['export TOKEN="${LIVE_TOKEN:?add the CI/CD variable LIVE_TOKEN}"']
    assert "script" not in data["live"]
    assert data["other"]["script"] == ["one", "./smoke"]


@pytest.mark.parametrize("more", [(), ("name: b, script: [one, two, six]", "name: c, script: [one, seven]")])
def test_equal_scripts_stay_whole(more: tuple[str, ...]) -> None:
    """They are in a hidden job as they are, also if others begin alike."""
    data = _data(*(f"name: a{number}, script: [one, two, three, four, five]" for number in range(4)), *more)

    assert data[".script-a0"] == {"script": ["one", "two", "three", "four", "five"]}
    assert data["a1"]["extends"] == ".script-a0"
    assert "default" not in data
