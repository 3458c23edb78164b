"""Each code has an example: `diagnostics/<PGnnn-name>/` has a config and its expected diagnostics.

Included files are in `included/`. A file that is not a config is read as the generated file that it resembles.
The first line of a config may be a comment with the target and options of the command line
(`# target: jenkins style=declarative`), the selected pipelines (`# pipeline: test`), the fixed inputs
(`# set: level=full`), the runners of a simulation (`# cluster: included/cluster.yml`) or its fleet
(`# fleet: included/fleet.yml`), recorded runs (`# record: included/jobs.json`), the durations of stages
(`# durations: included/durations.yml`), the project settings (`# settings: included/pipegen.toml`), a pipeline to
import (`# import: gitlab`), a local run on a computer without tools (`# run: host stage=unit`), the files that have
changed since `main` (`# changed: api/main.py`), or a difference between the config and its generated files
(`# drift: renamed`). `pytest --update-golden` writes the expected diagnostics.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import chdir, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from drifting import drifted
from engines.requirement import require

from pipegen.cli.linting import lint
from pipegen.cli.timing.durations import check_timeouts, load_durations
from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import load
from pipegen.config.files.project import read_settings
from pipegen.config.ignores import report_unused
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.model import Code, Diagnostic, Severity
from pipegen.diagnostics.redaction import redact_plain_secrets
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped
from pipegen.expectations.check import ConfigUnderTest
from pipegen.expectations.check import check as check_expectation
from pipegen.expectations.read import read_expectations
from pipegen.fleet.reading.cluster import read_cluster
from pipegen.fleet.reading.read import read_fleet
from pipegen.fleet.recordings import Recording
from pipegen.importing.gitlab.importer import import_gitlab
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.imported import report_differences
from pipegen.plan.changes.narrow import narrow
from pipegen.readback.engines import engine_of
from pipegen.readback.generated import read
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.prepare import RunRequest, gather
from pipegen.run.scheduling.fitting import check
from pipegen.run.tasks import pipeline_run
from pipegen.targets import registry

T = TypeVar("T")

FOLDERS = sorted(path for path in (Path(__file__).parent / "diagnostics").iterdir() if path.is_dir())
NAME = re.compile(r"(?P<number>PG[0-9]{3})-(?P<name>[a-z-]+)")

# Notes that accompany other diagnostics: a file may have several pipelines, features of only one engine, and stages
# that a change does not affect. If no pipeline has stages, each of them is reported, too.
BESIDE = {"PG501", "PG211", "PG366", "PG617", "PG649", "PG690", "PG716"}

# Diagnostics that depend on an installed program.
SHELLCHECK = ("PG706", "PG707")
# Messages of a shell in its own words, and messages of only one of the shells.
SHELLS = ("PG720", "PG721")


def settings_of(config: Path) -> dict[str, list[str]]:
    """Return the settings in the comment on the first line of *config*, by their first word."""
    line = config.read_bytes().partition(b"\n")[0].decode(errors="replace")
    keys = "import|target|pipeline|set|cluster|fleet|record|durations|settings|run|changed|drift|tests"
    match = re.fullmatch(rf"# (?P<key>{keys}): (?P<words>.+)", line)
    return {match["key"]: match["words"].split()} if match else {}


@cache
def diagnose(folder: Path) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the config in *folder*."""
    report = Report()
    settings = settings_of(folder / "pipeline.yml")
    if "drift" in settings:
        return drifted(folder, *settings["drift"])
    with suppress(Stopped):
        for name in settings.get("settings", ()):
            report.apply_policy(read_settings(folder / name, report, shown=Path(name).name).policy)
        file = load(folder / "pipeline.yml", report, shown="pipeline.yml")
        report.stop_if_errors()
        if "import" in settings:
            imported = import_gitlab(file, Roots(folder), "main", report)
            if "proof" in settings["import"] and (proof := prove(imported)) is not None:
                report_differences(proof, report)
            return report.diagnostics()
        engine = engine_of(file)
        if engine is not None and not folder.name.startswith("PG131"):
            read(file, engine, report)
            return report.diagnostics()
        fixed = dict(option.split("=") for option in settings.get("set", ()))
        analysed = analyse(file, settings.get("pipeline", ()), report, fixed)
        for name, *options in [settings["target"]] if "target" in settings else []:
            generate(analysed, registry.load(name), dict(option.split("=") for option in options), report)
        diagnose_further(analysed, folder, settings, report)
        if folder.name.startswith("PG7"):
            if folder.name.startswith(SHELLCHECK):
                require(None if shutil.which("shellcheck") else "shellcheck is not installed")
            if folder.name.startswith(SHELLS):
                is_dash = Path(shutil.which("sh") or "").resolve().name == "dash"
                require(None if is_dash and shutil.which("bash") else "sh is not dash, or bash is not installed")
            lint(analysed, report)
    return redact_plain_secrets(report.diagnostics())


def from_its_folder(path: Path, read: Callable[[Path], T]) -> T:
    """Return what *read* returns for the name of the file at *path*, in its folder."""
    with chdir(path.parent):
        return read(Path(path.name))


def diagnose_further(analysed: Analysed, folder: Path, settings: Mapping[str, list[str]], report: Report) -> None:
    """Report the diagnostics of other commands for *analysed*, according to *settings*."""
    for name in settings.get("cluster", ()):
        machines = from_its_folder(folder / name, lambda path: read_cluster(path, report))
        check([task for plan in analysed.plans for task in pipeline_run(plan).tasks], machines, report)
    for name in settings.get("record", ()):
        from_its_folder(folder / name, lambda path: Recording().read(path, report))
    for name in settings.get("fleet", ()):
        from_its_folder(folder / name, lambda path: read_fleet(path, {}, report))
    for name in settings.get("durations", ()):
        plans = {plan.name: plan for plan in analysed.plans}
        times = from_its_folder(folder / name, lambda path: load_durations(path, plans, report))  # noqa: B023 - called now
        check_timeouts(plans, times, report)
    if "changed" in settings:
        narrow(analysed.plans, settings["changed"], "main", report)
    for name in settings.get("tests", ()):
        tested = ConfigUnderTest(plans=analysed.plans, inputs={}, repository=LocalCheckout(folder))
        source = load(folder / name, report, shown=Path(name).name)
        for expectation in read_expectations(source, report):
            check_expectation(expectation, tested, report)
    report_unused(report, analysed.file, lambda _: True)
    if "run" in settings:
        gather(analysed.plans, (), RunContext(LocalCheckout(folder), {}, {}), wish_of(settings["run"]), report)


def wish_of(words: list[str]) -> RunRequest:
    """Return the run that *words* request, with its variables."""
    environment = dict(word.removeprefix("env=").split("=", 1) for word in words if word.startswith("env="))
    return RunRequest(
        stages=tuple(word.removeprefix("stage=") for word in words if word.startswith("stage=")),
        is_isolated="isolated" in words,
        is_on_host="host" in words,
        environment={"PATH": "", **environment},
        started=datetime(2022, 1, 31, tzinfo=UTC),
    )


def code_of(folder: Path) -> Code:
    """Return the code of *folder*, whose name begins with the number and name of that code."""
    match = NAME.fullmatch(folder.name)
    assert match is not None
    (code,) = (code for code in table() if code.number == match["number"])
    assert f"{match['name']}-".startswith(f"{code.name}-")
    return code


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_diagnostics_match_the_expected_text(folder: Path, request: pytest.FixtureRequest) -> None:
    """The comparison is exact."""
    expected = folder / "expected.txt"
    shown = FORMATS["text"](diagnose(folder), colour=False)
    if request.config.getoption("--update-golden"):
        expected.write_text(shown, encoding="utf-8")

    assert expected.exists(), "run pytest tests/test_diagnostics_folders.py --update-golden to write it"
    assert shown == expected.read_text(encoding="utf-8"), "if this is intended, run pytest with --update-golden"
    check_completeness(folder)


def check_completeness(folder: Path) -> None:
    """Check that *folder* reports only its own code, each time with a location and, if necessary, a hint."""
    diagnostics = [
        diagnostic for diagnostic in diagnose(folder) if diagnostic.code.number not in BESIDE - {folder.name[:5]}
    ]

    assert {diagnostic.code for diagnostic in diagnostics} == {code_of(folder)}
    assert all(
        diagnostic.hint or diagnostic.severity is Severity.INFO or diagnostic.code.number.startswith("PG2")
        for diagnostic in diagnostics
    )
    assert all(diagnostic.primary for diagnostic in diagnostics)


def test_every_code_has_a_folder() -> None:
    """A code without an example is untested."""
    names = [f"{code.number}-{code.name}" for code in table()]
    missing = [name for name in names if not any(folder.name.startswith(name) for folder in FOLDERS)]

    assert missing == [], "add tests/diagnostics/<name>/pipeline.yml for each"


def test_folders_contain_only_files_that_are_read() -> None:
    """A config, optionally a folder of included files, and the expected text."""
    needed = {"pipeline.yml", "expected.txt"}
    others = [folder.name for folder in FOLDERS if {path.name for path in folder.iterdir()} - {"included"} != needed]

    assert others == [], (
        "keep only pipeline.yml and included, and run pytest tests/test_diagnostics_folders.py --update-golden"
    )
    assert [path for path in (Path(__file__).parent / "diagnostics").iterdir() if not path.is_dir()] == []
