"""`pipegen compile --all` and `--check` without a config: every generated file of a repository."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, SEVERAL, Pipegen

from pipegen.targets import registry


def service(name: str, *, target: str = "jenkins", more: str = "") -> str:
    """Return the config of a service with one target."""
    stages = f"{{ name: build, script: [make {name}] }}, {{ name: unit, script: [make check] }}"
    return f"targets: {{ {target}: {{}} }}\n{more}pipelines: {{ {name}: {{ stages: [{stages}] }} }}\n"


def change(path: Path, old: str, new: str) -> None:
    """Replace *old*, which must be there, with *new* in the file at *path*."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def mono(empty: Path, monkeypatch: pytest.MonkeyPatch, pipegen: Pipegen) -> Path:
    """Return the current folder, a git repository of three services with their generated files."""
    subprocess.run(["git", "init", "-q"], cwd=empty, check=True)
    for name in ("api", "web", "job"):
        (empty / name).mkdir()
        (empty / name / "pipegen.yaml").write_text(service(name), encoding="utf-8")
        monkeypatch.chdir(empty / name)
        pipegen("compile")
    monkeypatch.chdir(empty)
    return empty


def codes(pipegen: Pipegen, *options: str) -> Sequence[tuple[str, str]]:
    """Return the code and the file of each error of `compile --check`."""
    result = pipegen("compile", "--check", "--format", "json", *options)
    every = json.loads(result.out)["diagnostics"]
    pairs = [(diagnostic["code"], diagnostic["file"]) for diagnostic in every if diagnostic["severity"] == "error"]
    assert result.status == (1 if pairs else 0)
    return pairs


@pytest.mark.slow
@pytest.mark.usefixtures("mono")
def test_every_generated_file_is_checked(pipegen: Pipegen) -> None:
    """The header names the config; there is none in the current folder."""
    result = pipegen("compile", "--check")

    assert (result.status, result.out) == (0, "")
    assert result.err == "".join(f"{name}/Jenkinsfile unchanged\n" for name in ("api", "job", "web"))


@pytest.mark.slow
def test_four_kinds_of_drift_have_different_codes(mono: Path, pipegen: Pipegen) -> None:
    """They are a manual edit, and a changed, a renamed and a deleted config."""
    (mono / "lib").mkdir()
    (mono / "lib/pipegen.yaml").write_text(service("lib"), encoding="utf-8")
    pipegen("compile", "lib/pipegen.yaml", "-o", "lib/Jenkinsfile")
    assert codes(pipegen) == []

    change(mono / "api/Jenkinsfile", "make api", "make it")
    change(mono / "web/pipegen.yaml", "make web", "make it")
    (mono / "job/pipegen.yaml").rename(mono / "job/ci.yaml")
    (mono / "lib/pipegen.yaml").unlink()

    assert codes(pipegen) == [
        ("PG680", "api/Jenkinsfile"),
        ("PG682", "job/Jenkinsfile"),
        ("PG683", "lib/Jenkinsfile"),
        ("PG681", "web/Jenkinsfile"),
    ]


@pytest.mark.slow
def test_drift_is_shown_as_a_diff(mono: Path, pipegen: Pipegen) -> None:
    """The diff goes to standard output, and the diagnostics to standard error."""
    change(mono / "api/Jenkinsfile", "make api", "make it")
    change(mono / "web/pipegen.yaml", "make web", "make it")
    result = pipegen("compile", "--check")
    diff = [line.strip() for line in result.out.splitlines()]

    assert "--- api/Jenkinsfile" in diff
    assert "--- web/Jenkinsfile" in diff
    assert diff.index("-                sh 'make it'") < diff.index("+                sh 'make api'")
    assert 'hint: run "pipegen compile --all"' in result.err


@pytest.mark.slow
def test_paths_are_relative_to_the_current_folder(
    mono: Path, monkeypatch: pytest.MonkeyPatch, pipegen: Pipegen
) -> None:
    """A call in a subfolder still checks the whole repository."""
    change(mono / "api/Jenkinsfile", "make api", "make it")
    change(mono / "web/Jenkinsfile", "make web", "make it")
    monkeypatch.chdir(mono / "web")

    assert codes(pipegen) == [("PG680", "../api/Jenkinsfile"), ("PG680", "Jenkinsfile")]
    assert "--- ../api/Jenkinsfile\n" in pipegen("compile", "--check").out


@pytest.mark.slow
def test_a_renamed_config_has_a_hint_with_the_command(mono: Path, pipegen: Pipegen) -> None:
    """The command can be run as shown."""
    (mono / "new folder").mkdir()
    (mono / "api/pipegen.yaml").rename(mono / "new folder/api.yaml")
    text = pipegen("compile", "--check").err

    assert '"api/pipegen.yaml", from which "api/Jenkinsfile" was generated, is now "new folder/api.yaml"' in text
    assert "run: pipegen compile 'new folder/api.yaml' -t jenkins -o api/Jenkinsfile\n" in text
    pipegen("compile", "new folder/api.yaml", "-t", "jenkins", "-o", "api/Jenkinsfile")
    assert codes(pipegen) == []


@pytest.mark.slow
def test_a_renamed_folder_is_detected(mono: Path, pipegen: Pipegen) -> None:
    """This also works if the generated file names files next to the config."""
    (mono / "img").mkdir()
    (mono / "img/pipegen.yaml").write_text("pipelines: { p: { stages: [{ name: image }] } }\n", encoding="utf-8")
    pipegen("compile", "img/pipegen.yaml", "-t", "jenkins", "-o", "img/Jenkinsfile")
    (mono / "img").rename(mono / "image")

    assert codes(pipegen) == [("PG682", "image/Jenkinsfile")]
    assert 'was generated, is now "image/pipegen.yaml"' in pipegen("compile", "--check").err


def test_a_renamed_config_of_a_split_pipeline_is_detected(empty: Path, pipegen: Pipegen) -> None:
    """The names of child files depend on the name of the config."""
    (empty / "pipegen.yaml").write_text(service("api", target="gitlab"), encoding="utf-8")
    pipegen("compile", "--split", "unit")
    (empty / "pipegen.yaml").rename(empty / "api.yaml")

    assert codes(pipegen) == [("PG682", ".gitlab-ci.yml")]
    assert "-o .gitlab-ci.yml --split unit\n" in pipegen("compile", "--check").err


@pytest.mark.slow
def test_a_config_that_was_renamed_and_edited_is_not_detected(mono: Path, pipegen: Pipegen) -> None:
    """The hint names a config without generated files, which may be the new one."""
    (mono / "api/pipegen.yaml").unlink()
    (mono / "api/pipegen.yml").write_text(service("api", more="# new\n").replace("make", "ninja"), encoding="utf-8")
    text = pipegen("compile", "--check").err

    assert 'error[PG683]: "api/pipegen.yaml", from which "api/Jenkinsfile" was generated, does not exist' in text
    assert 'restore the config; no file is generated from "api/pipegen.yml"' in text


@pytest.mark.slow
def test_an_invalid_file_name_in_a_header_is_a_lost_config(mono: Path, pipegen: Pipegen) -> None:
    """A header may contain any text."""
    change(mono / "api/Jenkinsfile", "from api/pipegen.yaml", f"from {'x' * 5000}")

    result = pipegen("compile", "--check")

    assert result.status == 1
    assert "does not exist" in result.err


def test_a_manual_edit_is_reported_without_a_config(mono: Path, pipegen: Pipegen) -> None:
    """The original content is unknown."""
    change(mono / "api/Jenkinsfile", "make api", "make it")
    (mono / "api/pipegen.yaml").unlink()

    assert codes(pipegen) == [("PG680", "api/Jenkinsfile")]


def test_options_are_read_from_the_header(empty: Path, pipegen: Pipegen) -> None:
    """Pipelines, inputs with any text, cuts and style are used again to regenerate the file."""
    hostile = "a 'b' \"c\" $d \\ \n\t é"
    inputs = "inputs: { text: { default: x }, more: { default: y } }\n"
    (empty / "pipegen.yaml").write_text(inputs + SEVERAL, encoding="utf-8")
    pair = ("--pipeline", "nightly", "--pipeline", "checks", "--set", f"text={hostile}", "--set", "more=")
    for options in (("jenkins", "Jenkinsfile", "--style", "scripted"), ("gitlab", ".gitlab-ci.yml", "--split", "unit")):
        target, file, *more = options
        assert pipegen("compile", "-t", target, "-o", file, *pair, *more).status == 0

    assert codes(pipegen) == []
    change(empty / "pipegen.yaml", "lint", "style")
    assert codes(pipegen) == [("PG681", ".gitlab-ci.yml"), ("PG681", "Jenkinsfile")]


def test_child_files_are_checked_with_their_parent(empty: Path, pipegen: Pipegen) -> None:
    """Edited, missing and left-over child files are reported; a stale parent is reported once."""
    (empty / "pipegen.yaml").write_text(service("api", target="gitlab"), encoding="utf-8")
    pipegen("compile", "--split", "unit")
    (child,) = (empty / ".gitlab-ci").iterdir()
    text = child.read_text(encoding="utf-8")
    assert codes(pipegen) == []

    change(child, "make check", "make all")
    assert codes(pipegen) == [("PG680", f".gitlab-ci/{child.name}")]
    child.unlink()
    assert codes(pipegen) == [("PG681", "pipegen.yaml")]
    child.write_text(text, encoding="utf-8")
    child.with_name("unit-0123456789.yml").write_text(text, encoding="utf-8")
    assert 'warning[PG684]: ".gitlab-ci/unit-0123456789.yml"' in pipegen("compile", "--check").err
    assert pipegen("compile", "--check", "--strict").status == 1


def test_a_missing_file_of_a_target_in_the_config_is_reported(here: Path, pipegen: Pipegen) -> None:
    """A file that was written elsewhere with `--output` is not missing."""
    (here / "pipegen.yaml").write_text("targets: { jenkins: {}, gitlab: {} }\n" + CONFIG, encoding="utf-8")
    pipegen("compile", "-t", "gitlab", "-o", "ci.yml")
    result = pipegen("compile", "--check")

    assert result.status == 1
    assert 'error[PG681]: "Jenkinsfile", generated from "pipegen.yaml", does not exist' in result.err
    assert ".gitlab-ci.yml" not in result.err


def test_a_foreign_file_at_the_default_path_is_reported(here: Path, pipegen: Pipegen) -> None:
    """A check compares it, and `--all` does not overwrite it."""
    (here / "pipegen.yaml").write_text("targets: { jenkins: {} }\n" + CONFIG, encoding="utf-8")
    (here / "Jenkinsfile").write_text("node { }\n", encoding="utf-8")
    result = pipegen("compile", "--check")

    assert (result.status, 'error[PG681]: "Jenkinsfile" was not written by pipegen' in result.err) == (1, True)
    assert pipegen("compile", "--all").status == 0
    assert (here / "Jenkinsfile").read_text(encoding="utf-8") == "node { }\n"


def test_files_of_plugin_targets_are_recognized_by_content(
    empty: Path, monkeypatch: pytest.MonkeyPatch, pipegen: Pipegen
) -> None:
    """Their comments may look like GitLab's, and their names are arbitrary."""
    info = empty / "node_modules/outline-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outline\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\noutline = pipegen_outline\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(info.parent))
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs/outline"))
    (empty / "pipegen.yaml").write_text(f"targets: {{ outline: {{ prefix: do- }}, gitlab: {{}} }}\n{CONFIG}", "utf-8")
    pipegen("compile", "-t", "outline", "-o", "rules")
    pipegen("compile", "-t", "gitlab", "-o", "jobs")
    assert codes(pipegen) == []

    change(empty / "pipegen.yaml", "lint", "style")
    assert pipegen("compile", "--all").err.endswith("\njobs written\nrules written\n")
    assert "do-candidate: do-style do-unit" in (empty / "rules").read_text(encoding="utf-8")
    (empty / "pipegen.yaml").rename(empty / "ci.yaml")
    assert "run: pipegen compile ci.yaml -t outline -o rules\n" in pipegen("compile", "--check").err


@pytest.mark.slow
def test_files_that_git_ignores_are_skipped(mono: Path, pipegen: Pipegen) -> None:
    """Build output is not source code."""
    (mono / "out").mkdir()
    (mono / "api/Jenkinsfile").rename(mono / "out/Jenkinsfile")
    (mono / ".gitignore").write_text("out/\n", encoding="utf-8")
    change(mono / "api/pipegen.yaml", "make api", "make it")

    assert "api" not in pipegen("compile", "--check").err


def test_without_git_the_current_folder_is_searched(here: Path, pipegen: Pipegen) -> None:
    """Paths of configs are then relative to their own folders."""
    (here / "out").mkdir()
    (here / "node_modules").mkdir()
    for file in ("out/ci.yml", "node_modules/ci.yml"):
        pipegen("compile", "-t", "gitlab", "-o", file)
    result = pipegen("compile", "--check")

    assert (result.status, result.err) == (0, "out/ci.yml unchanged\n")


@pytest.mark.slow
def test_a_config_with_errors_does_not_stop_other_checks(mono: Path, pipegen: Pipegen) -> None:
    """Its own file cannot be compared."""
    (mono / "api/pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    change(mono / "web/Jenkinsfile", "make web", "make it")

    assert codes(pipegen) == [("PG301", "api/pipegen.yaml"), ("PG680", "web/Jenkinsfile")]


@pytest.mark.usefixtures("here")
def test_nothing_to_check_is_wrong_usage(pipegen: Pipegen) -> None:
    """A check of no files must not succeed."""
    result = pipegen("compile", "--check")

    assert result.status == 2
    assert result.err.startswith(
        "pipegen: no generated file in this repository, and no config with targets in this folder"
    )


@pytest.mark.slow
def test_all_regenerates_every_file(mono: Path, pipegen: Pipegen) -> None:
    """A manual edit is reported and not overwritten."""
    change(mono / "api/Jenkinsfile", "make api", "make it")
    change(mono / "web/pipegen.yaml", "make web", "make it")
    result = pipegen("compile", "--all")

    assert (result.status, result.out) == (1, "")
    assert 'error[PG680]: "api/Jenkinsfile" was changed after pipegen wrote it' in result.err
    assert result.err.endswith("job/Jenkinsfile unchanged\nweb/Jenkinsfile written\n")
    assert "make it" in (mono / "web/Jenkinsfile").read_text(encoding="utf-8")
    assert "make it" in (mono / "api/Jenkinsfile").read_text(encoding="utf-8")
    assert pipegen("compile", "--all", "--force").status == 0
    assert codes(pipegen) == []


def test_all_creates_missing_child_files_and_their_folder(empty: Path, pipegen: Pipegen) -> None:
    """They are written before the parent, which needs them."""
    (empty / "pipegen.yaml").write_text(service("api", target="gitlab"), encoding="utf-8")
    pipegen("compile", "--split", "unit")
    (child,) = (empty / ".gitlab-ci").iterdir()
    child.unlink()
    child.parent.rmdir()

    assert pipegen("compile", "--all").err == f".gitlab-ci/{child.name} written\n.gitlab-ci.yml unchanged\n"


@pytest.mark.slow
@pytest.mark.usefixtures("mono")
@pytest.mark.parametrize("option", [("-t", "jenkins"), ("-o", "x"), ("--watch",), ("--style", "auto"), ("x.yaml",)])
def test_all_rejects_options_of_a_single_file(option: tuple[str, ...], pipegen: Pipegen) -> None:
    """They cannot apply to every file."""
    assert pipegen("compile", "--all", *option).status == 2
