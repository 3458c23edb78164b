"""Known useful configs: goldens, examples, and the corpus if it is next to the checkout."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import absolute, folder_of, repository_root
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import registry

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared/corpus"
# Each way to compile: the target, and the style of a Jenkinsfile.
WAYS = (("gitlab", ""), ("jenkins", "auto"), ("jenkins", "scripted"), ("jenkins", "declarative"))
_NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Written:
    """The files of a target, the parent last, and the diagnostics; no files if the config is rejected."""

    files: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """The file that the engine reads first."""
        return [*self.files.values()][-1]


@cache
def known() -> tuple[Path, ...]:
    """Return the paths of all configs by name, those of the corpus last."""
    own = [*ROOT.glob("tests/golden/*/pipeline.yml"), *ROOT.glob("examples/**/pipegen.yaml")]
    own += ROOT.glob("examples/**/.pipeline/config.yaml")
    return (*sorted(own), *sorted(CORPUS.glob("*/*.y*ml")))


def shown(path: Path) -> str:
    """Return the displayed form of *path*."""
    base = CORPUS if path.is_relative_to(CORPUS) else ROOT
    return path.relative_to(base).as_posix()


@cache
def text_of(path: Path) -> str:
    """Return the text of the config at *path*."""
    return path.read_text(encoding="utf-8")


def file_of(path: Path, text: str) -> SourceFile:
    """Return *text* as the config at *path*, next to its includes."""
    source = absolute(path)
    return SourceFile(path.name, text, folder_of(source, repository_root(source)), source)


def analysed(file: SourceFile, *names: str) -> Analysed | None:
    """Return the analysis of *file* for the pipelines *names*, by default all; None if it is rejected."""
    with suppress(Stopped):
        return analyse(file, names, Report())
    return None


def written(analysis: Analysed, target: str, style: str = "", options: Mapping[str, str] = _NO_OPTIONS) -> Written:
    """Return the output of *target* for *analysis*, with a Jenkinsfile in *style*."""
    report = Report()
    values = {**options, **({"style": style} if style else {})}
    try:
        files = generate(analysis, registry.load(target), values, report)
    except Stopped:
        files = ()
    return Written({file.name: file.text for file in files}, report.diagnostics())
