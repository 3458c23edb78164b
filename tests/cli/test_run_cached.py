"""Results of earlier runs are found by the definition and the inputs of a stage, and looked up on demand."""

from __future__ import annotations

import re
import sqlite3
import subprocess
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from cli.program import Pipegen
from cli.stored_contents import replace_contents

# A value that passes through two stages; `note` in a script names its reader.
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
    """Return a repository with a config whose stages append their names to `ran`; caches are next to it."""
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
    """Return the sorted lines that stages have written to `ran` since the last call."""
    path = folder / "ran"
    texts = sorted(path.read_text().splitlines()) if path.exists() else []
    path.unlink(missing_ok=True)
    return texts


def forget(project: Path, text: str) -> None:
    """Delete the results that contain the value *text*, as if the cache were full."""
    path = project.parent / "cache/pipegen/results"
    with closing(sqlite3.connect(next(path.glob("v*/index.sqlite")))) as database, database:
        digest = sha256(text.encode()).hexdigest()
        rows = database.execute("SELECT key FROM record WHERE data LIKE ?", (f"%{digest}%",)).fetchall()
        database.executemany("DELETE FROM record WHERE key = ?", rows)
    assert rows


MODES = pytest.mark.parametrize("options", [(), ("--isolated",)], ids=["in place", "isolated"])


def test_a_file_that_changes_during_a_stage(project: Path, pipegen: Pipegen) -> None:
    """The stage may have read either content, so its result is not stored; files that it adds do not matter."""
    (project / "pipegen.yaml").write_text(
        "pipelines:\n  p:\n    stages:\n"
        "      - name: copy\n"
        "        script: ['echo copy >>ran; cat next >data/in; touch data/more; cat data/in >copied']\n"
        "        artifacts: [copied]\n"
        "        reuse: { files: [data] }\n"
    )
    (project / "data").mkdir()
    (project / "data/in").write_text("old\n")
    (project / "next").write_text("new\n")

    changing = pipegen("run")
    (project / "data/in").write_text("old\n")
    (project / "next").write_text("old\n")
    (project / "data/more").unlink()
    pipegen("run")
    (project / "data/more").unlink()
    (project / "copied").unlink()
    repeated = pipegen("run")

    assert 'the result of copy is not stored for later runs: "data/in" changed while the stage ran' in changing.err
    assert ran(project) == ["copy", "copy"]
    assert "1 reused" in repeated.out
    assert (project / "copied").read_text() == "old\n"


@pytest.mark.slow
@MODES
def test_unchanged_stages_do_not_run_again(project: Path, pipegen: Pipegen, options: tuple[str, ...]) -> None:
    """Other pipelines, renamed pipelines and renamed stages do not change a result."""

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


def test_the_source_of_a_value_does_not_change_a_result(project: Path, pipegen: Pipegen) -> None:
    """Two stages instead of one have the same values, so the reader is reused."""
    text = """\
pipelines:
  p:
    stages:
      - name: a
        script: [':']
        outputs: { x: { command: echo 1 }, y: { command: echo 2 } }
        reuse: true
      - { name: c, script: ['echo "${a.x}${a.y}" >>ran'], reuse: true }
"""
    two = text.replace(", y: { command: echo 2 } }", " }").replace(
        "      - { name: c",
        "      - { name: b, script: [':'], outputs: { y: { file: VALUE } }, reuse: true }\n      - { name: c",
    )
    (project / "VALUE").write_text("2")
    (project / "pipegen.yaml").write_text(text)
    assert (pipegen("run").status, ran(project)) == (0, ["12"])
    (project / "pipegen.yaml").write_text(two.replace("a.y", "b.y"))

    assert (pipegen("run").status, ran(project)) == (0, [])


def test_equal_stages_with_outputs_run_once(project: Path, pipegen: Pipegen) -> None:
    """They are in two pipelines, with different names and different readers."""
    first = "name: {0}, script: ['echo {0} >>ran; sleep 0.3'], outputs: {{ v: {{ command: echo 1 }} }}, reuse: true"
    second = "name: {1}, script: ['sleep 0.3; echo \"read ${{{0}.v}}\" >>ran'], reuse: true"
    pipeline = f"    stages: [{{{{ {first} }}}}, {{{{ {second} }}}}]\n"
    (project / "pipegen.yaml").write_text(
        "pipelines:\n  one:\n" + pipeline.format("same", "after") + "  two:\n" + pipeline.format("same", "late")
    )
    result = pipegen("run", "-j", "4")

    assert (result.status, ran(project)) == (0, ["read 1", "same"])
    assert "2 ok, 2 reused" in result.out


def test_concurrent_stages_with_equal_inputs_run_once(project: Path, pipegen: Pipegen) -> None:
    """Their inputs come from different stages but have equal values."""
    text = "{{ name: {0}, script: ['echo {0} >>ran'], outputs: {{ v: {{ command: echo 1 }} }}, reuse: true }}"
    read = "{{ name: read-{0}, script: ['sleep 0.4; echo \"read ${{{0}.v}}\" >>ran'], reuse: true }}"
    pipeline = f"    stages: [{text}, {read}]\n"
    (project / "pipegen.yaml").write_text(
        "pipelines:\n  one:\n" + pipeline.format("a") + "  two:\n" + pipeline.format("b")
    )
    result = pipegen("run", "-j", "4")

    assert (result.status, ran(project)) == (0, ["a", "b", "read 1"])
    # Either may start first; the other one waits for it.
    assert re.search(r'read-(a|b), for the equal stage "read-(?!\1)(a|b)"', result.out)


@MODES
def test_only_the_selected_stage_is_restored(project: Path, pipegen: Pipegen, options: tuple[str, ...]) -> None:
    """The other stages of the cached chain are neither run nor restored."""
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


def test_a_missing_result_is_not_recreated_for_a_cached_one(project: Path, pipegen: Pipegen) -> None:
    """The later result is found with the definitions of both stages."""
    pipegen("run")
    ran(project)
    forget(project, "1")
    assert (pipegen("run", "--stage", "ship").status, ran(project)) == (0, [])
    assert (pipegen("run", "--stage", "build").status, ran(project)) == (0, ["build"])


def test_a_stage_with_equal_output_keeps_later_results_valid(project: Path, pipegen: Pipegen) -> None:
    """The changed stage runs; the stage that reads it is looked up but not restored."""
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


def test_inputs_of_a_changed_stage_are_restored(project: Path, pipegen: Pipegen) -> None:
    """Only the last stage of the chain has changed."""
    pipegen("run")
    ran(project)
    for name in ("size", "packed", "shipped"):
        (project / name).unlink()
    (project / "pipegen.yaml").write_text(CHAIN.replace(" of ", " from "))
    result = pipegen("run", "--stage", "ship")

    assert (result.status, ran(project)) == (0, ["ship"])
    assert (project / "shipped").read_text() == "1-1\n from 1\n"
    assert (project / "size").exists()


def test_a_damaged_result_is_recreated_with_its_inputs(project: Path, pipegen: Pipegen) -> None:
    """The damage is detected before its inputs are skipped."""
    pipegen("run")
    ran(project)
    shipped = (project / "shipped").read_bytes()
    replace_contents(project.parent / "cache", b"other", shipped)
    (project / "shipped").unlink()

    assert (pipegen("run", "--stage", "ship").status, ran(project)) == (0, ["ship"])
    assert (project / "shipped").read_bytes() == shipped


def test_a_running_stage_may_change_the_files_of_a_later_one(project: Path, pipegen: Pipegen) -> None:
    """Nothing is skipped because of files that an earlier selected stage writes."""
    text = CHAIN.replace("reuse: true\n      - name: ship", "reuse: { files: [extra] }\n      - name: ship").replace(
        "    stages:\n", "    stages:\n      - { name: first, script: ['echo first >>ran; cp VERSION extra'] }\n", 1
    )
    (project / "pipegen.yaml").write_text(text)
    pipegen("run")
    ran(project)
    (project / "VERSION").write_text("2\n")

    assert pipegen("run", "--stage", "first", "--stage", "pack").status == 0
    assert ran(project) == ["build", "first", "pack"]


def test_resume_looks_up_results_that_were_not_restored(project: Path, pipegen: Pipegen) -> None:
    """A result that was skipped in the earlier run does not count as finished."""
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


def test_damaged_results_are_computed_again(project: Path, pipegen: Pipegen) -> None:
    """A run says so and succeeds; the next one reuses them."""
    assert pipegen("run").status == 0
    ran(project)
    index = next((project.parent / "cache/pipegen/results").glob("v*/index.sqlite"))
    for name in (index.name, f"{index.name}-wal", f"{index.name}-shm"):
        (index.parent / name).unlink(missing_ok=True)
    index.write_bytes(b"no database" * 1_000)
    again = pipegen("run")

    assert again.status == 0
    assert "the results of earlier runs are damaged" in again.err
    assert ran(project) == ["build", "pack", "ship"]
    assert pipegen("run").status == 0
    assert ran(project) == []


def test_an_image_is_a_part_of_the_definition(project: Path, pipegen: Pipegen) -> None:
    """This holds even if the stage runs on the machine itself, which then has the programs of the image."""
    for image, expected in (("debian:12", ["build", "pack", "ship"]), ("debian:12", []), ("debian:13", ["build"])):
        config = CHAIN.replace("- name: build\n", f"- name: build\n        image: {image}\n")
        (project / "pipegen.yaml").write_text(config)

        assert pipegen("run", "--host").status == 0
        assert ran(project) == expected
