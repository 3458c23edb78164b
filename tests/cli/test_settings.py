"""What a project asks of pipegen: severities, strictness, targets, and comments that ignore codes."""

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
    """Return the current folder, the root of a repository, with a config of which there is something to tell."""
    (empty / ".git").mkdir()
    (empty / "pipegen.yaml").write_text(EMPTY_STEP, encoding="utf-8")
    return empty


def told(pipegen: Pipegen, *arguments: str) -> list[tuple[str, str]]:
    """Return code and severity of what `check` tells."""
    document = json.loads(pipegen("check", *arguments, "--format", "json").out)
    return [(found["code"], found["severity"]) for found in document["diagnostics"]]


def settings(folder: Path, text: str, name: str = "pipegen.toml") -> None:
    """Write the settings *text* to *folder*."""
    (folder / name).write_text(text, encoding="utf-8")


def test_severities(warned: Path, pipegen: Pipegen) -> None:
    """Each as the settings say; what is off is not told."""
    before = told(pipegen)
    settings(warned, '[severity]\nPG210 = "info"\nPG501 = "off"\n')
    after = told(pipegen)

    assert before == [("PG210", "warning"), ("PG501", "info")]
    assert after == [("PG210", "info")]


def test_a_warning_made_an_error_is_one(warned: Path, pipegen: Pipegen) -> None:
    """It ends the check, and nothing is written."""
    settings(warned, 'severity.PG210 = "error"\n')

    assert [pipegen(*verb).status for verb in (("check",), ("compile", "-t", "jenkins"), ("plan",))] == [1, 1, 1]
    assert names(warned) == {".git", "pipegen.toml"}


def test_a_warning_made_an_error_keeps_a_run_from_starting(empty: Path, pipegen: Pipegen) -> None:
    """Those that only a run tells, too."""
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
def test_strict(section: str, warned: Path, pipegen: Pipegen) -> None:
    """As with `--strict`, for check and compile; others do what they can."""
    settings(warned, f"{section}", "pyproject.toml")

    assert [pipegen(*verb).status for verb in (("check",), ("compile", "-t", "jenkins"), ("plan",))] == [1, 1, 0]


def test_targets_are_those_of_configs_that_name_none(here: Path, pipegen: Pipegen) -> None:
    """The call goes first, then the config."""
    settings(here, 'targets = ["gitlab"]\n')
    pipegen("compile")
    written = names(here)
    (here / "pipegen.yaml").write_text(f"targets: {{ jenkins: {{}} }}\n{CONFIG}", encoding="utf-8")
    pipegen("compile")

    assert written == {"pipegen.toml", ".gitlab-ci.yml"}
    assert names(here) == {*written, "Jenkinsfile"}


def test_a_target_that_is_none_is_told_with_its_place(here: Path, pipegen: Pipegen) -> None:
    """Not as that of the call or of the config."""
    settings(here, 'targets = ["gitlob"]\n')
    result = pipegen("check")

    assert (result.status, '"targets" in' in result.err, "pipegen.toml: " in result.err) == (2, True, True)


def test_the_nearest_settings_hold(warned: Path, pipegen: Pipegen) -> None:
    """From the folder of the config up to the root of the repository; a pyproject.toml of others is passed over."""
    folder = warned / "services" / "api"
    folder.mkdir(parents=True)
    (folder / "pipegen.yaml").write_text(EMPTY_STEP, encoding="utf-8")
    config = "services/api/pipegen.yaml"
    settings(warned.parent, 'severity.PG210 = "error"\n')
    none = told(pipegen, config)
    settings(warned, '[tool.pipegen]\nseverity.PG210 = "info"\n', "pyproject.toml")
    settings(folder, '[project]\nname = "uses-pipegen"\n', "pyproject.toml")
    of_root = told(pipegen, config)
    settings(folder, 'severity.PG210 = "off"\n')
    nearest = told(pipegen, config)
    (warned.parent / "pipegen.toml").unlink()

    assert [dict(one).get("PG210") for one in (none, of_root, nearest)] == ["warning", "info", None]


def test_its_own_file_goes_first(warned: Path, pipegen: Pipegen) -> None:
    """Of two in one folder."""
    settings(warned, '[tool.pipegen]\nseverity.PG210 = "off"\n', "pyproject.toml")
    settings(warned, 'severity.PG210 = "info"\n')

    assert dict(told(pipegen))["PG210"] == "info"


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
def test_wrong_settings_are_told_at_their_line(text: str, line: str, warned: Path, pipegen: Pipegen) -> None:
    """And nothing is made of the config."""
    settings(warned, text)
    result = pipegen("check", "--format", "concise")

    assert (result.status, result.out[: len(line)]) == (1, line)
    assert pipegen("compile", "-t", "jenkins").status == 1
    assert not (warned / "Jenkinsfile").exists()


def test_settings_that_are_no_text(warned: Path, pipegen: Pipegen) -> None:
    """Bytes that are no UTF-8 are told of as in a config."""
    (warned / "pipegen.toml").write_bytes(b"strict = \xff\n")

    assert pipegen("check", "--format", "concise").out.startswith("pipegen.toml:1:10: error[PG101]")


@pytest.mark.parametrize("text", ["", '[project]\ndependencies = [\n  "pipegen==1",\n]\n[tool.ruff]\na = "pipegen"\n'])
def test_no_settings_cost_nothing(text: str, warned: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads TOML is imported where there is some that may be for pipegen."""
    settings(warned, text, "pyproject.toml")
    for module in ("tomllib", "pipegen.config.files.toml_tree"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    pipegen("check")

    assert "pipegen.config.files.toml_tree" not in sys.modules


def test_a_comment_ignores(warned: Path, pipegen: Pipegen) -> None:
    """In every verb; the settings have no say in it."""
    text = EMPTY_STEP.replace("run: {}", "run: {} # pipegen: ignore[PG210] comes later")
    (warned / "pipegen.yaml").write_text(text, encoding="utf-8")
    settings(warned, 'severity.PG210 = "error"\n')

    assert told(pipegen) == [("PG501", "info")]
    assert "PG210" not in pipegen("plan").err
    assert pipegen("compile", "-t", "jenkins").status == 0


def test_an_idle_comment_is_told_of(warned: Path, pipegen: Pipegen) -> None:
    """By check alone, which looks at everything."""
    (warned / "pipegen.yaml").write_text(f"# pipegen: ignore[PG316]\n{EMPTY_STEP}", encoding="utf-8")

    assert ("PG125", "warning") in told(pipegen)
    assert "PG125" not in pipegen("plan").err
    assert "PG125" not in dict(told(pipegen, "--pipeline", "service"))


@pytest.mark.parametrize(
    ("head", "call", "found"),
    [
        ("", (), {}),
        ("", ("-t", "gitlab"), {}),
        ("targets: { gitlab: {} }\n", (), {"PG125": "warning"}),
        ("targets: { gitlab: {} }\n", ("-t", "jenkins"), {}),
    ],
)
def test_an_idle_comment_about_targets(
    head: str,
    call: tuple[str, ...],
    found: dict[str, str],
    empty: Path,
    pipegen: Pipegen,
) -> None:
    """Is told of where the config says which targets there are, and the call asks for all of them."""
    (empty / "pipegen.yaml").write_text(f"# pipegen: ignore[PG624, PG826]\n{head}{CONFIG}", encoding="utf-8")

    assert dict(told(pipegen, *call)) == found


def test_an_included_comment_may_serve_another_config(empty: Path, pipegen: Pipegen) -> None:
    """It ignores what is told of its file, and is never called idle."""
    stages = "pipelines: { p: { stages: [{ name: a, run: {} }] } } # pipegen: ignore[PG210, PG316]\n"
    (empty / "stages.yaml").write_text(stages, encoding="utf-8")
    (empty / "pipegen.yaml").write_text("include: stages.yaml\n", encoding="utf-8")

    assert told(pipegen) == []
