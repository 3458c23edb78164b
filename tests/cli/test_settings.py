"""Project settings: severities, strictness and targets, and comments that ignore codes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli.program import CONFIG, Pipegen, names

# PG210 is a warning, PG501 a note.
EMPTY_STEP = """\
pipelines:
  service:
    stages:
      - name: lint
        run: {}
  publish:
    stages:
      - name: image
        build: production
        publish: { image: true }
"""


@pytest.fixture
def warned(empty: Path) -> Path:
    """Return the current folder, the root of a repository, with a config that has diagnostics."""
    (empty / ".git").mkdir()
    (empty / "pipegen.yaml").write_text(EMPTY_STEP, encoding="utf-8")
    return empty


def diagnostics_of(pipegen: Pipegen, *arguments: str) -> list[tuple[str, str]]:
    """Return code and severity of each diagnostic of `check`."""
    document = json.loads(pipegen("check", *arguments, "--format", "json").out)
    return [(diagnostic["code"], diagnostic["severity"]) for diagnostic in document["diagnostics"]]


def settings(folder: Path, text: str, name: str = "pipegen.toml") -> None:
    """Write the settings *text* to *folder*."""
    (folder / name).write_text(text, encoding="utf-8")


def test_settings_change_severities(warned: Path, pipegen: Pipegen) -> None:
    """The value "off" hides a code."""
    before = diagnostics_of(pipegen)
    settings(warned, '[severity]\nPG210 = "info"\nPG501 = "off"\n')
    after = diagnostics_of(pipegen)

    assert before == [("PG210", "warning"), ("PG501", "info")]
    assert after == [("PG210", "info")]


def test_a_warning_configured_as_an_error_stops(warned: Path, pipegen: Pipegen) -> None:
    """The exit code is 1, and no files are written."""
    settings(warned, 'severity.PG210 = "error"\n')

    assert [pipegen(*verb).status for verb in (("check",), ("compile", "-t", "jenkins"), ("plan",))] == [1, 1, 1]
    assert names(warned) == {".git", "pipegen.toml"}


def test_a_warning_configured_as_an_error_prevents_a_run(empty: Path, pipegen: Pipegen) -> None:
    """This includes warnings that only a run reports."""
    config = "pipelines: { p: { stages: [{ name: a, image: x, services: [redis], script: [touch ran] }] } }\n"
    (empty / "pipegen.yaml").write_text(config, encoding="utf-8")
    settings(empty, 'severity.PG826 = "error"\n')
    result = pipegen("run", "--host")

    assert (result.status, result.err.startswith("error[PG826]")) == (1, True)
    assert not (empty / "ran").exists()


@pytest.mark.parametrize(
    "section",
    [
        "[tool.pipegen]\nstrict = true\n",
        "[ tool . 'pipegen' ]\nstrict = true\n",
        "tool.pipegen.strict = true\n",
        "[tool]\npipegen.strict = true\n",
        '[tool]\n"pipegen" = { strict = true }\n',
        "tool = { pipegen = { strict = true } }\n",
    ],
)
def test_strict_in_pyproject(section: str, warned: Path, pipegen: Pipegen) -> None:
    """Check and compile behave as with `--strict`; other verbs do not."""
    settings(warned, f"{section}", "pyproject.toml")

    assert [pipegen(*verb).status for verb in (("check",), ("compile", "-t", "jenkins"), ("plan",))] == [1, 1, 0]


def test_targets_in_the_settings_are_a_default(here: Path, pipegen: Pipegen) -> None:
    """The call takes precedence, then the config."""
    settings(here, 'targets = ["gitlab"]\n')
    pipegen("compile")
    written = names(here)
    (here / "pipegen.yaml").write_text(f"targets: {{ jenkins: {{}} }}\n{CONFIG}", encoding="utf-8")
    pipegen("compile")

    assert written == {"pipegen.toml", ".gitlab-ci.yml"}
    assert names(here) == {*written, "Jenkinsfile"}


def test_an_unknown_target_in_the_settings_is_reported_there(here: Path, pipegen: Pipegen) -> None:
    """The message names the settings file."""
    settings(here, 'targets = ["gitlob"]\n')
    result = pipegen("check")

    assert (result.status, '"targets" in' in result.err, "pipegen.toml: " in result.err) == (2, True, True)


def test_the_nearest_settings_apply(warned: Path, pipegen: Pipegen) -> None:
    """Folders up to the repository root are searched; a pyproject.toml without a section is skipped."""
    folder = warned / "services" / "api"
    folder.mkdir(parents=True)
    (folder / "pipegen.yaml").write_text(EMPTY_STEP, encoding="utf-8")
    config = "services/api/pipegen.yaml"
    settings(warned.parent, 'severity.PG210 = "error"\n')
    none = diagnostics_of(pipegen, config)
    settings(warned, '[tool.pipegen]\nseverity.PG210 = "info"\n', "pyproject.toml")
    settings(folder, '[project]\nname = "uses-pipegen"\n', "pyproject.toml")
    of_root = diagnostics_of(pipegen, config)
    settings(folder, 'severity.PG210 = "off"\n')
    nearest = diagnostics_of(pipegen, config)
    (warned.parent / "pipegen.toml").unlink()

    assert [dict(severities).get("PG210") for severities in (none, of_root, nearest)] == ["warning", "info", None]


def test_pipegen_toml_takes_precedence_over_pyproject(warned: Path, pipegen: Pipegen) -> None:
    """Both files are in the same folder."""
    settings(warned, '[tool.pipegen]\nseverity.PG210 = "off"\n', "pyproject.toml")
    settings(warned, 'severity.PG210 = "info"\n')

    assert dict(diagnostics_of(pipegen))["PG210"] == "info"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("strict = 1\n", "pipegen.toml:1:10: error[PG202]"),
        ("a = 1\n", "pipegen.toml:1:1: error[PG201]"),
        ('# x\n[severity]\nPG210 = "x"\n', "pipegen.toml:3:9: error[PG204]"),
        ('severity = { PG210 = "x" }\n', "pipegen.toml:1:22: error[PG204]"),
        ('targets = "gitlab"\n', "pipegen.toml:1:11: error[PG202]"),
        ("targets = [\n  1,\n]\n", "pipegen.toml:1:11: error[PG202]"),
        ("strict =\n", "pipegen.toml:1:9: error[PG127]"),
        ("a = '\n", "pipegen.toml:2:1: error[PG127]"),
        ("severity = {", "pipegen.toml:1:13: error[PG127]"),
        ("\n[[targets]]\n", "pipegen.toml:2:3: error[PG202]"),
        ("a = 1\na = 2\n", "pipegen.toml:2:6: error[PG127]"),
    ],
)
def test_invalid_settings_are_reported_at_their_line(text: str, line: str, warned: Path, pipegen: Pipegen) -> None:
    """Nothing is generated."""
    settings(warned, text)
    result = pipegen("check", "--format", "concise")

    assert (result.status, result.out[: len(line)]) == (1, line)
    assert pipegen("compile", "-t", "jenkins").status == 1
    assert not (warned / "Jenkinsfile").exists()


def test_settings_that_are_not_utf8_are_reported(warned: Path, pipegen: Pipegen) -> None:
    """The diagnostic is the same as for a config."""
    (warned / "pipegen.toml").write_bytes(b"strict = \xff\n")

    assert pipegen("check", "--format", "concise").out.startswith("pipegen.toml:1:10: error[PG101]")


@pytest.mark.parametrize("text", ["", '[project]\ndependencies = [\n  "pipegen==1",\n]\n[tool.ruff]\na = "pipegen"\n'])
def test_the_toml_reader_is_imported_only_if_needed(
    text: str, warned: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pyproject.toml without a section for pipegen does not need it."""
    settings(warned, text, "pyproject.toml")
    for module in ("tomllib", "pipegen.config.files.toml_tree"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    pipegen("check")

    assert "pipegen.config.files.toml_tree" not in sys.modules


def test_a_comment_ignores_a_code(warned: Path, pipegen: Pipegen) -> None:
    """It works in every verb and takes precedence over the settings."""
    text = EMPTY_STEP.replace("run: {}", "run: {} # pipegen: ignore[PG210] comes later")
    (warned / "pipegen.yaml").write_text(text, encoding="utf-8")
    settings(warned, 'severity.PG210 = "error"\n')

    assert diagnostics_of(pipegen) == [("PG501", "info")]
    assert "PG210" not in pipegen("plan").err
    assert pipegen("compile", "-t", "jenkins").status == 0


def test_an_unused_ignore_comment_is_reported(warned: Path, pipegen: Pipegen) -> None:
    """Only `check` without `--pipeline` reports it, because only that checks everything."""
    (warned / "pipegen.yaml").write_text(f"# pipegen: ignore[PG316]\n{EMPTY_STEP}", encoding="utf-8")

    assert ("PG125", "warning") in diagnostics_of(pipegen)
    assert "PG125" not in pipegen("plan").err
    assert "PG125" not in dict(diagnostics_of(pipegen, "--pipeline", "service"))


@pytest.mark.parametrize(
    ("head", "call", "expected"),
    [
        ("", (), {}),
        ("", ("-t", "gitlab"), {}),
        ("targets: { gitlab: {} }\n", (), {"PG125": "warning"}),
        ("targets: { gitlab: {} }\n", ("-t", "jenkins"), {}),
    ],
)
def test_an_unused_ignore_comment_for_targets(
    head: str,
    call: tuple[str, ...],
    expected: dict[str, str],
    empty: Path,
    pipegen: Pipegen,
) -> None:
    """It is reported if the config names its targets and the call checks all of them."""
    (empty / "pipegen.yaml").write_text(f"# pipegen: ignore[PG624, PG826]\n{head}{CONFIG}", encoding="utf-8")

    assert dict(diagnostics_of(pipegen, *call)) == expected


def test_an_ignore_comment_in_an_included_file_is_never_unused(empty: Path, pipegen: Pipegen) -> None:
    """Another config that includes the file may need it."""
    stages = "pipelines: { p: { stages: [{ name: a, run: {} }] } } # pipegen: ignore[PG210, PG316]\n"
    (empty / "stages.yaml").write_text(stages, encoding="utf-8")
    (empty / "pipegen.yaml").write_text("include: stages.yaml\n", encoding="utf-8")

    assert diagnostics_of(pipegen) == []
