"""The benchmark's baseline program does everything that the workload requires; otherwise its figures would mislead."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from benchmarks import workload

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry

PROGRAM = Path(workload.__file__).parent / "baseline.py"


def compile_with_baseline(config: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile *config* to out.yml in *folder* with the baseline."""
    (folder / "pipegen.yaml").write_text(config, encoding="utf-8")
    command = [sys.executable, str(PROGRAM), "pipegen.yaml", "out.yml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def jobs(text: str) -> dict[str, tuple[str, list[str]]]:
    """Return the image and the needed jobs of each job of the pipeline *text*."""
    document = yaml.safe_load(text)
    image = document.get("default", {}).get("image", "")
    return {
        name: (
            job.get("image", image),
            [need["job"] if isinstance(need, dict) else need for need in job.get("needs", ())],
        )
        for name, job in document.items()
        if isinstance(job, dict) and "script" in job
    }


@pytest.mark.slow
@pytest.mark.parametrize("stages", [1, 10, 300])
def test_the_baseline_generates_the_same_jobs(stages: int, tmp_path: Path) -> None:
    """The needs and images are the same; its scripts are simpler."""
    config = workload.config(stages)
    (file,) = generate(analyse(SourceFile("pipegen.yaml", config), (), Report()), registry.load("gitlab"), {}, Report())
    ended = compile_with_baseline(config, tmp_path)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert jobs((tmp_path / "out.yml").read_text(encoding="utf-8")) == jobs(file.text)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("image: ", "imag: ", "line 4: unknown key"),
        ("name: s1\n", "name: s0\n", "line 8: no name, or one that is taken"),
        ("[s0, s5]", "[s0, s55]", "line 45: unknown stage"),
        ("[s0, s5]", "[s0, s5, s0]", "a cycle: s0 -> s5 -> s0"),
        ("${s0.value}", "${s6.value}", "line 24: s6.value is not there yet"),
        ('echo "s5 ', "echo s5 ", "${s0.value} stands outside quotes"),
        ("{ command: echo s0 }", "[echo s0]", "line 7: not a map"),
        ("alpine:3.20", "3.20", "line 5: not text"),
    ],
)
def test_the_baseline_reports_the_same_errors(old: str, new: str, expected: str, tmp_path: Path) -> None:
    """Its messages are shorter."""
    config = workload.config(10)
    assert old in config

    ended = compile_with_baseline(config.replace(old, new, 1), tmp_path)

    assert (ended.returncode, ended.stderr.strip()) == (1, expected)
    assert not (tmp_path / "out.yml").exists()
