"""Plain-text secrets in a config are redacted in all output."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.program import Pipegen

from pipegen.diagnostics.render import FORMATS

TOKEN = "ghp_" + "k3Yz9Qw7Lm" * 4
PASSWORD = "Xk29-vq81-Zp0"  # noqa: S105 - nobody's
CONFIG = f"""\
pipelines:
  p:
    stages:
      - {{ name: a, script: ['curl -H "x: {TOKEN}" -u me:{PASSWORD} https://x.org'] }}
      - {{ name: b, script: [ls], env: {{ PASSWORD: "{PASSWORD}" }} }}
      - {{ name: c, script: [ls] }}
    execution:
      - [a, b, c]
      - [a, c]
"""
BROKEN = CONFIG.replace("script: ['curl", "skript: ['curl")


@pytest.fixture
def config(empty: Path) -> Path:
    """Return a config with secrets, in the current folder."""
    path = empty / "pipegen.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", FORMATS)
def test_check_redacts_secrets(config: Path, pipegen: Pipegen, form: str) -> None:
    """This holds for every format, for files, and for the tokens of a config that cannot be read."""
    shown = pipegen("check", "--format", form, "--output", "report")
    text = shown.out + shown.err + Path("report").read_text(encoding="utf-8")
    assert "PG704" in text
    assert (TOKEN in text, PASSWORD in text) == (False, False)

    config.write_text(BROKEN, encoding="utf-8")
    shown = pipegen("check", "--format", form, "--output", "report")
    assert (shown.status, TOKEN in shown.out + shown.err + Path("report").read_text(encoding="utf-8")) == (1, False)


def test_the_diff_of_fixes_redacts_secrets(config: Path, pipegen: Pipegen) -> None:
    """Each character becomes a star; the fix itself leaves the secrets in the config."""
    config.write_text(CONFIG.replace("{ name: c, script: [ls] }", f"{{ name: c, script: ['echo {TOKEN}'] }}"), "utf-8")
    shown = pipegen("check", "--diff")

    assert shown.status == 1
    assert "-      - [a, c]" in shown.out
    assert f"echo {TOKEN[:4]}{'*' * (len(TOKEN) - 4)}" in shown.out
    assert (TOKEN in shown.out, PASSWORD in shown.out) == (False, False)
    pipegen("check", "--fix")
    assert TOKEN in config.read_text(encoding="utf-8")


@pytest.mark.usefixtures("config")
@pytest.mark.parametrize("verb", ["compile", "plan", "graph", "diff", "run", "simulate"])
def test_other_verbs_redact_tokens(verb: str, config: Path, pipegen: Pipegen) -> None:
    """Their diagnostics show lines of the config."""
    config.write_text(BROKEN, encoding="utf-8")
    Path("other.yaml").write_text(BROKEN, encoding="utf-8")
    shown = pipegen(verb, *(["pipegen.yaml", "other.yaml"] if verb == "diff" else []))

    assert shown.status == 1
    assert "PG2" in shown.err
    assert (TOKEN in shown.err, TOKEN[:4] + "****" in shown.err) == (False, True)


def test_the_diff_of_a_generated_file_redacts_tokens(config: Path, pipegen: Pipegen) -> None:
    """The config has changed since it was compiled."""
    pipegen("compile", "-t", "gitlab")
    config.write_text(CONFIG.replace(TOKEN, TOKEN[::-1].replace("_phg", "ghp_")).replace(" me:", " you:"), "utf-8")
    shown = pipegen("compile", "-t", "gitlab", "--check")

    assert shown.status == 1
    assert "you:" in shown.out
    assert TOKEN not in shown.out
