"""`pipegen check --fix`: what can be mended is, and written whole or not at all."""

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
MENDED = IDLE.replace("- [a, c] # a", "# a")


@pytest.fixture
def idle(empty: Path) -> Path:
    """Return a config with an arc too many, in the current folder."""
    path = empty / "pipegen.yaml"
    path.write_text(IDLE, encoding="utf-8")
    return path


def test_a_fix_is_offered(idle: Path, pipegen: Pipegen) -> None:
    """Without the option nothing is written."""
    result = pipegen("check")

    assert result.status == 0
    assert "info[PG701]" in result.out
    assert "  = fix: --fix removes the arc\n" in result.out
    assert idle.read_text(encoding="utf-8") == IDLE


@pytest.mark.usefixtures("idle")
def test_a_program_can_make_a_fix(pipegen: Pipegen) -> None:
    """The edits are told as stretches of the text."""
    (found,) = json.loads(pipegen("check", "--format", "json").out)["diagnostics"]
    (edit,) = found["fix"]["edits"]
    start, end = (edit["span"][side]["offset"] for side in ("start", "end"))

    assert IDLE[:start] + edit["text"] + IDLE[end:] == MENDED


def test_a_fix_is_made(idle: Path, pipegen: Pipegen) -> None:
    """What is mended is told of no more; a second time, the file is not even written."""
    first = pipegen("check", "--fix")
    written = idle.stat().st_mtime_ns
    second = pipegen("check", "--fix")

    assert (first.status, first.out) == (second.status, second.out) == (0, "")
    assert idle.read_text(encoding="utf-8") == MENDED
    assert idle.stat().st_mtime_ns == written


def test_a_difference_is_shown(idle: Path, pipegen: Pipegen) -> None:
    """Nothing is written; where there is none, the rest is as without it."""
    shown = pipegen("check", "--diff")
    idle.write_text(MENDED, encoding="utf-8")
    without = pipegen("check", "--diff")

    assert shown.status == 1
    assert "-      - [a, c] # a short cut\n+      # a short cut\n" in shown.out
    assert (without.status, without.out) == (0, "")


def test_bytes_that_are_no_text_of_ours_stay(idle: Path, pipegen: Pipegen) -> None:
    """The mark at the start, and the ends of lines; a file in another encoding is left alone."""
    marked = b"\xef\xbb\xbf" + IDLE.replace("\n", "\r\n").encode()
    idle.write_bytes(marked)
    pipegen("check", "--fix")
    wide = IDLE.encode("utf-16")
    (idle.parent / "wide.yaml").write_bytes(wide)
    pipegen("check", "--fix", "wide.yaml")

    assert idle.read_bytes() == b"\xef\xbb\xbf" + MENDED.replace("\n", "\r\n").encode()
    assert (idle.parent / "wide.yaml").read_bytes() == wide


def test_all_pipelines_are_looked_at(idle: Path, pipegen: Pipegen) -> None:
    """What another pipeline reads is read, whichever is asked for."""
    template = "templates: {t: {script: [ls], outputs: {x: {command: ls}}}}\n"
    reader = "  q: {stages: [{name: a, extends: t}, {name: r, script: ['echo ${a.x}']}]}\n"
    text = f"{template}pipelines:\n  p: {{stages: [{{name: a, extends: t}}]}}\n{reader}"
    idle.write_text(text, encoding="utf-8")

    pipegen("check", "--fix", "--pipeline", "p")

    assert idle.read_text(encoding="utf-8") == text


def test_what_is_wrong_is_told_and_nothing_is_mended(empty: Path, pipegen: Pipegen) -> None:
    """What was meant is for a person to say; other configs are mended all the same."""
    (empty / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    (empty / "idle.yaml").write_text(IDLE, encoding="utf-8")

    result = pipegen("check", "--fix", "broken.yaml", "idle.yaml")

    assert (result.status, "PG301" in result.out) == (1, True)
    assert (empty / "broken.yaml").read_text(encoding="utf-8") == BROKEN
    assert (empty / "idle.yaml").read_text(encoding="utf-8") == MENDED


def test_a_compilation_does_not_lint(idle: Path, pipegen: Pipegen) -> None:
    """Only the check does."""
    result = pipegen("compile", "-t", "gitlab", "-o", "-")

    assert idle.exists()
    assert (result.status, "PG7" in result.err) == (0, False)


def test_rules_are_loaded_by_the_check_alone() -> None:
    """Other verbs start faster without them."""
    program = "import sys, pipegen.cli.app; sys.exit(any(name.startswith('pipegen.lint') for name in sys.modules))"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_link_is_not_replaced_by_what_it_leads_to(here: Path, pipegen: Pipegen) -> None:
    """The file itself has to be named."""
    (here / "real.yaml").write_text(IDLE, encoding="utf-8")
    (here / "link.yaml").symlink_to("real.yaml")
    result = pipegen("check", "--fix", "link.yaml")

    assert (result.status, (here / "link.yaml").is_symlink()) == (2, True)
    assert result.err == 'pipegen: "link.yaml" is a link: name its target to apply fixes\n'
    assert pipegen("check", "--fix", "real.yaml").status == 0
    assert (here / "real.yaml").read_text(encoding="utf-8") != IDLE
