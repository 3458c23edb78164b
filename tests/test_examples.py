"""Each folder of `examples/` is what a newcomer tries first: it compiles, as it stands, for both targets."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from cli.calling import process

EXAMPLES = sorted(path for path in (Path(__file__).parents[1] / "examples").iterdir() if path.is_dir())

# The warnings that may be seen, by example: GitLab sends mails only where the config says how, and Jenkins starts no
# stage later that takes an environment down.
WARNINGS = {"linear": {"PG624"}, "node": {"PG619"}, "services": {"PG624"}}

TARGETS = ("--target", "gitlab", "--target", "jenkins")


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.name)
def example(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of an example, which is in no repository."""
    source: Path = request.param
    return Path(shutil.copytree(source, tmp_path / source.name))


def test_an_example_compiles_and_stays_fresh(example: Path) -> None:
    """Nothing is told of it but what is expected, and what was written is what the config says."""
    compiled = process("compile", *TARGETS, "--format", "json", at=example)
    told = [one for one in json.loads(compiled.stderr)["diagnostics"] if one["severity"] != "info"]
    checked = process("compile", *TARGETS, "--check", "--format", "json", at=example)

    assert compiled.returncode == 0
    assert {one["code"] for one in told} == WARNINGS.get(example.name, set())
    assert {path.name for path in example.iterdir()} >= {".gitlab-ci.yml", "Jenkinsfile"}
    assert (checked.returncode, checked.stderr) == (0, "")


def test_an_example_holds_its_blubberfiles(example: Path) -> None:
    """Those that its stages build from are there; of PipelineLib's examples, nothing else beside the config is."""
    compiled = process("compile", "--target", "gitlab", "--output", "-", at=example).stdout
    folder = example / ".pipeline"
    held = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    assert held - {"config.yaml"} == set(re.findall(r"<\S*\.pipeline/(\S+\.yaml)", compiled))
    assert not held or [path.name for path in example.iterdir()] == [".pipeline"]


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda path: path.name)
def test_an_example_keeps_no_generated_file(source: Path) -> None:
    """A newcomer makes them; and what the larger ones show stands in a few lines beside them."""
    is_pipelinelibs = (source / ".pipeline").is_dir()

    assert not {".gitlab-ci.yml", "Jenkinsfile"} & {path.name for path in source.iterdir()}
    assert is_pipelinelibs or {"README.md", "pipegen.yaml"} <= {path.name for path in source.iterdir()}


def test_every_listed_example_is_there() -> None:
    """A warning that is expected of no example hides nothing."""
    assert set(WARNINGS) <= {path.name for path in EXAMPLES}
