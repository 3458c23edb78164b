"""Real configs next to the checkout, and its examples: analysed, and compiled by each target."""

import csv
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import find, load
from pipegen.diagnostics.report import Report, Stopped
from pipegen.targets import registry

_ROOT = Path(__file__).parents[3]
CORPUS = _ROOT.parent / "shared/corpus"
EXAMPLES = _ROOT / "examples"


@dataclass(frozen=True, slots=True)
class Config:
    """A config; *must_compile* means that it is known to be valid."""

    name: str
    analysed: Analysed | None
    errors: tuple[str, ...]
    must_compile: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a target for a config, or the codes of the errors."""

    text: str
    errors: tuple[str, ...]
    seconds: float


def configs(folder: Path) -> Iterator[Config]:
    """Yield all configs, each in its own repository below *folder*."""
    for example in sorted(EXAMPLES.iterdir()):
        copied = folder / example.name
        shutil.copytree(example, copied)
        yield _config(f"examples/{example.name}", find(copied) or copied, must_compile=True)
    if not CORPUS.is_dir():
        return
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        for row in csv.DictReader(index, delimiter="\t"):
            path = folder / Path(row["file"]).stem / ".pipeline/config.yaml"
            path.parent.mkdir(parents=True)
            shutil.copy(CORPUS / row["file"], path)
            is_valid = (row["yaml"], row["schema"], row["semantic"]) == ("ok", "pass", "-")
            yield _config(row["file"], path, must_compile=is_valid)


def written(analysed: Analysed, target: str, style: str = "") -> Output:
    """Return the output of *target* for a config."""
    report = Report()
    start = time.perf_counter()
    try:
        text = generate(analysed, registry.load(target), {"style": style} if style else {}, report)[-1].text
    except Stopped:
        text = ""
    return Output(text, _errors(report), time.perf_counter() - start)


def _config(name: str, path: Path, *, must_compile: bool) -> Config:
    report = Report()
    start = time.perf_counter()
    try:
        analysed = analyse(load(path, report), (), report)
    except Stopped:
        analysed = None
    return Config(name, analysed, _errors(report), must_compile, time.perf_counter() - start)


def _errors(report: Report) -> tuple[str, ...]:
    return tuple(diagnostic.code.name for diagnostic in report.diagnostics() if diagnostic.severity.name == "ERROR")
