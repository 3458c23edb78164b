"""Stages that leave harmful files: pipes, links, folders of other users, and names that look like options."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.program import Pipegen, environment
from run.simulated_runs_in_tests import graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.local.workspace import InPlace

NOBODY = 65534


@pytest.fixture
def project(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository, with all data of runs next to it and a file that no stage may read or change."""
    folder = empty / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(empty / "cache"))
    (empty / "private").write_text("canary")
    subprocess.run(["git", "init", "-q", "."], check=True)
    return folder


def write(project: Path, stages: str) -> None:
    """Write a config with *stages*, and stage all files in git."""
    (project / "pipegen.yaml").write_text(f"pipelines:\n  p:\n    stages:\n{stages}")
    subprocess.run(["git", "add", "-A"], check=True)


def tell_tales(folder: Path, text: str) -> Iterator[Path]:
    """Yield the files below *folder* that contain *text*."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and text.encode() in path.read_bytes():
            yield path


ODD = """\
      - name: odd
        script:
          - mkdir out
          - mkfifo out/pipe
          - ln -s /etc/passwd out/absolute
          - ln -s ../../../private out/climbing
          - ln -s plain out/inside
          - ln -s /dev/zero out/endless
          - 'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\\"out/socket\\")"'
          - echo plain >out/plain
        artifacts: [out/]
        {keys}
      - name: reader
        script: ['ls out; cat out/plain out/inside']
"""


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["reports: { junit: out/ }", "reuse: true"])
def test_only_files_and_inner_links_are_stored_as_artifacts(project: Path, pipegen: Pipegen, keys: str) -> None:
    """Other files are reported; pipes do not block, and no link out of the tree is read."""
    write(project, ODD.format(keys=keys))
    result = pipegen("run", "--isolated")

    assert result.status == 0
    logs = next((project.parent / "state").rglob("logs/reader.log")).read_text().split()
    assert logs == ["inside", "plain", "plain", "plain"]
    names = sorted(path.name for path in next((project.parent / "state").rglob("artifacts/odd/out")).iterdir())
    assert names == ["inside", "plain"]
    for name in ("pipe", "socket"):
        assert f"stage odd: out/{name} is not a regular file: it is not stored" in result.err
    assert "out/absolute is a link out of the tree, to /etc/passwd" in result.err
    assert "out/climbing is a link out of the tree" in result.err


def test_a_stage_with_an_uncacheable_result_runs_each_time(project: Path, pipegen: Pipegen) -> None:
    """The artifact is a pipe."""
    write(
        project, "      - { name: a, script: ['echo ran; rm -f p; mkfifo p'], artifacts: [p], reuse: { files: [p] } }\n"
    )
    first, second = pipegen("run"), pipegen("run")

    assert [first.status, second.status] == [0, 0]
    assert "the result of a is not stored for later runs: p is not a regular file" in first.err
    assert "1 ok" in second.out


@pytest.mark.slow
def test_a_path_may_be_an_artifact_and_a_report(project: Path, pipegen: Pipegen) -> None:
    """Each attempt may leave it."""
    write(
        project,
        """\
      - name: unit
        retry: 1
        script: ['echo "<testsuites/>" >report.xml; test -e ../../../../again || { touch ../../../../again; exit 1; }']
        artifacts: { paths: [report.xml], when: always }
        reports: { junit: report.xml }
      - name: plain
        script: ['echo "<testsuites/>" >plain.xml']
        artifacts: [plain.xml]
        reports: { junit: plain.xml }
""",
    )
    result = pipegen("run", "--isolated")

    assert (result.status, result.err) == (0, "")
    assert len(list((project.parent / "state").rglob("artifacts/plain/plain.xml"))) == 1
    assert [path.read_text() for path in (project.parent / "state").rglob("artifacts/unit/report.xml")] == [
        "<testsuites/>\n"
    ]


@pytest.mark.slow
def test_artifacts_are_not_stored_through_earlier_links(project: Path, pipegen: Pipegen) -> None:
    """The first attempt leaves links where the second one leaves files and a folder."""
    target = project.parent / "private"
    (project.parent / "folder").mkdir()
    write(
        project,
        f"""\
      - name: twice
        retry: 1
        script:
          - mark={project.parent}/mark
          - 'test -e "$mark" || {{ touch "$mark"; ln -s ../e d; ln -s e f; exit 1; }}'
          - 'mkdir d; echo evil >d/x; echo evil >f'
        artifacts: {{ paths: [d, f, d/x], when: always }}
""",
    )
    result = pipegen("run", "--isolated")

    assert result.status == 0
    assert target.read_text() == "canary"
    people = next((project.parent / "state").rglob("artifacts/twice"))
    assert (people / "d/x").read_text() == (people / "f").read_text() == "evil\n"
    assert not (people / "f").is_symlink()


@pytest.mark.parametrize("kind", ["file", "folder", "dangling"])
def test_an_artifact_replaces_a_tracked_link(project: Path, pipegen: Pipegen, kind: str) -> None:
    """Later stages see the artifact, whether the link leads to a file, a folder or nothing."""
    (project.parent / "home").mkdir()
    target = {"file": "private", "folder": "home", "dangling": "none"}[kind]
    (project / "out").mkdir()
    (project / "out/x y").symlink_to(project.parent / target)
    make = "mkdir 'out/x y'; echo evil >'out/x y/f'" if kind == "folder" else "echo evil >'out/x y'"
    show = "cat out/x*/f" if kind == "folder" else "cat out/x*"
    write(
        project,
        f"""\
      - name: make
        script: ["rm 'out/x y'; {make}"]
        artifacts: [out/]
      - {{ name: reader, script: ["{show}"] }}
""",
    )
    result = pipegen("run", "--isolated")

    assert result.status == 0, result.out
    assert next((project.parent / "state").rglob("logs/reader.log")).read_text() == "evil\n"
    assert (project.parent / "private").read_text() == "canary"
    assert not (project.parent / "none").exists()
    assert list((project.parent / "home").iterdir()) == []


@pytest.mark.parametrize("options", [(), ("--isolated",)], ids=["in place", "isolated"])
@pytest.mark.parametrize("kind", ["file", "folder", "pipe"])
def test_a_value_is_not_read_through_a_link_or_a_pipe(
    project: Path, pipegen: Pipegen, options: tuple[str, ...], kind: str
) -> None:
    """The stage fails, and the content behind the link is not stored."""
    folder = ".pipegen/outputs/leak" if options else "$PIPEGEN_VALUES/outputs/leak"
    (project.parent / "v").write_text("canary")
    swap = {
        "file": f'rm "{folder}/v"; ln -s {project.parent}/private "{folder}/v"',
        "folder": f'rm -r "{folder}"; ln -s {project.parent} "{folder}"',
        "pipe": f'rm "{folder}/v"; mkfifo "{folder}/v"',
    }[kind]
    write(
        project,
        f"""\
      - name: leak
        script: ["trap 'true' EXIT"]
        after: ['{swap}']
        outputs: {{ v: {{ command: echo 1 }} }}
      - {{ name: reader, script: ['echo "got ${{leak.v}}"'] }}
""",
    )
    result = pipegen("run", *options)

    assert result.status == 1
    assert "its files could not be stored" in result.out or "is gone" in result.out
    assert "reader: an earlier stage did not succeed" in result.out
    assert list(tell_tales(project.parent / "state", "canary")) == []


def test_no_value_is_bound_through_a_link(tmp_path: Path) -> None:
    """A stage may guess the path at which the value of a reused stage is written."""
    folder = RunFolder(tmp_path / "run", "1", tmp_path / "run/logs")
    (folder.values / "outputs").mkdir(parents=True)
    (folder.values / "outputs/known").symlink_to(tmp_path)
    job = graph_plan(ExecutionGraph([["known"]])).jobs[0]

    with pytest.raises(OSError, match="known"):
        InPlace(tmp_path, folder).bind(job, [("v", b"1")])
    assert not (tmp_path / "v").exists()


def test_a_reused_result_is_not_restored_through_a_link(project: Path, pipegen: Pipegen) -> None:
    """A stage in the same tree replaces the file or the folder by a link."""
    (project.parent / "home").mkdir()
    mark = project.parent / "mark"
    script = f"test -e {mark} || {{ touch {mark}; mkdir d; echo evil >d/x; echo evil >y; }}"
    write(project, f"      - {{ name: known, script: ['{script}'], artifacts: [d/, y], reuse: true }}\n")
    assert pipegen("run").status == 0
    shutil.rmtree(project / "d")
    (project / "y").unlink()
    (project / "d").symlink_to(project.parent / "home")
    (project / "y").symlink_to(project.parent / "private")
    result = pipegen("run")

    assert (result.status, "results are neither stored nor reused" in result.err) == (0, True)
    assert list((project.parent / "home").iterdir()) == []
    assert (project.parent / "private").read_text() == "canary"


def test_no_log_is_written_through_a_link(project: Path, pipegen: Pipegen) -> None:
    """A pipe at its path does not block the run."""
    write(project, "      - { name: a, script: [echo evil] }\n      - { name: b, script: [echo evil] }\n")
    (project / "logs").mkdir()
    (project / "logs/a.log").symlink_to(project.parent / "private")
    os.mkfifo(project / "logs/b.log")
    result = pipegen("run", "--log-dir", "logs")

    assert result.status == 0
    assert (project.parent / "private").read_text() == "canary"
    assert result.err.count("the rest of the output is lost") == 2


@pytest.mark.slow
def test_sigterm_ends_a_run(project: Path) -> None:
    """This also holds while artifacts are stored."""
    write(project, ODD.format(keys="reuse: true") + "      - { name: long, script: [sleep 60] }\n")
    command = [sys.executable, "-c", "from pipegen.__main__ import main; main()", "run", "--isolated"]
    run = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.stdout is not None
    for line in run.stdout:
        if "start    long" in line:
            break
    began = time.monotonic()
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=30)

    assert (run.returncode, time.monotonic() - began < 15) == (130, True)


def test_data_of_runs_is_not_readable_by_other_users(project: Path, pipegen: Pipegen) -> None:
    """The umask and the modes left by earlier versions do not matter."""
    write(
        project,
        "      - { name: a, script: ['echo 1 >x'], artifacts: [x], outputs: { v: { command: id } }, reuse: true }\n",
    )
    (project.parent / "cache/pipegen/results").mkdir(parents=True, mode=0o777)
    umask = os.umask(0)
    try:
        assert pipegen("run").status == 0
    finally:
        os.umask(umask)
    paths = [*(project.parent / "cache/pipegen").rglob("*"), project.parent / "cache/pipegen"]
    shown = [path for path in paths if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077]

    assert shown == []
    assert stat.S_IMODE((project.parent / "state/pipegen").stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of other users")
@pytest.mark.parametrize("kind", ["folder", "link"])
@pytest.mark.parametrize("place", ["cache", "state"])
def test_a_folder_of_another_user_is_not_trusted(project: Path, pipegen: Pipegen, place: str, kind: str) -> None:
    """Its owner could change results or scripts: the cache is not used, and without a state nothing runs."""
    write(project, "      - { name: a, script: ['true'], reuse: true }\n")
    folder = project.parent / place / "pipegen"
    folder.parent.mkdir()
    if kind == "link":
        (project.parent / "theirs").mkdir()
        folder.symlink_to(project.parent / "theirs")
    else:
        folder.mkdir()
    os.chown(folder, NOBODY, NOBODY, follow_symlinks=False)
    result = pipegen("run")

    assert "it belongs to another user" in result.err
    assert result.status == (0 if place == "cache" else 3)
    assert place == "cache" or not list(folder.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of other users")
def test_without_a_home_a_folder_of_another_user_is_rejected(
    project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user may have created the folder in the temporary one first."""
    write(project, "      - { name: a, script: ['true'] }\n")
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    common = project.parent / "tmp"
    common.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(common))
    assert pipegen("run").status == 0
    own = common / f"pipegen-{os.geteuid()}"
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    os.chown(own, NOBODY, NOBODY)

    assert pipegen("run").status == 3


@pytest.mark.parametrize("name", ["-v/:/host", "--privileged", "", "a b", "x\ny"])
def test_an_image_name_is_never_a_container_option(
    project: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The value is used as the image of a stage or of a service."""
    program = project.parent / "docker"
    program.write_text(f'#!/bin/sh\necho "$@" >>{project.parent}/called\n')
    program.chmod(0o755)
    monkeypatch.setenv("DOCKER", str(program))
    write(
        project,
        """\
      - { name: make, script: ['printf %s "$NAME" >name'], outputs: { image: { file: name } } }
      - { name: in-image, image: '${make.image}', script: [':'] }
      - name: beside
        image: busybox
        services: [{ image: '${make.image}', alias: db }]
        script: [':']
    execution: [[make, in-image], [make, beside]]
""",
    )
    monkeypatch.setenv("NAME", name)
    assert pipegen("run").status == 1

    called = (project.parent / "called").read_text() if (project.parent / "called").exists() else ""
    assert not re.search(r"^run", called, re.MULTILINE)


@pytest.mark.slow
def test_resume_does_not_follow_links_in_the_state(project: Path, pipegen: Pipegen) -> None:
    """Stages whose stored data was replaced by links run again."""
    (project.parent / "home").mkdir()
    (project.parent / "home/x").write_text("other")
    stages = """\
      - { name: a, script: ['echo mine >x'], artifacts: [x] }
      - { name: b, script: ['cat x; test -e ../../../../../../ready'] }
"""
    for change in ("file", "folder", "journal"):
        write(project, stages.replace("echo mine", f"echo mine # {change}\n          ".strip()))
        write(project, stages)
        assert pipegen("run", "--isolated").status == 1
        store = max((project.parent / "state").rglob("work/left/a"))
        match change:
            case "file":
                (store / "x").unlink()
                (store / "x").symlink_to(project.parent / "home/x")
            case "folder":
                shutil.rmtree(store)
                store.symlink_to(project.parent / "home")
            case "journal":
                journal = store.parents[2] / "journal.jsonl"
                copy = project.parent / "journal"
                journal.rename(copy)
                journal.symlink_to(copy)
        pipegen("run", "--isolated", "--resume")
        log = max((project.parent / "state").rglob("logs/b.log")).read_text()

        assert log == "mine\n"
        assert (project.parent / "home/x").read_text() == "other"
