"""`pipegen init` writes a starter config."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import Pipegen, environment, names

from pipegen.cli.starter_config import KINDS, inspect

PROGRAM = (sys.executable, "-c", "from pipegen.__main__ import main; main()", "init")
# The meaning of changed paths on GitLab, which is reported for any path filter.
EXPECTED_CODES = {"monorepo": "PG630"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_starter_config_compiles(kind: str, empty: Path, pipegen: Pipegen) -> None:
    """It compiles for both engines without options, and with hardly any diagnostics."""
    assert pipegen("init", "--template", kind).status == 0
    assert names(empty) == {"pipegen.schema.json"}
    compiled = pipegen("compile", "--format", "concise", "--strict")

    assert compiled.status == 0
    assert all(EXPECTED_CODES[kind] in line for line in compiled.err.splitlines())
    # A mutable version of an image is a note, for users who want digests.
    checked = [line for line in pipegen("check", "--format", "concise").out.splitlines() if "PG716" not in line]
    assert all(EXPECTED_CODES[kind] in line for line in checked)
    assert names(empty) == {"pipegen.schema.json", ".gitlab-ci.yml", "Jenkinsfile"}


def test_the_first_line_names_the_schema(empty: Path, pipegen: Pipegen) -> None:
    """It names the file next to the config, which is the output of `pipegen schema`."""
    pipegen("init", "--template", "go")
    first = (empty / "pipegen.yaml").read_text(encoding="utf-8").splitlines()[0]
    name = first.removeprefix("# yaml-language-server: $schema=")

    assert json.loads((empty / name).read_text(encoding="utf-8")) == json.loads(pipegen("schema").out)


@pytest.mark.parametrize(
    ("files", "kind", "tool"),
    [
        (["pyproject.toml"], "python", "maven"),
        (["package.json", "Dockerfile"], "node", "maven"),
        (["go.mod"], "go", "maven"),
        (["build.gradle.kts"], "java", "gradle"),
        (["pom.xml"], "java", "maven"),
        ([".pipeline/blubber.yaml"], "container", "maven"),
        (["shop/go.mod", "site/package.json", "docs/index.md"], "monorepo", "maven"),
        (["README.md", "one/go.mod"], None, "maven"),
    ],
)
def test_files_decide_the_kind_of_project(files: list[str], kind: str | None, tool: str, empty: Path) -> None:
    """They also decide the build tool."""
    for name in files:
        (empty / name).parent.mkdir(exist_ok=True)
        (empty / name).touch()
    config = inspect(empty)

    assert (config.kind, config.tool) == (kind, tool)


def test_a_monorepo_has_stages_for_its_folders(empty: Path, pipegen: Pipegen) -> None:
    """A folder whose name needs quoting is left out."""
    for name in ("shop", "site", "-rf ${x}"):
        (empty / name).mkdir()
        (empty / name / "go.mod").touch()
    (empty / "Jenkinsfile").write_text("// by hand\n", encoding="utf-8")
    assert pipegen("init").status == 0
    plan = json.loads(pipegen("plan", "--format", "json").out)

    stages = [job["stage"] for job in plan["pipelines"][0]["jobs"]]
    assert stages == ["test shop", "build shop", "test site", "build site", "release"]
    assert (empty / "pipegen.yaml").read_text(encoding="utf-8").endswith("\n  jenkins: {}\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read all folders")
def test_a_closed_folder_contains_no_project(empty: Path, pipegen: Pipegen) -> None:
    """The other folders decide the kind of project."""
    (empty / "go.mod").touch()
    (empty / "closed").mkdir(mode=0)

    assert pipegen("init").status == 0


def test_an_existing_config_is_not_overwritten(here: Path, pipegen: Pipegen) -> None:
    """The option `--force` overwrites it."""
    before = (here / "pipegen.yaml").read_bytes()
    refused = pipegen("init", "--template", "go")

    assert (refused.status, '"pipegen.yaml" exists already' in refused.err) == (2, True)
    assert (here / "pipegen.yaml").read_bytes() == before
    assert pipegen("init", "--template", "go", "--force").status == 0
    assert (here / "pipegen.yaml").read_bytes() != before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "unknown kind of project: name it with --template: python, node,"),
        (["--template", "rust"], '--template takes "python", "node"'),
        (["--template", "go", "--target", "circle"], "circle"),
    ],
)
def test_invalid_options_are_wrong_usage(arguments: list[str], words: str, empty: Path, pipegen: Pipegen) -> None:
    """The message is one line, and nothing is written."""
    result = pipegen("init", *arguments)

    assert (result.status, words in result.err) == (2, True)
    assert names(empty) == set()


@pytest.mark.slow
def test_a_terminal_user_is_asked(empty: Path) -> None:
    """Invalid answers are asked for again; an empty one selects the detected value."""
    (empty / "go.mod").touch()
    terminal, end = pty.openpty()
    with subprocess.Popen(PROGRAM, cwd=empty, env=environment(), stdin=end, stdout=end, stderr=end) as process:
        os.close(end)
        os.write(terminal, b"rust\n\ngitlab\n")
        assert process.wait(60) == 0
    shown = os.read(terminal, 10_000).decode()
    os.close(terminal)

    assert "Which kind of project is this? (python, node, go, java, container, monorepo) [go]:" in shown
    assert '"rust" is none of these' in shown
    assert "a starter config for a command in Go on gitlab" in shown
    assert (empty / "pipegen.yaml").read_text(encoding="utf-8").endswith("\n  gitlab: {}\n")


def test_an_empty_config_is_replaced(empty: Path, pipegen: Pipegen) -> None:
    """A config with text is not."""
    config = empty / "pipegen.yaml"
    config.touch()
    assert pipegen("init", "--template", "python", "--target", "gitlab").status == 0
    written = config.read_text()

    assert "pipelines:" in written
    assert pipegen("init", "--template", "go", "--target", "gitlab").status == 2
    assert config.read_text() == written
