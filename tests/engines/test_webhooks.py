"""The webhook of a pipeline posts its result on the engines; a local run posts nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, HERE, SCRIPTED, World, absent, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require
from engines.sized import built

ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE, "here": HERE}
ODD = 'it\'s "$HOME" `id` \\ \t%s\nand\x1b ü'


def posted(
    name: str,
    containers: Containers,
    folder: Path,
    webhook: dict[str, object],
    script: str,
    *,
    is_of_stage: bool = False,
) -> list[object]:
    """Return the messages that a pipeline with *webhook* posts on the engine *name* when its only stage runs."""
    require(absent(ENGINES[name]))
    notify = {"notify": {"webhook": {"url": "chat", **webhook}}}
    stage = {"name": "a", "script": [script], **(notify if is_of_stage else {})}
    pipeline = {"stages": [stage], **({} if is_of_stage else notify)}
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


@pytest.mark.parametrize("name", ["gitlab", "scripted"])
@pytest.mark.parametrize(
    ("on", "script", "status"),
    [
        ("failure", "false", "failed"),
        ("failure", "true", None),
        ("success", "true", "success"),
        ("always", "false", "failed"),
    ],
)
def test_a_message_about_a_stage(
    containers: Containers, tmp_path: Path, name: str, on: object, script: str, status: str | None
) -> None:
    """It has the same form as a message about the pipeline."""
    webhook: dict[str, object] = {"on": on, "text": f"{ODD} ${{a.status}}"}
    expected = ODD.replace("\t", " ").replace("\x1b", "")

    assert posted(name, containers, tmp_path, webhook, script, is_of_stage=True) == (
        [{"text": f"{expected} {status}"}] if status is not None else []
    )


@pytest.mark.parametrize(
    ("before", "script", "count"),
    [
        ("FAILURE", "true", 1),
        ("ABORTED", "true", 1),
        ("SUCCESS", "true", 0),
        (None, "true", 0),
        ("FAILURE", "false", 0),
    ],
)
def test_what_is_fixed(
    repository: Callable[[Mapping[str, str | bytes]], Path],
    tmp_path: Path,
    before: str | None,
    script: str,
    count: int,
) -> None:
    """A success after a failed run is "fixed"."""
    require(jenkins_harness.available())
    stages = [{"name": "a", "script": [script]}]
    notify = {"webhook": {"url": "chat", "on": "fixed"}}
    config = yaml_text({"pipelines": {"p": {"notify": notify, "stages": stages}}})
    program = tmp_path / "bin" / "curl"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat >/dev/null\necho posted >>{tmp_path}/calls\n", "utf-8")
    program.chmod(0o755)
    options = jenkins_harness.Options(
        credentials={"chat": "https://chat.example.org/s3cret"},
        agent_env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"},
    )
    if before is not None:
        options["previous_result"] = before
    jenkins_harness.run(
        built(config, "scripted").text, repository({"pipegen.yaml": config}), workdir=tmp_path / "work", **options
    )
    calls = tmp_path / "calls"

    assert (len(calls.read_text("utf-8").splitlines()) if calls.exists() else 0) == count


def test_a_local_run_posts_nothing(containers: Containers, tmp_path: Path) -> None:
    """It does not require the secret either."""
    assert posted("here", containers, tmp_path, {"on": "always"}, "true") == []
