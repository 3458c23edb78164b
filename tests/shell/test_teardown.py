"""The removal of resources that jobs keep for each other."""

from __future__ import annotations

from shell.world import World, host, plan_of

from pipegen.shell.host import Images
from pipegen.shell.teardown import teardown

STAGES = [
    {"name": "a"},
    {
        "name": "b",
        "run": {"image": "${a.imageID}"},
        "copy": [{"from": "${a.container}", "source": "/f", "destination": "f"}],
    },
    {"name": "c", "deploy": {"image": "i", "tag": "t", "chart": {"name": "c"}}},
    {"name": "d", "build": "x", "run": {"arguments": ["${c.releaseName}"]}},
]


def test_all_kept_resources_are_removed(world: World) -> None:
    """By name; a failing removal does not prevent the others."""
    world.variables["FAKE_FAIL"] = "rm=1"
    commands = teardown(plan_of(STAGES).jobs, host())

    result = world.run("".join(f"{line}\n" for command in commands for line in command.lines))

    assert result.status == 0
    assert result.calls == [
        ["helm", "uninstall", "pipegen-3-c", "--namespace", "ci"],
        ["rm", "--force", "--volumes", "pipegen-3-a"],
        ["rmi", "--no-prune", "localhost/pipegen-3-a"],
    ]


def test_passed_on_resources_need_no_removal() -> None:
    """Images in a registry and packed containers."""
    commands = teardown(plan_of(STAGES[:2]).jobs, host(images=Images.REGISTRY, shares_daemon=False))

    assert commands == ()
