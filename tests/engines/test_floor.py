"""What the benchmark's floor writes runs as what pipegen writes does: one that left out what is needed is too low."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from benchmarks import workload
from engines import gitlab_local
from engines.gitlab_schema import check
from engines.requirement import require

from pipegen.compiler import compile_file
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry

PROGRAM = Path(workload.__file__).parent / "floor.py"
STAGES = 6


def by_floor(config: str, folder: Path) -> str:
    """Return what the floor makes of *config*."""
    (folder / "pipegen.yaml").write_text(config, encoding="utf-8")
    command = [sys.executable, str(PROGRAM), "pipegen.yaml", "floor.yml"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "floor.yml").read_text(encoding="utf-8")


def by_pipegen(config: str, _folder: Path) -> str:
    """Return what pipegen makes of *config*."""
    (file,) = compile_file(SourceFile("pipegen.yaml", config), registry.load("gitlab"), {}, (), Report())
    return file.text


@pytest.mark.parametrize("made_by", [by_floor, by_pipegen])
def test_stages_of_the_workload_print_the_values_of_those_before_them(
    made_by: Callable[[str, Path], str], repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """Two layers and a half of the workload, executed."""
    require(gitlab_local.available())
    text = made_by(workload.config(STAGES), tmp_path)
    assert check(text) == ()
    (tmp_path / "run").mkdir()

    run = gitlab_local.run(repository({"README": "x"}), text, workdir=tmp_path / "run")

    assert {job.name for job in run.jobs} == {stage.name for stage in workload.stages(STAGES)}
    for stage in workload.stages(STAGES):
        assert run[stage.name].result is gitlab_local.Result.SUCCESS, run.output
        assert stage.command.removeprefix("echo ") in map(str.strip, run[stage.name].log.splitlines())
