"""The webhook of a pipeline posts its result on the engines; a local run posts nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, HERE, SCRIPTED, World, absent, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE, "here": HERE}
ODD = 'it\'s "$HOME" `id` \\ \t%s\nand\x1b ü'


def posted(name: str, containers: Containers, folder: Path, webhook: dict[str, object], script: str) -> list[object]:
    """Return the messages that a pipeline with *webhook* posts on the engine *name* when its only stage runs."""
    require(absent(ENGINES[name]))
    pipeline = {"notify": {"webhook": {"url": "chat", **webhook}}, "stages": [{"name": "a", "script": [script]}]}
    repository = worlds.repository(
        folder / "repository", files={CONFIG: yaml_text({"pipelines": {"p": pipeline}}), "texts": ODD}
    )
    world = World(
        containers=containers,
        repository=repository,
        folder=folder / "world",
        secrets={"chat": "https://chat.example.org/s3cret"},
    )
    done = execute(ENGINES[name], world)
    log = world.folder / "curl.log"
    calls = [json.loads(line)["arguments"] for line in log.read_text().splitlines()] if log.exists() else []

    assert done.outcomes["a"] == ("success" if script == "true" else "failed"), done.log
    assert not any("s3cret" in argument for call in calls for argument in call)
    return [json.loads(call[call.index("--data") + 1]) for call in calls]


@pytest.mark.parametrize("name", ["gitlab", "scripted", "declarative"])
@pytest.mark.parametrize(
    ("on", "script", "status"),
    [
        ("failure", "false", "failed"),
        ("failure", "true", None),
        ("success", "true", "success"),
        (["success", "failure"], "false", "failed"),
        ("always", "true", "success"),
    ],
)
def test_the_webhook_posts_the_result(
    containers: Containers, tmp_path: Path, name: str, on: object, script: str, status: str | None
) -> None:
    """Any text arrives as JSON, without control characters."""
    webhook: dict[str, object] = {"on": on, "text": f"{ODD} ${{pipeline.status}}", "field": "content"}
    expected = ODD.replace("\t", " ").replace("\x1b", "")

    assert posted(name, containers, tmp_path, webhook, script) == (
        [{"content": f"{expected} {status}"}] if status is not None else []
    )


def test_a_local_run_posts_nothing(containers: Containers, tmp_path: Path) -> None:
    """It does not require the secret either."""
    assert posted("here", containers, tmp_path, {"on": "always"}, "true") == []
