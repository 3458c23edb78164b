"""Each folder of `examples/` compiles unchanged for both targets."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from cli.program import process

from pipegen.bindings.script.lexer import lex
from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Commands
from pipegen.source.text import SourceFile

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())

# Stands in for Maven: it refuses an empty argument as Maven does.
MAVEN = """#!/bin/sh
for argument; do [ -n "$argument" ] || { echo 'Unknown lifecycle phase ""' >&2; exit 1; }; done
printf '[%s]' "$MAVEN_ARGS" >> "$CALLS"
printf ' [%s]' "$@" >> "$CALLS"
echo >> "$CALLS"
mkdir -p target/surefire-reports target/site/jacoco
echo > target/library.jar
echo '<testsuite/>' > target/surefire-reports/a.xml
echo '<report name="a"/>' > target/site/jacoco/jacoco.xml
"""

# The warnings that may be seen, by example: GitLab sends mails only where the config says how, and Jenkins starts no
# stage later that takes an environment down.
WARNINGS = {"linear": {"PG624"}, "node": {"PG619"}, "services": {"PG624"}}

TARGETS = ("--target", "gitlab", "--target", "jenkins")


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.name)
def example(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of an example outside any repository."""
    source: Path = request.param
    return Path(shutil.copytree(source, tmp_path / source.name))


# A condition of a stage or a pipeline on one line.
_CONDITION = re.compile(r"^ +when: .*\n", re.MULTILINE)
_WITH_TESTS = [path for path in EXAMPLES if (path / "pipegen.test.yaml").exists()]


@pytest.mark.slow
@pytest.mark.parametrize("source", _WITH_TESTS, ids=lambda path: path.name)
def test_tests_of_an_example_pass_and_fail_without_a_condition(source: Path, tmp_path: Path) -> None:
    """Each condition of an example matters to one of its tests."""
    folder = Path(shutil.copytree(source, tmp_path / source.name))
    config = folder / "pipegen.yaml"
    text = config.read_text(encoding="utf-8")
    assert process("test", at=folder).returncode == 0

    conditions = list(_CONDITION.finditer(text))
    assert conditions
    for condition in conditions:
        config.write_text(text[: condition.start()] + text[condition.end() :], encoding="utf-8")
        changed = process("test", at=folder)
        # A stage that stops an environment starts only by hand.
        assert changed.returncode == 1 or "PG542" in process("check", at=folder).stdout, condition[0]


@pytest.mark.slow
def test_an_example_compiles_and_passes_the_check(example: Path) -> None:
    """It has only the expected warnings, and `compile --check` finds no difference."""
    compiled = process("compile", *TARGETS, "--format", "json", at=example)
    diagnostics = [
        diagnostic for diagnostic in json.loads(compiled.stderr)["diagnostics"] if diagnostic["severity"] != "info"
    ]
    checked = process("compile", *TARGETS, "--check", "--format", "json", at=example)

    assert compiled.returncode == 0
    assert {diagnostic["code"] for diagnostic in diagnostics} == WARNINGS.get(example.name, set())
    assert {path.name for path in example.iterdir()} >= {".gitlab-ci.yml", "Jenkinsfile"}
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.slow
def test_an_example_contains_its_blubberfiles(example: Path) -> None:
    """Those that its stages use; examples of PipelineLib contain nothing else but the config."""
    compiled = process("compile", "--target", "gitlab", "--output", "-", at=example).stdout
    folder = example / ".pipeline"
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    assert names - {"config.yaml"} == set(re.findall(r"<\S*\.pipeline/(\S+\.yaml)", compiled))
    assert not names or [path.name for path in example.iterdir()] == [".pipeline"]


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda path: path.name)
def test_an_example_has_a_config_and_a_readme(source: Path) -> None:
    """PipelineLib's examples have one folder, with the name that it reads."""
    is_pipelinelibs = (source / ".pipeline").is_dir()

    assert is_pipelinelibs or {"README.md", "pipegen.yaml"} <= {path.name for path in source.iterdir()}


@pytest.mark.slow
def test_maven_gets_no_empty_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without options: Maven would read an empty argument as an unknown lifecycle phase."""
    example = Path(shutil.copytree(ROOT / "examples/java", tmp_path / "java"))
    program = tmp_path / "bin/mvn"
    program.parent.mkdir()
    program.write_text(MAVEN, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    plain = process("run", "--host", "--stage", "verify", at=example)
    more = process("run", "--host", "--stage", "verify", "--set", "maven_options=-o -X", at=example)

    assert (plain.returncode, more.returncode) == (0, 0), plain.stderr + more.stderr
    assert (tmp_path / "calls").read_text(encoding="utf-8") == "[] [-B] [verify]\n[-o -X] [-B] [verify]\n"


def test_python_programs_are_run_as_modules() -> None:
    """`pip install` may put programs outside PATH; `python -m` always finds them."""
    text = (ROOT / "examples/python/pipegen.yaml").read_text(encoding="utf-8")
    stages = analyse(SourceFile("pipegen.yaml", text), (), Report()).plans[0].jobs
    lines = [line for job in stages for step in job.steps if isinstance(step, Commands) for line in step.lines]
    scripts = [line.script.span.text.strip("'\"") for line in lines]
    programs = {command.words[0].text for script in scripts for command in lex(script, ())[0].commands}

    assert programs == {"python", "echo", "grep", "printf"}


def test_examples_with_expected_warnings_exist() -> None:
    """An entry for a removed example would be unused."""
    assert set(WARNINGS) <= {path.name for path in EXAMPLES}
