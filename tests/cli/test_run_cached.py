"""Results of earlier runs that are known by what stages do with which values, and are looked up on demand."""

from __future__ import annotations

import re
import sqlite3
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from cli.program import Pipegen

# A value that goes through two stages; `note` says in a script who reads it.
CHAIN = """\
pipelines:
  service:
    stages:
      - name: build
        script: ['echo build >>ran; echo 1 >size']
        outputs: { version: { command: cat VERSION } }
        artifacts: [size]
        reuse: { files: [VERSION] }
      - name: pack
        script: ['echo pack >>ran; echo "${build.version}-$(cat size)" >packed']
        outputs: { full: { file: packed } }
        reuse: true
      - name: ship
        script: ['echo ship >>ran; echo "${pack.full} of ${build.version}" >shipped']
        artifacts: [shipped]
        reuse: true
"""
OTHER = """\
  other:
    stages:
      - { name: build, script: ['echo other >>ran'], outputs: { version: { command: echo 9 } }, reuse: true }
      - { name: last, script: ['echo "last ${build.version}" >>ran'], reuse: true }
"""


@pytest.fixture
def project(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a config whose stages write their names to `ran`; all that runs keep is beside it."""
    folder = empty / "project"
    folder.mkdir()
    (folder / "pipegen.yaml").write_text(CHAIN)
    (folder / "VERSION").write_text("1\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(empty / "cache"))
    subprocess.run(["git", "init", "-q", "."], check=True)
    return folder


def ran(folder: Path) -> list[str]:
    """Return what stages have told since this was asked last, in the order of their names."""
    path = folder / "ran"
    found = sorted(path.read_text().splitlines()) if path.exists() else []
    path.unlink(missing_ok=True)
    return found


def forget(project: Path, text: str) -> None:
    """Forget the results that hold the value *text*, as when the cache is full."""
    found = project.parent / "cache/pipegen/results"
    with sqlite3.connect(next(found.glob("v*/index.sqlite"))) as database:
        digest = sha256(text.encode()).hexdigest()
        rows = database.execute("SELECT key FROM record WHERE data LIKE ?", (f"%{digest}%",)).fetchall()
        database.executemany("DELETE FROM record WHERE key = ?", rows)
    assert rows


MODES = pytest.mark.parametrize("options", [(), ("--isolated",)], ids=["in place", "isolated"])


@pytest.mark.slow
@MODES
def test_nothing_runs_again_that_has_not_changed(project: Path, pipegen: Pipegen, options: tuple[str, ...]) -> None:
    """Not in a second run, nor with another pipeline, a part of the file, or other names for what leaves a value."""

    def run(text: str, *more: str) -> list[str]:
        (project / "pipegen.yaml").write_text(text.replace(">>ran", f">>{project / 'ran'}"))
        subprocess.run(["git", "add", "-A"], check=True)
        assert pipegen("run", *options, *more).status == 0
        return ran(project)

    assert run(CHAIN) == ["build", "pack", "ship"]
    assert run(CHAIN) == []
    assert run(CHAIN + OTHER) == ["last 9", "other"]
    assert run(OTHER.join(("pipelines:\n", CHAIN.removeprefix("pipelines:\n")))) == []
    assert run(CHAIN + OTHER, "--pipeline", "service") == []
    assert run(CHAIN.replace("service:", "product:")) == []
    renamed = CHAIN.replace("name: build", "name: compile").replace("build.version", "compile.version")
    assert run(renamed) == []
    assert run(renamed.replace("name: pack", "name: bundle").replace("pack.full", "bundle.full")) == []
    assert run(renamed.replace("echo 1", "echo 2")) == ["build", "pack", "ship"]


def test_a_value_is_the_same_wherever_it_comes_from(project: Path, pipegen: Pipegen) -> None:
    """Two stages in place of one that leave equal values change nothing behind them."""
    one = """\
pipelines:
  p:
    stages:
      - name: a
        script: [':']
        outputs: { x: { command: echo 1 }, y: { command: echo 2 } }
        reuse: true
      - { name: c, script: ['echo "${a.x}${a.y}" >>ran'], reuse: true }
"""
    two = one.replace(", y: { command: echo 2 } }", " }").replace(
        "      - { name: c",
        "      - { name: b, script: [':'], outputs: { y: { file: VALUE } }, reuse: true }\n      - { name: c",
    )
    (project / "VALUE").write_text("2")
    (project / "pipegen.yaml").write_text(one)
    assert (pipegen("run").status, ran(project)) == (0, ["12"])
    (project / "pipegen.yaml").write_text(two.replace("a.y", "b.y"))

    assert (pipegen("run").status, ran(project)) == (0, [])


def test_equal_stages_with_outputs_run_once(project: Path, pipegen: Pipegen) -> None:
    """In two pipelines, whatever they are called there, and whatever reads them."""
    first = "name: {0}, script: ['echo {0} >>ran; sleep 0.3'], outputs: {{ v: {{ command: echo 1 }} }}, reuse: true"
    second = "name: {1}, script: ['sleep 0.3; echo \"read ${{{0}.v}}\" >>ran'], reuse: true"
    pipeline = f"    stages: [{{{{ {first} }}}}, {{{{ {second} }}}}]\n"
    (project / "pipegen.yaml").write_text(
        "pipelines:\n  one:\n" + pipeline.format("same", "after") + "  two:\n" + pipeline.format("same", "late")
    )
    result = pipegen("run", "-j", "4")

    assert (result.status, ran(project)) == (0, ["read 1", "same"])
    assert "2 ok, 2 reused" in result.out


def test_equal_contents_run_once_at_a_time(project: Path, pipegen: Pipegen) -> None:
    """Stages that start together, and whose inputs are made in other ways but come out equal."""
    made = "{{ name: {0}, script: ['echo {0} >>ran'], outputs: {{ v: {{ command: echo 1 }} }}, reuse: true }}"
    read = "{{ name: read-{0}, script: ['sleep 0.4; echo \"read ${{{0}.v}}\" >>ran'], reuse: true }}"
    pipeline = f"    stages: [{made}, {read}]\n"
    (project / "pipegen.yaml").write_text(
        "pipelines:\n  one:\n" + pipeline.format("a") + "  two:\n" + pipeline.format("b")
    )
    result = pipegen("run", "-j", "4")

    assert (result.status, ran(project)) == (0, ["a", "b", "read 1"])
    # Whichever of the two starts first, the other one waits for it.
    assert re.search(r'read-(a|b), for the equal stage "read-(?!\1)(a|b)"', result.out)


@MODES
def test_only_what_is_asked_for_is_put_back(project: Path, pipegen: Pipegen, options: tuple[str, ...]) -> None:
    """Of a chain whose results are known, the stage alone; the others neither run nor are put back."""
    (project / "pipegen.yaml").write_text(CHAIN.replace(">>ran", f">>{project / 'ran'}"))
    subprocess.run(["git", "add", "-A"], check=True)
    pipegen("run", *options)
    ran(project)
    for name in ("size", "packed", "shipped"):
        (project / name).unlink(missing_ok=True)
    result = pipegen("run", *options, "--stage", "ship")

    assert (result.status, ran(project)) == (0, [])
    assert "1 reused, 2 skipped" in result.out
    assert re.search(r"skip +build: its result is not needed", result.out)
    assert not (project / "size").exists()
    if not options:
        assert (project / "shipped").read_text() == "1-1\n of 1\n"


def test_a_result_that_is_gone_is_not_made_for_one_that_is_known(project: Path, pipegen: Pipegen) -> None:
    """What comes after it is found by what both do."""
    pipegen("run")
    ran(project)
    forget(project, "1")
    assert (pipegen("run", "--stage", "ship").status, ran(project)) == (0, [])
    assert (pipegen("run", "--stage", "build").status, ran(project)) == (0, ["build"])


def test_what_comes_out_equal_needs_nothing_behind_it(project: Path, pipegen: Pipegen) -> None:
    """A changed stage runs, for nobody knows what it comes to; what reads it is only known, not put back."""
    pipegen("run")
    ran(project)
    for name in ("size", "packed", "shipped"):
        (project / name).unlink()
    text = CHAIN.replace("echo 1 >size", "echo 1  >size")
    (project / "pipegen.yaml").write_text(text)
    result = pipegen("run", "--stage", "ship")

    assert (result.status, ran(project)) == (0, ["build"])
    assert "1 ok, 1 reused, 1 skipped" in result.out
    assert (project / "shipped").exists()


def test_what_a_stage_reads_is_put_back_for_it(project: Path, pipegen: Pipegen) -> None:
    """Of a chain whose last stage has changed, only what that reads."""
    pipegen("run")
    ran(project)
    for name in ("size", "packed", "shipped"):
        (project / name).unlink()
    (project / "pipegen.yaml").write_text(CHAIN.replace(" of ", " from "))
    result = pipegen("run", "--stage", "ship")

    assert (result.status, ran(project)) == (0, ["ship"])
    assert (project / "shipped").read_text() == "1-1\n from 1\n"
    assert (project / "size").exists()


def test_a_damaged_result_is_made_again_with_all_that_it_reads(project: Path, pipegen: Pipegen) -> None:
    """That it is damaged is seen before anything is left out for it."""
    pipegen("run")
    ran(project)
    shipped = (project / "shipped").read_bytes()
    for path in (project.parent / "cache").rglob("contents/*/*"):
        if path.is_file() and path.read_bytes() == shipped:
            path.write_bytes(b"other")
    (project / "shipped").unlink()

    assert (pipegen("run", "--stage", "ship").status, ran(project)) == (0, ["ship"])
    assert (project / "shipped").read_bytes() == shipped


def test_a_stage_that_runs_may_change_what_comes_after_it(project: Path, pipegen: Pipegen) -> None:
    """Where both are asked for, nothing is left out on the word of files that the first one writes."""
    text = CHAIN.replace("reuse: true\n      - name: ship", "reuse: { files: [extra] }\n      - name: ship").replace(
        "    stages:\n", "    stages:\n      - { name: first, script: ['echo first >>ran; cp VERSION extra'] }\n", 1
    )
    (project / "pipegen.yaml").write_text(text)
    pipegen("run")
    ran(project)
    (project / "VERSION").write_text("2\n")

    assert pipegen("run", "--stage", "first", "--stage", "pack").status == 0
    assert ran(project) == ["build", "first", "pack"]


def test_a_run_that_goes_on_looks_up_what_was_not_put_back(project: Path, pipegen: Pipegen) -> None:
    """A result that was known, and nobody had read, is none that has ended."""
    last = (
        "      - { name: last, script: ['echo last >>ran; cat size; test -e ready'], reuse: true, files_from: [build] }"
    )
    last += "\n"
    (project / "pipegen.yaml").write_text(CHAIN + last)
    assert pipegen("run").status == 1
    ran(project)
    for name in ("size", "packed", "shipped"):
        (project / name).unlink()
    assert pipegen("run", "--stage", "last").status == 1
    (project / "size").unlink()
    (project / "ready").touch()
    ran(project)

    assert (pipegen("run", "--stage", "last", "--resume").status, ran(project)) == (0, ["last"])
