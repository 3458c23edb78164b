"""The argument CONFIG, which all verbs that read a config share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli.program import CONFIG, Pipegen

VERBS = (("compile", "-t", "gitlab", "-o", "-"), ("check",), ("graph",), ("plan",))


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_missing_config_is_wrong_usage(verb: tuple[str, ...], pipegen: Pipegen) -> None:
    """The message has the path as the user wrote it."""
    result = pipegen(*verb, "ci/nothing.yaml")

    assert (result.status, result.out, result.err) == (2, "", 'pipegen: "ci/nothing.yaml" does not exist\n')


@pytest.mark.usefixtures("empty")
def test_a_stage_in_place_of_the_config_has_a_hint(pipegen: Pipegen) -> None:
    """Other programs that run parts of a file take their names as arguments."""
    assert pipegen("run", "unit").err == 'pipegen: "unit" does not exist; to run only a stage, write --stage "unit"\n'


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_no_config_in_the_current_folder_is_wrong_usage(verb: tuple[str, ...], pipegen: Pipegen) -> None:
    """The message lists the default names."""
    result = pipegen(*verb)

    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("pipegen: no config in this folder: looked for pipegen.yaml,")


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_folder_has_a_hint_with_its_config(verb: tuple[str, ...], empty: Path, pipegen: Pipegen) -> None:
    """The path can be copied from the message."""
    (empty / "service" / ".pipeline").mkdir(parents=True)
    (empty / "service" / ".pipeline" / "config.yaml").write_text(CONFIG, encoding="utf-8")
    result = pipegen(*verb, "service")

    assert result.status == 2
    assert result.err == 'pipegen: "service" is a folder: name its config "service/.pipeline/config.yaml"\n'


@pytest.mark.usefixtures("empty")
def test_a_folder_without_a_config_is_reported(pipegen: Pipegen) -> None:
    """There is no path to suggest."""
    assert pipegen("check", ".").err == 'pipegen: "." is a folder: it contains no config\n'


@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", "--fleet"),
        ("simulate", "--record"),
        ("simulate", "pipegen.yaml", "--cluster"),
        ("simulate", "pipegen.yaml", "--durations"),
        ("diff", "--durations"),
        ("run", "--env-file"),
        ("test", "--tests"),
    ],
    ids=" ".join,
)
def test_other_missing_files_are_wrong_usage(arguments: tuple[str, ...], empty: Path, pipegen: Pipegen) -> None:
    """Folders at these paths are also wrong usage."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    (empty / "folder").mkdir()
    folder, missing = pipegen(*arguments, "folder"), pipegen(*arguments, "nothing")

    assert (folder.status, folder.out, folder.err) == (2, "", 'pipegen: "folder" is a folder\n')
    assert (missing.status, missing.out) == (2, "")
    assert '"nothing"' in missing.err


@pytest.mark.usefixtures("empty")
def test_a_missing_folder_of_an_audit_is_wrong_usage(pipegen: Pipegen) -> None:
    """An audit of no files would look as if all pipelines were imported."""
    result = pipegen("import", "--audit", "nothing")

    assert (result.status, result.out, result.err) == (2, "", 'pipegen: "nothing" is not a folder\n')


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_an_unreadable_config_is_reported_in_one_line(
    verb: tuple[str, ...], powerless: Pipegen, open_folder: Path
) -> None:
    """It is a failure of the environment, neither wrong usage nor a bug."""
    config = open_folder / "pipegen.yaml"
    powerless(*verb, config)
    config.chmod(0)
    result = powerless(*verb, config)

    assert (result.status, result.out, result.err) == (3, "", f"pipegen: {config}: Permission denied\n")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file here that opens and cannot be read")
@pytest.mark.usefixtures("empty")
def test_a_config_that_fails_during_reading_is_named(pipegen: Pipegen) -> None:
    """The operating system's error does not contain the path."""
    result = pipegen("check", "/proc/self/mem")

    assert (result.status, result.err) == (3, "pipegen: /proc/self/mem: Input/output error\n")


def test_a_config_name_that_is_not_utf8_is_wrong_usage(empty: Path, pipegen: Pipegen) -> None:
    """Generated files contain the name, and they are UTF-8."""
    name = os.fsdecode(b"\xff.yaml")
    (empty / name).write_text(CONFIG, encoding="utf-8")
    result = pipegen("compile", name, "-t", "gitlab")

    assert result.status == 2
    assert "is not UTF-8" in result.err


def test_a_config_in_another_folder_is_compiled_here(empty: Path, pipegen: Pipegen) -> None:
    """A compiler also writes to the current folder."""
    (empty / "configs").mkdir()
    (empty / "configs" / "one.yaml").write_text(CONFIG, encoding="utf-8")

    assert pipegen("compile", "configs/one.yaml", "-t", "gitlab").status == 0
    assert {path.name for path in empty.iterdir()} == {"configs", ".gitlab-ci.yml"}


def test_output_does_not_depend_on_the_current_folder(
    empty: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that depends on the caller would make every file stale for other users."""
    (empty / "deep").mkdir()
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    outputs = [
        pipegen("compile", name, "-t", "gitlab", "-o", "-").out for name in ("pipegen.yaml", empty / "pipegen.yaml")
    ]
    monkeypatch.chdir(empty / "deep")
    outputs.append(pipegen("compile", "../pipegen.yaml", "-t", "gitlab", "-o", "-").out)

    assert outputs[0].startswith("# Generated by pipegen from pipegen.yaml.")
    assert len(set(outputs)) == 1
