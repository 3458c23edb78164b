"""Runs after runs: what is reused, and what is gone on with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.program import Pipegen, environment

CONFIG = """\
pipelines:
  service:
    stages:
      - name: generate
        script: ['echo generate >>ran; sort src/words >generated']
        outputs: { words: { file: generated } }
        artifacts: [generated]
        reuse: { files: [src/] }
      - name: build
        script: ['echo build >>ran; cat generated >built; echo "${generate.words}" >>built']
        outputs: { version: { command: cat VERSION } }
        artifacts: [built]
        reuse: { files: [VERSION], env: [MODE] }
      - name: test
        script: ['echo test >>ran; test "${build.version}" -lt "${LIMIT:-100}"']
        reuse: true
      - name: note
        script: ['echo note >>ran; wc -c <built']
"""


@pytest.fixture
def project(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a config whose stages write their names to `ran`; all that runs keep is beside it."""
    folder = empty / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "pipegen.yaml").write_text(CONFIG)
    (folder / "src/words").write_text("b\na\n")
    (folder / "VERSION").write_text("1\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(empty / "cache"))
    subprocess.run(["git", "init", "-q", "."], check=True)
    return folder


def ran(folder: Path) -> list[str]:
    """Return the stages that have run since this was asked last."""
    path = folder / "ran"
    found = path.read_text().split() if path.exists() else []
    path.unlink(missing_ok=True)
    return found


def contents(project: Path) -> Iterator[Path]:
    """Yield the files that hold kept contents."""
    return (path for path in (project.parent / "cache").rglob("contents/*/*") if path.is_file())


def test_what_is_the_same_is_not_made_again(project: Path, pipegen: Pipegen) -> None:
    """Stages that do not say what their results depend on run each time."""
    assert pipegen("run").status == 0
    assert ran(project) == ["generate", "build", "test", "note"]
    built = (project / "built").read_text()
    (project / "built").unlink()
    again = pipegen("run")

    assert (again.status, ran(project)) == (0, ["note"])
    assert "1 ok, 3 reused" in again.out
    assert (project / "built").read_text() == built


def test_what_comes_out_equal_changes_nothing_behind_it(project: Path, pipegen: Pipegen) -> None:
    """Sorted words are the same in another order: what reads them is reused."""
    pipegen("run")
    ran(project)
    (project / "src/words").write_text("a\nb\n")

    assert pipegen("run").status == 0
    assert ran(project) == ["generate", "note"]


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ("words", ["generate", "build", "test", "note"]),
        ("version", ["build", "test", "note"]),
        ("mode", ["build", "note"]),
        ("script", ["test", "note"]),
        ("limit", ["note"]),
    ],
)
def test_what_has_changed_is_made_again(
    project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch, change: str, again: list[str]
) -> None:
    """And what reads something else than before; the variable LIMIT is named by no stage."""
    pipegen("run")
    ran(project)
    match change:
        case "words":
            (project / "src/words").write_text("a\nb\nc\n")
        case "version":
            (project / "VERSION").write_text("2\n")
        case "mode":
            monkeypatch.setenv("MODE", "fast")
        case "script":
            (project / "pipegen.yaml").write_text(CONFIG.replace("-lt", "-le"))
        case "limit":
            monkeypatch.setenv("LIMIT", "0")

    assert pipegen("run").status == 0
    assert ran(project) == again


def test_failures_are_not_kept(project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage that failed runs until it succeeds."""
    monkeypatch.setenv("LIMIT", "0")
    assert [pipegen("run").status, pipegen("run").status] == [1, 1]
    ran(project)
    monkeypatch.delenv("LIMIT")

    assert pipegen("run").status == 0
    assert ran(project) == ["test", "note"]


def test_no_cache_makes_all_anew_and_keeps_it(project: Path, pipegen: Pipegen) -> None:
    """What it made is there for the next run."""
    pipegen("run", "--no-cache")
    ran(project)
    pipegen("run", "--no-cache")
    assert ran(project) == ["generate", "build", "test", "note"]
    pipegen("run")

    assert ran(project) == ["note"]


def test_isolated_runs_have_results_of_their_own(project: Path, pipegen: Pipegen) -> None:
    """Their files come from stores; people find the artifacts, reused or not."""
    subprocess.run(["git", "add", "."], check=True)
    pipegen("run", "--isolated")
    again = pipegen("run", "--isolated")

    assert (again.status, "1 ok, 3 reused" in again.out) == (0, True)
    artifacts = sorted((project.parent / "state").rglob("artifacts/build/built"))
    assert [path.read_text() for path in artifacts] == ["a\nb\na\nb\n\n"] * 2
    assert not (project / "built").exists()


@pytest.mark.parametrize("damage", [b"", b"other"])
def test_damaged_results_are_made_again(project: Path, pipegen: Pipegen, damage: bytes) -> None:
    """And are whole then."""
    pipegen("run")
    ran(project)
    for path in contents(project):
        path.write_bytes(damage)
    for name in ("generated", "built"):
        (project / name).unlink()

    assert pipegen("run").status == 0
    assert ran(project) == ["generate", "build", "note"]
    pipegen("run")
    assert ran(project) == ["note"]


def test_a_cache_out_of_reach_stops_nobody(project: Path, pipegen: Pipegen) -> None:
    """It is told."""
    (project.parent / "cache").write_text("a file")
    result = pipegen("run")

    assert (result.status, "the results of earlier runs cannot be read" in result.err) == (0, True)
    assert ran(project) == ["generate", "build", "test", "note"]


def test_equal_stages_of_two_pipelines_run_once(project: Path, pipegen: Pipegen) -> None:
    """The one that comes second waits for what the first comes to."""
    stage = "stages: [{ name: slow, script: ['echo slow >>ran; sleep 0.3'], reuse: true }]"
    (project / "pipegen.yaml").write_text(f"pipelines:\n  one:\n    {stage}\n  two:\n    {stage}\n")
    result = pipegen("run", "-j", "2")

    assert (result.status, ran(project)) == (0, ["slow"])
    assert "1 ok, 1 reused" in result.out


def test_who_waits_for_an_equal_stage_leaves_its_place(project: Path, pipegen: Pipegen) -> None:
    """Others run there meanwhile."""
    slow = "{ name: slow, script: ['sleep 0.4; echo slow >>ran'], reuse: true }"
    quick = "{ name: quick, script: ['echo quick >>ran'] }"
    (project / "pipegen.yaml").write_text(
        f"pipelines:\n  one: {{ stages: [{slow}] }}\n"
        f"  two: {{ stages: [{slow}, {quick}], execution: [[slow], [quick]] }}\n"
    )
    result = pipegen("run", "-j", "2")

    assert (result.status, ran(project)) == (0, ["quick", "slow"])
    assert 'wait     two: slow, for the equal stage "slow"' in result.out


def test_a_stage_waits_for_an_equal_one_that_fails_and_tries_itself(project: Path, pipegen: Pipegen) -> None:
    """It is not kept that a stage has failed."""
    slow = (
        "{ name: slow, script: ['sleep 0.1; echo slow >>ran; test -e other || { touch other; exit 1; }'], reuse: true }"
    )
    (project / "pipegen.yaml").write_text(f"pipelines:\n  one: {{ stages: [{slow}] }}\n  two: {{ stages: [{slow}] }}\n")

    assert (pipegen("run", "-j", "2").status, ran(project)) == (1, ["slow", "slow"])
    assert pipegen("run", "-j", "2").status == 0
    assert ran(project) == []


def test_how_much_is_kept_is_said_by_a_variable(
    project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What does not fit any more goes at once; what is no size is wrong usage."""
    monkeypatch.setenv("PIPEGEN_CACHE_SIZE", "0")
    pipegen("run")
    assert not list(contents(project))
    monkeypatch.setenv("PIPEGEN_CACHE_SIZE", "1Mi")
    pipegen("run")
    assert list(contents(project))
    monkeypatch.setenv("PIPEGEN_CACHE_SIZE", "much")
    result = pipegen("run")

    assert (result.status, 'PIPEGEN_CACHE_SIZE is "much"' in result.err) == (2, True)


@pytest.mark.slow
def test_a_lock_holds_over_runs(project: Path) -> None:
    """Of two at the same time, one waits for the other, in another repository too."""
    stage = "{ name: alone, lock: 'the display', script: ['mkdir ../held; sleep 0.5; rmdir ../held'] }"
    other = project.with_name("other")
    other.mkdir()
    runs = []
    for folder in (project, other):
        (folder / "pipegen.yaml").write_text(f"pipelines:\n  p: {{ stages: [{stage}] }}\n")
        command = [sys.executable, "-c", "from pipegen.__main__ import main; main()", "run"]
        runs.append(
            subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=-2, text=True)
        )
    told = [run.communicate()[0] for run in runs]

    assert [run.returncode for run in runs] == [0, 0], told
    assert sum(text.count('wait     alone, for lock "the display"') for text in told) == 1


def test_a_failed_run_goes_on(project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """What came to a good end is not repeated, cache or not, and its values are there."""
    text = "\n".join(line for line in CONFIG.splitlines() if "reuse" not in line)
    (project / "pipegen.yaml").write_text(text)
    monkeypatch.setenv("LIMIT", "0")
    assert pipegen("run").status == 1
    ran(project)
    monkeypatch.delenv("LIMIT")
    result = pipegen("run", "--resume")

    assert (result.status, ran(project)) == (0, ["test", "note"])
    assert "2 ok, 2 done earlier" in result.out
    assert (pipegen("run", "--resume").status, ran(project)) == (0, [])


def test_another_pipeline_is_none_to_go_on_with(project: Path, pipegen: Pipegen) -> None:
    """Wrong usage, and nothing runs."""
    pipegen("run")
    (project / "pipegen.yaml").write_text(CONFIG.replace("sort", "sort -u"))
    ran(project)
    result = pipegen("run", "--resume")

    assert (result.status, ran(project)) == (2, [])
    assert "no earlier run with the same stages and options" in result.err


def test_an_isolated_run_is_resumed_until_it_succeeds(
    project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stages that succeeded are not repeated, however often; a run that succeeded has nothing left to do."""
    (project / "pipegen.yaml").write_text(CONFIG.replace("        reuse:", "        # reuse:"))
    subprocess.run(["git", "add", "."], check=True)
    monkeypatch.setenv("LIMIT", "0")
    assert pipegen("run", "--isolated").status == 1
    for _ in range(3):
        resumed = pipegen("run", "--isolated", "--resume")
        assert (resumed.status, resumed.out.count("start")) == (1, 1)
        assert "damaged" not in resumed.out + resumed.err
    monkeypatch.setenv("LIMIT", "100")
    assert pipegen("run", "--isolated", "--resume").status == 0
    finished = pipegen("run", "--isolated", "--resume")

    assert (finished.status, finished.out.count("start")) == (0, 0)
    assert "4 done earlier" in finished.out
