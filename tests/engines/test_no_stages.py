"""A config without stages: Jenkins accepts its file, and the build has no effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.requirement import require

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import jenkins

Repository = Callable[[Mapping[str, str | bytes]], Path]
EMPTY = "pipelines:\n  test: {stages: []}\n"


@pytest.mark.parametrize("style", ["auto", "declarative", "scripted"])
def test_a_build_without_stages_succeeds(style: str, repository: Repository, tmp_path: Path) -> None:
    """In both styles, even if the path of the config contains Groovy syntax."""
    require(jenkins_harness.available())
    file = SourceFile("it's $5/pipegen.yaml", EMPTY)
    (generated_file,) = generate(analyse(file, (), Report()), jenkins, {"style": style}, Report())
    build = jenkins_harness.run(generated_file.text, repository({"a": ""}), workdir=tmp_path / "build")

    assert jenkins_harness.validate({style: generated_file.text}) == {style: ()}
    assert build.result == "SUCCESS"
