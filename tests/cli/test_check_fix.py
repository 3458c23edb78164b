"""`pipegen check --fix` applies fixes; a file is written completely or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import BROKEN, Pipegen

IDLE = """\
# a service
pipelines:
  p:
    stages:
      - { name: a, script: [ls], artifacts: [x] } # the first
      - { name: b, script: [ls], artifacts: [y] }
      - { name: c, script: [ls] }
    execution:
      - [a, b, c]
      - [a, c] # a short cut
"""
FIXED = IDLE.replace("- [a, c] # a", "# a")


@pytest.fixture
def idle(empty: Path) -> Path:
    """Return a config with a redundant arc, in the current folder."""
    path = empty / "pipegen.yaml"
    path.write_text(IDLE, encoding="utf-8")
    return path


def test_a_fix_is_suggested(idle: Path, pipegen: Pipegen) -> None:
    """Without the option, nothing is written."""
    result = pipegen("check")

    assert result.status == 0
    assert "info[PG701]" in result.out
    assert "  = fix: --fix removes the arc\n" in result.out
    assert idle.read_text(encoding="utf-8") == IDLE


@pytest.mark.usefixtures("idle")
def test_json_contains_the_edits_of_a_fix(pipegen: Pipegen) -> None:
    """Each edit has start and end offsets in the text."""
    (data,) = json.loads(pipegen("check", "--format", "json").out)["diagnostics"]
    (edit,) = data["fix"]["edits"]
    start, end = (edit["span"][side]["offset"] for side in ("start", "end"))

    assert IDLE[:start] + edit["text"] + IDLE[end:] == FIXED


def test_fix_edits_the_file(idle: Path, pipegen: Pipegen) -> None:
    """Fixed diagnostics are not reported, and a second call does not write the file."""
    first = pipegen("check", "--fix")
    written = idle.stat().st_mtime_ns
    second = pipegen("check", "--fix")

    assert (first.status, first.out) == (second.status, second.out) == (0, "")
    assert idle.read_text(encoding="utf-8") == FIXED
    assert idle.stat().st_mtime_ns == written


def test_diff_shows_the_edits_without_writing(idle: Path, pipegen: Pipegen) -> None:
    """Without any edits, the output is that of a plain check."""
    shown = pipegen("check", "--diff")
    idle.write_text(FIXED, encoding="utf-8")
    without = pipegen("check", "--diff")

    assert shown.status == 1
    assert "-      - [a, c] # a short cut\n+      # a short cut\n" in shown.out
    assert (without.status, without.out) == (0, "")


def test_fix_preserves_line_ends_and_the_byte_order_mark(idle: Path, pipegen: Pipegen) -> None:
    """A file in another encoding is not changed."""
    marked = b"\xef\xbb\xbf" + IDLE.replace("\n", "\r\n").encode()
    idle.write_bytes(marked)
    pipegen("check", "--fix")
    wide = IDLE.encode("utf-16")
    (idle.parent / "wide.yaml").write_bytes(wide)
    pipegen("check", "--fix", "wide.yaml")

    assert idle.read_bytes() == b"\xef\xbb\xbf" + FIXED.replace("\n", "\r\n").encode()
    assert (idle.parent / "wide.yaml").read_bytes() == wide


def test_fix_considers_all_pipelines(idle: Path, pipegen: Pipegen) -> None:
    """An output that another pipeline reads is not unused, even with `--pipeline`."""
    template = "templates: {t: {script: [ls], outputs: {x: {command: ls}}}}\n"
    reader = "  q: {stages: [{name: a, extends: t}, {name: r, script: ['echo ${a.x}']}]}\n"
    text = f"{template}pipelines:\n  p: {{stages: [{{name: a, extends: t}}]}}\n{reader}"
    idle.write_text(text, encoding="utf-8")

    pipegen("check", "--fix", "--pipeline", "p")

    assert idle.read_text(encoding="utf-8") == text


def test_fix_does_not_edit_a_config_with_errors(empty: Path, pipegen: Pipegen) -> None:
    """Only the user knows what was intended; other configs are still fixed."""
    (empty / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    (empty / "idle.yaml").write_text(IDLE, encoding="utf-8")

    result = pipegen("check", "--fix", "broken.yaml", "idle.yaml")

    assert (result.status, "PG301" in result.out) == (1, True)
    assert (empty / "broken.yaml").read_text(encoding="utf-8") == BROKEN
    assert (empty / "idle.yaml").read_text(encoding="utf-8") == FIXED


def test_compile_does_not_run_lint_rules(idle: Path, pipegen: Pipegen) -> None:
    """Only `check` runs them."""
    result = pipegen("compile", "-t", "gitlab", "-o", "-")

    assert idle.exists()
    assert (result.status, "PG7" in result.err) == (0, False)


def test_lint_rules_are_loaded_only_by_check() -> None:
    """Other verbs start faster without them."""
    program = "import sys, pipegen.cli.app; sys.exit(any(name.startswith('pipegen.lint') for name in sys.modules))"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_fix_does_not_replace_a_symlink(here: Path, pipegen: Pipegen) -> None:
    """The user names the target of the link instead."""
    (here / "real.yaml").write_text(IDLE, encoding="utf-8")
    (here / "link.yaml").symlink_to("real.yaml")
    result = pipegen("check", "--fix", "link.yaml")

    assert (result.status, (here / "link.yaml").is_symlink()) == (2, True)
    assert result.err == 'pipegen: "link.yaml" is a link: name its target to apply fixes\n'
    assert pipegen("check", "--fix", "real.yaml").status == 0
    assert (here / "real.yaml").read_text(encoding="utf-8") != IDLE
