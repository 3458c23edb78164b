"""Verbs are imported only when they are called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import Pipegen

from pipegen.cli.verbs import VERBS, command

_LOADED = "import sys; sys.argv[0] = 'pipegen'; from pipegen.cli.app import run; run(); print(*sys.modules)"


def all_loaded(*arguments: str) -> frozenset[str]:
    """Return the modules that `pipegen` with *arguments* loads."""
    command = (sys.executable, "-c", _LOADED, *arguments)
    last = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    return frozenset(last.split())


def loaded(*arguments: str) -> list[str]:
    """Return the modules of pipegen that a call loads."""
    return sorted(name for name in all_loaded(*arguments) if name.startswith("pipegen."))


def test_help_imports_no_verb() -> None:
    """The names of the verbs are known without their modules."""
    assert [name for name in loaded("--help") if not name.startswith("pipegen.cli")] == ["pipegen.visible"]
    assert [name for name in loaded("--help") if name.startswith("pipegen.cli.commands.")] == []


def test_a_verb_imports_no_other_verb() -> None:
    """The verb `explain` loads no module that compiles."""
    names = loaded("explain", "PG301")

    assert [name for name in names if name.startswith("pipegen.cli.commands.")] == ["pipegen.cli.commands.explain"]
    assert [name for name in names if name.startswith(("pipegen.plan", "pipegen.targets", "pipegen.run"))] == []


@pytest.mark.slow
def test_a_target_imports_no_other_target(tmp_path: Path) -> None:
    """Modules for running pipelines and for explaining errors are not loaded either."""
    path = tmp_path / "pipegen.yaml"
    path.write_text("pipelines:\n  p:\n    stages:\n      - name: a\n        script: [make]\n", encoding="utf-8")
    names = loaded("compile", str(path), "-t", "gitlab", "-o", "-")

    assert "pipegen.targets.gitlab" in names
    assert [name for name in names if name.startswith(("pipegen.run", "pipegen.targets.jenkins"))] == []
    assert "pipegen.config.schema.explain" not in names


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["compile -t gitlab -o out.yml", "check"])
def test_a_short_call_does_not_import_slow_modules(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of these took a millisecond or two."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")  # shellcheck is not installed
    image = f"alpine@sha256:{'0' * 64}"
    config = f"pipelines:\n  p:\n    stages:\n      - {{ name: a, image: '{image}', script: [make] }}\n"
    Path("pipegen.yaml").write_text(config, encoding="utf-8")
    names = all_loaded(*arguments.split())

    assert names & {"importlib.resources", "json", "unicodedata", "zipfile"} == set()
    assert "pipegen.diagnostics.render.text" not in names


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str, pipegen: Pipegen) -> None:
    """The summary is the same as in the list of verbs."""
    result = pipegen(verb, "--help")
    summary, _, _ = (command(verb).help or "").partition("\n")

    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(f"Usage: pipegen {verb} ")
    assert summary == VERBS[verb].summary


def test_a_misspelled_verb_has_a_suggestion(pipegen: Pipegen) -> None:
    """It is wrong usage."""
    result = pipegen("rnu")

    assert (result.status, "'run'" in result.err) == (2, True)
