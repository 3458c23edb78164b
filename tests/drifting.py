"""A repository in which a generated file and its config differ in one way."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import chdir
from pathlib import Path

from pipegen.cli.files.drift import CheckResult, check_results, regenerate_all
from pipegen.cli.files.repository import Repository
from pipegen.compiler import analyse, generate
from pipegen.config.files.load import load
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report
from pipegen.targets import registry


def drifted(folder: Path, how: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics for the files generated from the config in *folder* after the change *how*."""
    with tempfile.TemporaryDirectory() as name, chdir(name):
        config, path = Path("pipeline.yml"), Path(".gitlab-ci.yml")
        shutil.copy(folder / config, config)
        compile_to(config, {"split": "unit"} if how == "uncut" else {})
        match how:
            case "edited":
                path.write_text(path.read_text("utf-8").replace("make check", "make all"), "utf-8")
            case "stale":
                config.write_text(config.read_text("utf-8").replace("make check", "make all"), "utf-8")
            case "renamed":
                config.rename("ci.yml")
            case "deleted":
                config.unlink()
            case "uncut":
                compile_to(config, {})
        result = CheckResult(Report())
        for results in regenerate_all(Repository(Path.cwd()), result):
            check_results(results, result, "pipegen compile --all")
        return result.report.diagnostics()


def compile_to(config: Path, options: dict[str, str]) -> None:
    """Compile *config* for GitLab into the current folder."""
    report = Report()
    for file in generate(analyse(load(config, report), (), report), registry.load("gitlab"), options, report):
        Path(file.name).parent.mkdir(exist_ok=True)
        Path(file.name).write_text(file.text, "utf-8")
