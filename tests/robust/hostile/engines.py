"""Rounds of hostile texts on each engine, and the faults in their results."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from engines import jenkins_harness
from engines.containers import BIN, Containers
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, HERE, SCRIPTED, Engine, Execution, World, execute
from robust.hostile.calls import sent, spread
from robust.hostile.round import Expected, Round

ENGINES: Mapping[str, Engine] = {
    "gitlab-ci-local": GITLAB_LOCAL,
    "scripted": SCRIPTED,
    "declarative": DECLARATIVE,
    "pipegen run": HERE,
}
PROGRAM = Path(__file__).parent / "bin/program"
SETTINGS = {"gitlab": {"mail": {}, "projects": {"other": "group/other"}}}


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a round on an engine: the number of texts, the faults, and the executed texts.

    *compiled* is the number of texts that were compiled alone, and read by the engine's parser or rejected.
    """

    positions: int
    compiled: int
    wrong: tuple[str, ...]
    canaries: tuple[str, ...]


def stand_ins(folder: Path) -> Containers:
    """Return recording programs in place of containers."""
    conf = folder / "containers.conf"
    conf.write_text("[containers]\n", encoding="utf-8")
    environment = {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "DOCKER": str(PROGRAM),
        "HELM": str(PROGRAM),
        "CONTAINERS_CONF": str(conf),
    }
    return Containers(folder=folder, registry="registry.example.org", environment=environment)


def executed(turn: Round, name: str, folder: Path) -> Ran:
    """Return the result of *turn* on the engine *name*; all files are written to *folder*."""
    records, repository = folder / "values", folder / "repository"
    for path in (records, turn.canaries):
        path.mkdir(parents=True)
    worlds.repository(repository, files={CONFIG: turn.config(), **turn.files})
    call_it(turn, repository)
    world = World(
        containers=stand_ins(folder),
        repository=repository,
        folder=folder / "world",
        variables={"RECORDS": str(records), "CONTAINER": str(repository / ".container"), **turn.variables},
        parameters=turn.input_values,
        secrets=turn.secrets,
        settings=SETTINGS,
    )
    done = execute(ENGINES[name], world)
    spread(records)
    for record, value in recorded(done, world):
        (records / record).write_bytes(value)
    failed = [
        f"stage {stage}: {outcome}"
        for stage, outcome in done.outcomes.items()
        if turn.outcomes.get(stage, "success") not in {outcome, "any"}
    ]
    expected = [expectation for expectation in turn.expected if not (expectation.is_sent and ENGINES[name] is HERE)]
    wrong = [fault for expectation in expected if (fault := fault_of(expectation, records))]
    wrong += [*turn.faults, *misread(turn)]
    if wrong or failed:
        (folder / "log").write_text(done.log, encoding="utf-8")
    return Ran(len(expected), turn.tried, (*failed, *wrong), turn.left())


def call_it(turn: Round, repository: Path) -> None:
    """Set the message of the commit of *repository*, and its branch or tag, to those of *turn*."""
    commands = [["commit", "--quiet", "--amend", "--allow-empty-message", "--message", turn.message]]
    commands += [["branch", "--move", turn.branch]] if turn.branch else []
    commands += (
        [["tag", turn.tag], ["checkout", "--quiet", "--detach"], ["branch", "--delete", "--force", "main"]]
        if turn.tag
        else []
    )
    for command in commands:
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
        subprocess.run(("git", "-C", str(repository), *identity, *command), check=True, capture_output=True)


def recorded(done: Execution, world: World) -> Iterator[tuple[str, bytes]]:
    """Yield the data sent to other computers, by the names of records."""
    yield from sent(world.folder / "curl.log")
    if not done.text.startswith("stages:") and "\nstages:" not in done.text:
        for mail in done.mails:
            yield from (("mail.subject", mail.subject.encode()), ("mail.body", mail.body.encode()))
        for _, parameters in done.triggered:
            yield from ((f"trigger.{name}", str(value).encode()) for name, value in parameters.items())


def misread(turn: Round) -> list[str]:
    """Return the errors of the engine's own parser in files generated from configs with one text."""
    if turn.engine in {"scripted", "declarative"} and turn.generated:
        values = jenkins_harness.validate(turn.generated)
        return [f"{name}: {finding}" for name, findings in values.items() for finding in findings]
    if turn.engine == "gitlab-ci-local":
        return [
            f"{name}: no map" for name, text in turn.generated.items() if not isinstance(yaml.safe_load(text), dict)
        ]
    return []


def fault_of(expected: Expected, records: Path) -> str:
    """Return the fault in the record of *expected*, or an empty text."""
    path = records / expected.record
    data = path.read_bytes() if path.exists() else None
    if data == expected.value.encode():
        return ""
    shown = "nothing" if data is None else repr(data.decode("utf-8", "surrogateescape")[:120])
    return f"{expected.key}: {expected.text[:120]!r} should be {expected.value[:120]!r} and is {shown}"
