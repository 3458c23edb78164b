"""Hostile names and texts cannot control a terminal, in any verb, through a pipe or directly."""

from __future__ import annotations

import ast
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.program import Pipegen, environment
from cli.repositories import git, repository

import pipegen.cli
from pipegen.cli.verbs import VERBS

# A title, a colour, a one-byte start of a sequence, an override of the text direction, a carriage return.
HOSTILE = "x\x1b]0;owned\x07\x1b[35m\x9b31m\u202e\u2066\x08y\x7f"
NAME = f"x{HOSTILE}"
# The same text as written in a config.
WRITTEN = '"' + "".join(c if c.isascii() and c.isprintable() else f"\\u{ord(c):04x}" for c in NAME) + '"'
SEVERAL_LINES = WRITTEN[:-1] + "\\r\\nforged: line" + '"'
CONFIG = f"""\
targets: {{ gitlab: {{}}, jenkins: {{}} }}
inputs: {{ level: {{ default: {WRITTEN} }} }}
pipelines:
  {WRITTEN}:
    stages:
      - {{ name: {WRITTEN}, script: ["echo {WRITTEN[1:-1]}; exit 1"], image: {WRITTEN} }}
      - {{ name: {SEVERAL_LINES}, script: [{WRITTEN}] }}
      - {{ name: b, script: [x], when: {{ branch: {WRITTEN} }}, lock: {WRITTEN}, environment: {WRITTEN} }}
      - {{ name: c, approve: {{ message: {WRITTEN} }}, script: [x] }}
    execution:
      - [{WRITTEN}, b]
"""
# Diagnostics quote the text of invalid configs; valid ones reach later stages.
GOOD = f"""\
targets: {{ gitlab: {{}}, jenkins: {{}} }}
inputs: {{ level: {{ default: {WRITTEN} }} }}
pipelines:
  p:
    stages:
      - {{ name: {WRITTEN}, script: ["echo {WRITTEN[1:-1]}"] }}
      - {{ name: b, script: ["echo ${{inputs.level}}"], when: {{ branch: {WRITTEN} }}, lock: {WRITTEN} }}
      - {{ name: c, approve: {{ message: {WRITTEN} }}, script: [x] }}
    execution:
      - [{WRITTEN}, b]
      - [c, b]
"""
PLAIN = "pipelines: { p: { stages: [{ name: a, script: [x] }, { name: b, script: ['exit 1'] }] } }\n"
FOREIGN = f"""\
include: [{{ local: {WRITTEN} }}, {{ remote: {WRITTEN} }}, {{ project: {WRITTEN}, file: {WRITTEN} }}]
{WRITTEN}:
  script: [{WRITTEN}]
  stage: {WRITTEN}
  image: {WRITTEN}
  tags: [{WRITTEN}]
  rules: [{{ if: {WRITTEN} }}]
  extends: {WRITTEN[:-1]}y"
  variables: {{ {WRITTEN}: {WRITTEN} }}
z: {{ script: [a], needs: [{WRITTEN}], {WRITTEN}: {WRITTEN} }}
"""
JENKINSFILE = f"""\
@Library('{NAME}') _
pipeline {{
  agent {{ label '{NAME}' }}
  stages {{ stage('{NAME}') {{
    when {{ branch '{NAME}' }}
    steps {{ sh '{NAME}'; unknownStep('{NAME}'); {HOSTILE}() }}
  }} }}
}}
"""
FORMS = ("text", "concise", "json", "sarif", "gitlab", "github", "junit")
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "init": ((), ("--template", NAME), ("--force", "--template", "go", "--target", NAME)),
    "import": (
        *((), ("--report", "json", "--force"), ("--audit", ".")),
        *(
            (f"foreign.{kind}", "--include-root", ".", "--force", "-o", "imported.yaml", "--report", form)
            for kind in ("gitlab-ci.yml", "Jenkinsfile")
            for form in ("text", "json")
        ),
    ),
    "check": (
        *(
            (),
            ("--diff",),
            ("--all",),
            (NAME,),
            (f"{NAME}.yaml",),
            ("--set", f"level={NAME}"),
            ("-o", f"{NAME}/report"),
        ),
        *(("--format", form, f"{NAME}.yaml") for form in FORMS),
        *(("--format", form) for form in FORMS),
    ),
    "compile": (
        *(("--check",), ("--check", "--target", "gitlab"), ("-o", NAME, "-t", "gitlab"), ("-t", NAME), ("--all",)),
        *(("-o", "-", "-t", "gitlab"), ("-o", "-", "-t", "jenkins"), (), ("--check", "-o", NAME, "-t", "gitlab")),
    ),
    "graph": ((), (NAME,), *(("--format", form) for form in ("dot", "mermaid", "json", "svg", "html"))),
    "test": ((), ("--tests", NAME), *(("--format", form) for form in FORMS)),
    "plan": (
        *(("--events",), ("--events", "--branch", NAME), ("--tag", NAME), ("--event", NAME)),
        *((), ("--format", "json"), ("--target", "gitlab"), ("--changed-since", NAME), ("--expanded",)),
    ),
    "diff": ((), ("HEAD",), (f"{NAME}.yaml",), (NAME,), ("--format", "markdown"), ("--format", "json")),
    "run": (
        *(("--dry-run",), ("--dry-run", "--set", f"level={NAME}"), ("--stage", NAME), ("--report", NAME)),
        *(("--host",), ("--host", "--allow-effects"), ("--env-file", NAME), ("--pipeline", NAME)),
    ),
    "simulate": ((), ("--format", "json"), ("--durations", "times.yaml"), ("--order", NAME)),
    "explain": ((NAME,), ("PG301",)),
    "targets": ((), (NAME,)),
    "schema": ((), (NAME,)),
    f"no-{NAME}": ((),),
}
# Sequences that pipegen writes itself: colours, and the progress of a run.
OWN = re.compile(r"\x1b\[(?:0|[12]|1;3[1346]|3[123])m|\x1b\[\?7[lh]|\x1b\[\d+A\x1b\[J")
# Characters that files may contain, and that a terminal gets as escapes.
CONTROL = re.compile(r"[\x80-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def folder(root: Path, config: str) -> Path:
    """Return *root* as a repository in which every name is hostile."""
    repository(root, {"pipegen.yaml": PLAIN, f"{NAME}.yaml": config})
    (root / "pipegen.yaml").write_text(config, encoding="utf-8")
    (root / "times.yaml").write_text(f"{WRITTEN}: 3\nx: {WRITTEN}\n", encoding="utf-8")
    tests = f"tests: {{ {WRITTEN}: {{ event: {{ kind: push, branch: {WRITTEN} }}, never: [{WRITTEN}], only: [] }} }}\n"
    (root / "pipegen.test.yaml").write_text(tests, encoding="utf-8")
    (root / ".gitlab-ci.yml").write_text(f"# Generated by pipegen from {NAME}\n{HOSTILE}\n", encoding="utf-8")
    (root / f"{NAME}.gitlab-ci.yml").write_text("# Generated by pipegen from gone.yaml\n", encoding="utf-8")
    (root / "foreign.gitlab-ci.yml").write_text(FOREIGN, encoding="utf-8")
    (root / "foreign.Jenkinsfile").write_text(JENKINSFILE, encoding="utf-8")
    git(root, "checkout", "--quiet", "-b", "branch-\u202e-\u2066x")
    return root


def calls() -> Iterator[tuple[str, ...]]:
    """Yield each verb with its arguments."""
    for verb, several in CALLS.items():
        yield from ((verb, *arguments) for arguments in several)


def is_file(call: tuple[str, ...]) -> bool:
    """Return whether *call* writes an unescaped file to standard output."""
    return "--expanded" in call or "-" in call


def test_calls_cover_every_verb() -> None:
    """A new verb needs an entry."""
    assert VERBS.keys() <= CALLS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("config", [CONFIG, GOOD, f"{GOOD}include: [{WRITTEN}, {SEVERAL_LINES}]\n"])
def test_piped_output_has_no_control_characters(config: str, empty: Path, pipegen: Pipegen) -> None:
    """Programs that show logs may also be terminals."""
    folder(empty, config)
    steering = []
    for call in calls():
        result = pipegen(*call)
        shown = (result.out if not is_file(call) else CONTROL.sub("", result.out), result.err)
        steering += [(call, match[0]) for text in shown if (match := STEERING.search(text))]

    assert steering == []


@pytest.mark.slow
@pytest.mark.parametrize("config", [CONFIG, GOOD])
def test_terminal_output_has_only_our_control_sequences(config: str, empty: Path) -> None:
    """These are colours and progress displays; questions are included."""
    folder(empty, config)
    (empty / "all.py").write_text(
        "import os, sys\n"
        "from pipegen.cli.app import run\n"
        f"for call in {tuple(calls())!r}:\n"
        "    sys.argv = ['pipegen', *call]\n"
        "    run()\n"
        "    sys.stdout.flush()\n"
    )
    text = on_terminal(empty)
    rest = OWN.sub("", text)

    assert config is not GOOD or "[y/N]" in rest
    assert [rest[max(0, at.start() - 60) : at.end() + 20] for at in STEERING.finditer(rest)] == []


def on_terminal(root: Path) -> str:
    """Return the terminal output of a program that calls all verbs and answers each question with no."""
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "all.py"], cwd=root, env=environment(), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    data = b""
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        while True:
            try:
                more = terminal.read(65536)
            except OSError:  # the other end is closed
                break
            data += more
            if more.rstrip().endswith((b"[y/N]", b"]:")):
                terminal.write(b"n\n")
    assert done.wait(timeout=60) is not None
    return data.decode(errors="replace").replace("\r\n", "\n")


def test_only_one_module_writes_to_the_terminal() -> None:
    """It escapes text; other modules must not write directly."""
    root = Path(pipegen.cli.__path__[0])
    past = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            words = ast.unparse(node) if isinstance(node, ast.Call) else ""
            if words.startswith(("print(", "click.echo(", "click.secho(", "sys.stdout.write", "sys.stderr.write")):
                past.add(path.relative_to(root).as_posix())

    assert past == {"terminal/streams.py"}
