"""Repeated runs: reuse of results, and `--resume`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import Pipegen, environment, until
from cli.stored_contents import contents, replace_contents

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
    """Return a repository with a config whose stages append their names to `ran`; caches are next to it."""
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
    """Return the stages that have run since the last call."""
    path = folder / "ran"
    texts = path.read_text().split() if path.exists() else []
    path.unlink(missing_ok=True)
    return texts


def test_unchanged_stages_are_reused(project: Path, pipegen: Pipegen) -> None:
    """Stages without `reuse` run each time."""
    assert pipegen("run").status == 0
    assert ran(project) == ["generate", "build", "test", "note"]
    built = (project / "built").read_text()
    (project / "built").unlink()
    again = pipegen("run")

    assert (again.status, ran(project)) == (0, ["note"])
    assert "1 ok, 3 reused" in again.out
    assert (project / "built").read_text() == built


def test_an_equal_result_does_not_invalidate_later_stages(project: Path, pipegen: Pipegen) -> None:
    """The words are in another order, but the sorted output is the same."""
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
def test_changed_stages_run_again(
    project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch, change: str, again: list[str]
) -> None:
    """Stages that read a changed result run, too; no stage names the variable LIMIT."""
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


def test_failures_are_not_cached(project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed stage runs again until it succeeds."""
    monkeypatch.setenv("LIMIT", "0")
    assert [pipegen("run").status, pipegen("run").status] == [1, 1]
    ran(project)
    monkeypatch.delenv("LIMIT")

    assert pipegen("run").status == 0
    assert ran(project) == ["test", "note"]


def test_no_cache_runs_all_stages_and_stores_results(project: Path, pipegen: Pipegen) -> None:
    """The next run can reuse them."""
    pipegen("run", "--no-cache")
    ran(project)
    pipegen("run", "--no-cache")
    assert ran(project) == ["generate", "build", "test", "note"]
    pipegen("run")

    assert ran(project) == ["note"]


def test_isolated_runs_have_their_own_results(project: Path, pipegen: Pipegen) -> None:
    """Artifacts of reused stages are restored for the user."""
    subprocess.run(["git", "add", "."], check=True)
    pipegen("run", "--isolated")
    again = pipegen("run", "--isolated")

    assert (again.status, "1 ok, 3 reused" in again.out) == (0, True)
    artifacts = sorted((project.parent / "state").rglob("artifacts/build/built"))
    assert [path.read_text() for path in artifacts] == ["a\nb\na\nb\n\n"] * 2
    assert not (project / "built").exists()


@pytest.mark.parametrize("damage", [b"", b"other"])
def test_damaged_results_are_recreated(project: Path, pipegen: Pipegen, damage: bytes) -> None:
    """The stages run again and repair the cache."""
    pipegen("run")
    ran(project)
    replace_contents(project.parent / "cache", damage)
    for name in ("generated", "built"):
        (project / name).unlink()

    assert pipegen("run").status == 0
    assert ran(project) == ["generate", "build", "note"]
    pipegen("run")
    assert ran(project) == ["note"]


def test_an_unusable_cache_does_not_stop_a_run(project: Path, pipegen: Pipegen) -> None:
    """A message reports it with its path."""
    cache = project.parent / "cache"
    cache.write_text("a file")
    result = pipegen("run")

    assert (result.status, result.err) == (
        0,
        f"results are neither stored nor reused: {cache}/pipegen: Not a directory\n",
    )
    assert ran(project) == ["generate", "build", "test", "note"]


def test_equal_stages_of_two_pipelines_run_once(project: Path, pipegen: Pipegen) -> None:
    """The second one waits for the result of the first."""
    stage = "stages: [{ name: slow, script: ['echo slow >>ran; sleep 0.3'], reuse: true }]"
    (project / "pipegen.yaml").write_text(f"pipelines:\n  one:\n    {stage}\n  two:\n    {stage}\n")
    result = pipegen("run", "-j", "2")

    assert (result.status, ran(project)) == (0, ["slow"])
    assert "1 ok, 1 reused" in result.out


def test_waiting_for_an_equal_stage_frees_the_slot(project: Path, pipegen: Pipegen) -> None:
    """Other stages can start in the meantime."""
    slow = "{ name: slow, script: ['sleep 0.4; echo slow >>ran'], reuse: true }"
    quick = "{ name: quick, script: ['echo quick >>ran'] }"
    (project / "pipegen.yaml").write_text(
        f"pipelines:\n  one: {{ stages: [{slow}] }}\n"
        f"  two: {{ stages: [{slow}, {quick}], execution: [[slow], [quick]] }}\n"
    )
    result = pipegen("run", "-j", "2")

    assert (result.status, ran(project)) == (0, ["quick", "slow"])
    assert 'wait     two: slow, for the equal stage "slow"' in result.out


def test_a_stage_runs_after_an_equal_one_has_failed(project: Path, pipegen: Pipegen) -> None:
    """Failures are not cached."""
    slow = (
        "{ name: slow, script: ['sleep 0.1; echo slow >>ran; test -e other || { touch other; exit 1; }'], reuse: true }"
    )
    (project / "pipegen.yaml").write_text(f"pipelines:\n  one: {{ stages: [{slow}] }}\n  two: {{ stages: [{slow}] }}\n")

    assert (pipegen("run", "-j", "2").status, ran(project)) == (1, ["slow", "slow"])
    assert pipegen("run", "-j", "2").status == 0
    assert ran(project) == []


def test_a_variable_limits_the_cache_size(project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results that do not fit are removed at once; an invalid size is wrong usage."""
    monkeypatch.setenv("PIPEGEN_CACHE_SIZE", "0")
    pipegen("run")
    assert not contents(project.parent / "cache")
    monkeypatch.setenv("PIPEGEN_CACHE_SIZE", "1Mi")
    pipegen("run")
    assert contents(project.parent / "cache")
    monkeypatch.setenv("PIPEGEN_CACHE_SIZE", "much")
    result = pipegen("run")

    assert (result.status, 'PIPEGEN_CACHE_SIZE is "much"' in result.err) == (2, True)


@pytest.mark.slow
def test_a_lock_is_shared_by_concurrent_runs(project: Path) -> None:
    """One run waits for the other, even in another repository."""
    script = "mkdir ../held; for try in $(seq 600); do [ ! -e ../waits ] || break; sleep 0.1; done; rmdir ../held"
    other = project.with_name("other")
    other.mkdir()
    for folder in (project, other):
        stage = f"{{ name: alone, lock: 'the display', script: ['{script}'] }}"
        (folder / "pipegen.yaml").write_text(f"pipelines:\n  p: {{ stages: [{stage}] }}\n")
    first = _start_run(project)
    until((project.parent / "held").exists)
    second = _start_run(other)
    assert second.stdout is not None
    waits = any('wait     alone, for lock "the display"' in line for line in second.stdout)
    (project.parent / "waits").touch()
    texts = [run.communicate()[0] for run in (first, second)]

    assert waits
    assert [run.returncode for run in (first, second)] == [0, 0], texts
    assert "for lock" not in texts[0]


def _start_run(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from pipegen.__main__ import main; main()", "run"]
    return subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=-2, text=True)


def test_resume_continues_a_failed_run(project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Successful stages are not repeated, even without a cache, and their values are available."""
    text = "\n".join(line for line in CONFIG.splitlines() if "reuse" not in line)
    (project / "pipegen.yaml").write_text(text)
    monkeypatch.setenv("LIMIT", "0")
    assert pipegen("run").status == 1
    ran(project)
    monkeypatch.delenv("LIMIT")
    result = pipegen("run", "--resume")

    assert (result.status, ran(project)) == (0, ["test", "note"])
    assert "2 ok, 2 done earlier" in result.out
    assert (pipegen("run", "--resume", "--report", "run.xml").status, ran(project)) == (0, [])
    assert "it ended in the run that this run resumes" in (project / "run.xml").read_text()


def test_resume_with_a_changed_pipeline_is_wrong_usage(project: Path, pipegen: Pipegen) -> None:
    """Nothing runs."""
    pipegen("run")
    (project / "pipegen.yaml").write_text(CONFIG.replace("sort", "sort -u"))
    ran(project)
    result = pipegen("run", "--resume")

    assert (result.status, ran(project)) == (2, [])
    assert "no earlier run with the same stages and options" in result.err


def test_resume_says_that_it_is_not_the_last_run(project: Path, pipegen: Pipegen) -> None:
    """A person who forgets `--set` would take the success of an earlier run for that of the last one."""
    pipegen("run")
    (project / "pipegen.yaml").write_text(CONFIG.replace("sort", "sort -u"))
    pipegen("run")
    last = pipegen("run", "--resume")
    (project / "pipegen.yaml").write_text(CONFIG)
    result = pipegen("run", "--resume")

    assert "resuming" not in last.err
    assert "later runs have other stages, scripts, inputs or options" in result.err


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
