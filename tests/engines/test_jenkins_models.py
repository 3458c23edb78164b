"""The harness runs the hand-written model outputs."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines.jenkins_harness import available, run
from engines.requirement import require

Repository = Callable[[Mapping[str, str | bytes]], Path]
_MODELS = Path(__file__).parents[3] / "shared" / "output" / "jenkins"


def _files(folder: Path) -> dict[str, str | bytes]:
    """Return small fake programs for those that the model pipeline calls."""
    record = '#!/bin/sh\nset -e\nname=${0##*/}\nprintf "[%s]" "$name" "$@" >>"$RECORD/$name"\n'
    build = 'mkdir -p "$1"\nprintf 1.2.3 >"$1/VERSION"\nprintf "%s\\n\\n" \'a $x `id` "q"\' >"$1/NOTES.md"\n'
    tool = 'printf \'#!/bin/sh\\necho app 1.2.3\\n\' >"$1/app"\nchmod 755 "$1/app"\n'
    folder.mkdir()
    return {
        "ci/lint": record, "ci/unit": record, "ci/docs": record, "ci/smoke": record, "ci/release": record,
        "ci/build": record + build + tool,
    }  # fmt: skip


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_the_model_pipeline_runs(repository: Repository, tmp_path: Path, style: str) -> None:
    """It keeps its order, passes its values byte for byte, and masks its secret."""
    require(available())
    model = _MODELS / f"service.{style}.Jenkinsfile"
    if not model.is_file():
        pytest.skip("the model outputs are not here")
    records = tmp_path / "records"
    build = run(
        model,
        repository(_files(records)),
        workdir=tmp_path / "build",
        agent_env={**os.environ, "RECORD": str(records)},
        credentials={"deploy-token": "s3cret"},
    )
    ends = {stage.name: stage.end for stage in build.stages}
    starts = {stage.name: stage.start for stage in build.stages}

    assert build.result == "SUCCESS"
    assert (records / "smoke").read_text() == '[smoke][1.2.3][a $x `id` "q"\n\n]'
    assert (records / "release").read_text() == "[release][1.2.3]"
    for before, after in (
        ("lint", "build"),
        ("build", "smoke"),
        ("unit", "smoke"),
        ("build", "docs"),
        ("docs", "release"),
    ):
        assert ends[before] <= starts[after]


def test_the_model_pipeline_skips_stages_after_a_failure(repository: Repository, tmp_path: Path) -> None:
    """If unit fails, docs runs, and stages that need unit are skipped."""
    require(available())
    model = _MODELS / "service.scripted.Jenkinsfile"
    if not model.is_file():
        pytest.skip("the model outputs are not here")
    records = tmp_path / "records"
    files = {**_files(records), "ci/unit": "#!/bin/sh\nexit 7\n"}
    environment = {**os.environ, "RECORD": str(records)}
    build = run(model, repository(files), workdir=tmp_path / "build", agent_env=environment)

    assert build.result == "FAILURE"
    assert {stage.name: stage.status for stage in build.stages} == {
        "lint": "success", "unit": "failed", "build": "success",
        "docs": "success", "smoke": "skipped", "release": "skipped",
    }  # fmt: skip
