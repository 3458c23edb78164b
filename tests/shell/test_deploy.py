"""Installations of charts."""

from __future__ import annotations

import pytest
import yaml
from shell.world import World, host, plan_of

SOURCE = {"name": "a", "build": "x", "run": {"tail": 9}}


def deploy(**keys: object) -> dict[str, object]:
    """Return a stage that deploys."""
    return {"name": "t", "deploy": {"image": "app", "tag": "v1", "chart": {"name": "c"}} | keys}


def test_deploy_has_default_values(world: World) -> None:
    """The chart gets registry, policy, image and tag; the release is tested and uninstalled."""
    result = world.run_job(plan_of([deploy()]), "t", host())

    path = world.kept
    assert result.calls[0][:9] == [
        "helm",
        "install",
        "pipegen-7",
        "c",
        "--namespace",
        "ci",
        "--repo",
        "https://charts.example/",
        "--values",
    ]
    assert result.calls[0][-4:] == ["--debug", "--wait", "--timeout", "120s"]
    assert (path / "docker.registry").read_text() == "registry.example"
    assert yaml.safe_load((path / "values.yaml").read_text()) == {
        "docker": {"pull_policy": "IfNotPresent"},
        "main_app": {"image": "repo/app", "version": "v1"},
    }
    assert result.calls[1:] == [
        ["helm", "test", "pipegen-7", "--namespace", "ci"],
        ["helm", "uninstall", "pipegen-7", "--namespace", "ci"],
    ]


def test_overrides_take_precedence_over_defaults(world: World) -> None:
    """Key by key; run-time values are passed in files."""
    overrides = {
        "docker": {"registry": "mine", "pull_policy": "${a.output}", "more": [1]},
        "main_app": {"version": 1.10},
        "on": "yes",
    }
    world.give("a", "output", "Always")

    world.run_job(plan_of([SOURCE, deploy(overrides=overrides)]), "t", host())

    assert (world.kept / "docker.pull_policy").read_text() == "Always"
    assert not (world.kept / "docker.registry").exists()
    assert yaml.safe_load((world.kept / "values.yaml").read_text()) == {
        "docker": {"registry": "mine", "more": [1]},
        "main_app": {"image": "repo/app", "version": 1.1},
        "on": "yes",
    }


def test_an_override_that_is_not_a_map_replaces_the_default(world: World) -> None:
    """It replaces the whole map."""
    world.run_job(plan_of([deploy(overrides={"docker": "none", "main_app": None})]), "t", host())

    assert yaml.safe_load((world.kept / "values.yaml").read_text()) == {"docker": "none", "main_app": None}
    assert not (world.kept / "docker.registry").exists()


@pytest.mark.parametrize("chart", ["--post-renderer=x", "c d", "$(id)"])
def test_a_run_time_chart_cannot_become_an_option(world: World, chart: str) -> None:
    """It follows the end of the options."""
    world.give("a", "output", chart)

    result = world.run_job(plan_of([SOURCE, deploy(chart={"name": "${a.output}"}, test=False)]), "t", host())

    assert result.calls[0][-2:] == ["--", chart]
    assert [call[1] for call in result.calls] == ["install", "uninstall"]


def test_version_and_timeout_may_be_run_time_values(world: World) -> None:
    """A constant timeout is in seconds."""
    world.give("a", "output", "0.1.2")
    data = deploy(chart={"name": "c", "version": "${a.output}"}, timeout=300)

    result = world.run_job(plan_of([SOURCE, data]), "t", host())

    call = result.calls[0]
    assert call[call.index("--version") + 1] == "0.1.2"
    assert call[-1] == "300s"


def test_a_release_that_others_read_is_kept(world: World) -> None:
    """Its name is unique to the run; one that an earlier attempt left is uninstalled first."""
    reader = {"name": "r", "build": "x", "run": {"arguments": ["${t.releaseName}"]}}

    result = world.run_job(plan_of([deploy(), reader]), "t", host())

    assert [call[1:3] for call in result.calls] == [
        ["uninstall", "pipegen-3-t"],
        ["install", "pipegen-3-t"],
        ["test", "pipegen-3-t"],
    ]
    assert world.output("t", "releaseName") == "pipegen-3-t"


def test_a_failing_test_fails_the_stage(world: World) -> None:
    """The release is still uninstalled."""
    world.variables["FAKE_FAIL"] = "test=3"

    result = world.run_job(plan_of([deploy()]), "t", host())

    assert result.status == (1 if world.shell == "runner" else 3)
    assert result.calls[-1][1] == "uninstall"
