"""The example of a Python package completes on all engines with the same outcomes, values, files and reports.

`bin/python` replaces the programs that it calls, since nothing is fetched from a network.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from engines import gitlab_local, gitlab_schema, jenkins_harness
from engines.gitlab_local import Result
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, SCRIPTED, Engine, compiled
from engines.requirement import require

pytestmark = pytest.mark.xdist_group("python-example")

EXAMPLE = Path(__file__).parents[2] / "examples/python"
TOOLS = Path(__file__).parent / "bin/python"
STAGES = ("lint", "unit: 3.11", "unit: 3.12", "unit: 3.13", "build", "install", "release")
TAG = "v1.0.0"
PATH = f"{TOOLS}:{os.environ['PATH']}"
UPLOAD = (
    "uploading dist/calculator-1.0.0-py3-none-any.whl dist/calculator-1.0.0.tar.gz as __token__, password of 7 letters"
)
FILES = {
    "TESTED": "tested with:\nPython 3.12.8\nPython 3.12.8\nPython 3.12.8\n",
    "dist/calculator-1.0.0-py3-none-any.whl": "wheel\n",
    "dist/calculator-1.0.0.tar.gz": "source\n",
}


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of the example on an engine: outcomes by stage, downloadable files, and the log."""

    outcomes: Mapping[str, str]
    files: Mapping[str, str]
    log: str


def on_gitlab(text: str, checkout: Path, folder: Path) -> Ran:
    """Return the result of the tag's pipeline in which a person starts the release."""
    require(gitlab_local.available())
    variables = {"CI_COMMIT_TAG": TAG, "CI_COMMIT_REF_NAME": TAG, "CI_COMMIT_BRANCH": None, "PYPI_TOKEN": "hunter2"}
    done = gitlab_local.run(
        checkout, text, workdir=folder, variables=variables, env={"PATH": PATH}, manual=("release",)
    )
    words = {Result.SUCCESS: "success", Result.SKIPPED: "skipped"}
    paths = {
        path.relative_to(job.artifacts).as_posix(): path
        for job in done.jobs
        for path in sorted(job.artifacts.rglob("*"))
        if path.is_file()
    }
    outcomes = {gitlab_local.stage_name(job.name): words.get(job.result, "failed") for job in done.jobs}
    return Ran(outcomes, texts(paths), done.output)


def on_jenkins(text: str, checkout: Path, folder: Path) -> Ran:
    """Return the result of the tag's build in which a person approves."""
    require(jenkins_harness.available())
    done = jenkins_harness.run(
        text,
        checkout,
        workdir=folder,
        agent_env={**os.environ, "PATH": PATH},
        env={"TAG_NAME": TAG},
        credentials={"pypi-token": "hunter2"},
    )
    stages = {stage.name: stage.status for stage in done.stages}
    return Ran({name: stages[name] for name in STAGES if name in stages}, texts(done.archived), done.log)


def texts(files: Mapping[str, Path]) -> dict[str, str]:
    """Return the user's files by name, without pipegen's internal ones."""
    return {name: path.read_text("utf-8") for name, path in files.items() if not name.startswith(".")}


RUNS: Mapping[str, tuple[Engine, Callable[[str, Path, Path], Ran]]] = {
    "gitlab": (GITLAB_LOCAL, on_gitlab),
    "scripted": (SCRIPTED, on_jenkins),
    "declarative": (DECLARATIVE, on_jenkins),
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """Return the result of the example on the engine of that name."""

    @cache
    def give(name: str) -> Ran:
        folder = tmp_path_factory.mktemp(f"python-{name}")
        config = (EXAMPLE / "pipegen.yaml").read_text("utf-8")
        checkout = worlds.repository(folder / "repository", EXAMPLE, {CONFIG: config})
        engine, run = RUNS[name]
        (folder / "run").mkdir()
        return run(compiled(engine, checkout, {}), checkout, folder / "run")

    return give


@pytest.mark.parametrize("name", RUNS)
def test_the_example_completes_on_every_engine(name: str, ran: Callable[[str], Ran]) -> None:
    """Every stage and combination succeeds, including the release with its secret, which is masked in the log."""
    done = ran(name)

    assert done.outcomes == dict.fromkeys(STAGES, "success"), done.log
    assert UPLOAD in done.log
    assert "publishing 1.0.0" in done.log
    assert "hunter2" not in done.log


@pytest.mark.parametrize("name", RUNS)
def test_the_example_has_the_same_artifacts_on_every_engine(name: str, ran: Callable[[str], Ran]) -> None:
    """The built package, and the output of the combinations."""
    files = ran(name).files

    assert {path: files[path] for path in FILES} == FILES


def test_the_example_has_the_same_reports_on_every_engine(tmp_path: Path) -> None:
    """Each engine receives each report in its own format."""
    config = (EXAMPLE / "pipegen.yaml").read_text("utf-8")
    checkout = worlds.repository(tmp_path / "repository", EXAMPLE, {CONFIG: config})
    gitlab, scripted, declarative = (compiled(engine, checkout, {}) for engine in (GITLAB_LOCAL, SCRIPTED, DECLARATIVE))

    assert gitlab_schema.check(gitlab) == ()
    for text, words in (
        (gitlab, ("junit:", "coverage_report:", "codequality:", "coverage: /TOTAL")),
        (scripted, ("junit ", "recordCoverage ", "recordIssues ")),
        (declarative, ("junit ", "recordCoverage ", "recordIssues ")),
    ):
        for word in (*words, "reports/junit.xml", "reports/coverage.xml", "codequality.json"):
            assert word in text
