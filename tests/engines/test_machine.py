"""Where stages run, and with what, is the same on all engines."""

from pathlib import Path

import pytest
from engines import gitlab_local, jenkins_harness
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, SCRIPTED, Engine, Execution, World, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

pytestmark = pytest.mark.xdist_group("machine")

ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE}


def executed(
    engine: Engine,
    containers: Containers,
    folder: Path,
    stages: list[dict[str, object]],
    arcs: list[list[str]],
) -> Execution:
    """Return what comes of *stages*; they note things in `notes` of *folder*."""
    require((gitlab_local if engine.target == "gitlab" else jenkins_harness).available())
    (folder / "notes").mkdir()
    alone = [[str(stage["name"])] for stage in stages]
    text = yaml_text({"pipelines": {"p": {"stages": stages, "execution": [*alone, *arcs]}}})
    world = World(
        containers=containers,
        repository=worlds.repository(folder / "repository", files={CONFIG: text}),
        folder=folder / "world",
        variables={"NOTES": str(folder / "notes")},
    )
    return execute(engine, world)


BASH = """\
words=(one 'two three')
[[ ${words[1]} == two* && two =~ ^(t|x)wo$ ]]
cat <(printf '%s|' "${words[@]}") >"$NOTES/words"
printf %s $'a\\tb ${.stage}' "${BASH_VERSION:+bash}" >"$NOTES/ansi"
"""


@pytest.mark.parametrize("name", ENGINES)
def test_bash_has_pipefail_and_its_own_syntax(containers: Containers, tmp_path: Path, name: str) -> None:
    """What bash alone can read reaches it; a pipe fails with any of its commands, in what is measured too."""
    stages: list[dict[str, object]] = [
        {"name": "syntax", "shell": "bash", "script": [BASH], "env": {"A": "${setup.pipeline}"}},
        {"name": "script", "shell": "bash", "script": ["false | true"]},
        {"name": "measured", "shell": "bash", "script": ["true"], "outputs": {"x": {"command": "false | echo x"}}},
        {"name": "reader", "script": ["echo ${measured.x}"]},
        {"name": "fine", "script": ["false | true"]},
    ]

    done = executed(ENGINES[name], containers, tmp_path, stages, [["measured", "reader"]])

    expected = {"syntax": "success", "script": "failed", "measured": "failed", "reader": "skipped", "fine": "success"}
    assert done.outcomes == expected, done.log
    assert (tmp_path / "notes/words").read_text("utf-8") == "one|two three|"
    assert (tmp_path / "notes/ansi").read_text("utf-8") == "a\tb syntaxbash"
