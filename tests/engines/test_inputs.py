"""Inputs of a run behave the same on all engines: given, by default, in a first build, and invalid."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines.containers import Containers
from engines.gitlab_schema import check
from engines.proof import worlds
from engines.proof.execution import (
    CONFIG,
    DECLARATIVE,
    GITLAB_LOCAL,
    HERE,
    SCRIPTED,
    Engine,
    Execution,
    World,
    absent,
    compiled,
    execute,
)
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE}
CANARY = "/tmp/pipegen-input-canary"  # noqa: S108 - nobody makes it
DEFAULTS = {"level": "full", "dry": "false", "count": "3", "note": f"it's $HOME `touch {CANARY}` \\ %PATH%"}
TOLD = "note: ${inputs.note}"
HOSTILE = f'\'; touch {CANARY}; echo "$(touch {CANARY})" \\ $$ ünï\n  two  '

Run = Callable[..., tuple[Execution, Path]]


def config() -> str:
    """Return the config: a stage that notes its inputs, and one with a required input."""
    write = [f'printf %s ${{inputs.{name}}} >"$RECORDS/{name}"' for name in DEFAULTS]
    note = {"name": "note", "env": {"E": "<${inputs.note}>"}, "script": [*write, 'printf %s "$E" >"$RECORDS/env"']}
    mail = {"email": {"to": ["a@example.org"], "subject": "${inputs.level} ${inputs.version|none}", "body": TOLD}}
    words = ['touch "$RECORDS/need"', "echo '${inputs.version}'"]
    need = {"name": "need", "script": words, "notify": mail}
    last = {"name": "last", "script": ['printf %s "${inputs.version|none}" >"$RECORDS/last"']}
    inputs = {
        "level": {"choices": ["quick", "full"], "default": "full", "description": "How much: 'all', \"$x\"\n"},
        "dry": False,
        "count": 3,
        "note": DEFAULTS["note"],
        "version": {"pattern": "v[0-9]+"},
    }
    pipeline = {"stages": [note, need, last], "execution": [["note", "need"], ["note", "last"]]}
    return yaml_text({"inputs": inputs, "pipelines": {"inputs": pipeline}})


@pytest.fixture
def run(containers: Containers, tmp_path: Path) -> Run:
    """Return a function that executes the config on an engine with inputs."""

    def start(engine: Engine, values: Mapping[str, str]) -> tuple[Execution, Path]:
        require(absent(engine))
        Path(CANARY).unlink(missing_ok=True)
        records = tmp_path / "notes"
        records.mkdir()
        world = World(
            containers=containers,
            repository=worlds.repository(tmp_path / "repository", files={CONFIG: config()}),
            folder=tmp_path / "world",
            variables={"RECORDS": str(records)},
            parameters=values,
            settings={"gitlab": {"mail": {}}},
        )
        return execute(engine, world), records

    return start


def noted(records: Path) -> dict[str, str]:
    """Return the inputs that the stage noted."""
    return {name: (records / name).read_bytes().decode() for name in DEFAULTS}


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_defaults_apply_and_a_missing_input_fails_its_stage(run: Run, engine: Engine) -> None:
    """Also in the first build of a job, whose parameters are not variables; other stages continue."""
    done, records = run(engine, {})

    assert noted(records) == DEFAULTS, done.log
    assert (records / "env").read_text("utf-8") == f"<{DEFAULTS['note']}>"
    assert done.outcomes == {"note": "success", "need": "failed", "last": "success"}
    assert "input version does not match v[0-9]+: " in done.log
    assert not (records / "need").exists()
    assert (records / "last").read_text("utf-8") == "none"
    assert [(mail.to, mail.subject.strip(), mail.body.strip()) for mail in done.mails] == [
        ("a@example.org", "full none", f"note: {DEFAULTS['note']}")
    ]
    assert not Path(CANARY).exists()


@pytest.mark.parametrize("engine", [*ENGINES.values(), HERE], ids=(*ENGINES, "here"))
def test_given_inputs_arrive_unchanged(run: Run, engine: Engine) -> None:
    """Including hostile text."""
    values = {"level": "quick", "dry": "true", "count": "-0.5", "note": HOSTILE, "version": "v2"}
    done, records = run(engine, values)

    assert {**noted(records), "version": (records / "last").read_text("utf-8")} == values, done.log
    assert set(done.outcomes.values()) == {"success"}
    assert not Path(CANARY).exists()


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_an_invalid_input_fails_its_readers_with_its_name(run: Run, engine: Engine) -> None:
    """This holds for each way to pass the value."""
    done, _ = run(engine, {"count": "few", "version": "v1\nv2"})

    assert done.outcomes == {"note": "failed", "need": "skipped", "last": "skipped"}
    assert "input count is not a number: few" in done.log


@pytest.mark.parametrize("engine", [*ENGINES.values(), HERE], ids=(*ENGINES, "here"))
def test_inputs_are_compared_as_text(engine: Engine, containers: Containers, tmp_path: Path) -> None:
    """Booleans and numbers, too; inputs and variables that are empty or missing equal nothing."""
    require(absent(engine))
    inputs = {"dry": False, "count": 3, "level": {"choices": ["quick", "full"]}, "note": "", "blank": ""}
    pairs = {
        "boolean": ["inputs.dry", "env.DRY"],
        "number": ["inputs.count", "env.COUNT"],
        "choice": ["inputs.note", "inputs.level"],
        "empty": ["inputs.blank", "env.BLANK"],
        "missing": ["env.MISSING", "env.ABSENT"],
        "both": ["inputs.blank", "env.MISSING"],
    }
    stages = [{"name": name, "script": ["true"], "when": {"equal": pair}} for name, pair in pairs.items()]
    stages += [
        {"name": f"no {name}", "script": ["true"], "when": {"not": {"equal": pair}}} for name, pair in pairs.items()
    ]
    pipeline = {"stages": stages, "execution": [[stage["name"]] for stage in stages]}
    files = {CONFIG: yaml_text({"inputs": inputs, "pipelines": {"inputs": pipeline}})}
    world = World(
        containers=containers,
        repository=worlds.repository(tmp_path / "repository", files=files),
        folder=tmp_path / "world",
        variables={"DRY": "true", "COUNT": "-0.5", "BLANK": ""},
        parameters={"dry": "true", "count": "-0.5", "level": "full", "note": "full"},
    )
    done = execute(engine, world)
    ran = {name for name, outcome in done.outcomes.items() if outcome == "success"}

    assert ran == {"boolean", "number", "choice", "no empty", "no missing", "no both"}, done.log


def test_input_variables_match_gitlabs_schema(tmp_path: Path) -> None:
    """GitLab generates its form from them."""
    repository = worlds.repository(tmp_path / "repository", files={CONFIG: config()})
    text = compiled(GITLAB_LOCAL, repository, {})

    assert check(text) == ()
