"""A generated file made anew: from the config that its header names, with the options that it notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pipegen.cli.exits import WrongUsage
from pipegen.cli.repository import Written, folder_from_root
from pipegen.cli.session import attempt, fixed_inputs, load_targets
from pipegen.compiler import Analysed, analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.emit.header import words
from pipegen.source.text import SourceFile
from pipegen.targets.base import GeneratedFile, Target

# The engine whose comments begin so.
_BY_MARK = {"// ": "jenkins", "# ": "gitlab"}
_KNOWN = ("--pipeline", "--set", "--split", "--style", "--child")


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What a target was given, and where it goes: *path* is seen from here; *config* is what it was made from."""

    path: Path
    file: GeneratedFile
    config: SourceFile


@dataclass(frozen=True, slots=True)
class Noted:
    """The options that a header notes, each with its values; a flag has none that counts."""

    values: Mapping[str, tuple[str, ...]]

    @property
    def unknown(self) -> tuple[str, ...]:
        """Those that a file cannot be made anew with."""
        return tuple(name for name in self.values if name not in _KNOWN)

    def of(self, name: str) -> tuple[str, ...]:
        """Return the values of the option *name*."""
        return self.values.get(name, ())

    def for_target(self, folder: str) -> dict[str, str]:
        """Return what a target is told, for files in *folder*."""
        split, style = "\n".join(self.of("--split")), "".join(self.of("--style"))
        given = {"split": split, "style": style, "folder": folder, "child": "yes" if "--child" in self.values else ""}
        return {name: value for name, value in given.items() if value}


def noted(written: Written) -> Noted:
    """Return the options in the header of *written*."""
    values: dict[str, tuple[str, ...]] = {}
    name = ""
    for word in words(written.header.options):
        if word.startswith("--"):
            name = word
            values.setdefault(name, ())
        else:
            values[name] = (*values.get(name, ()), word)
    return Noted(values)


def remade(written: Written, config: Path, report: Report, *, source: str = "") -> tuple[Result, ...]:
    """Return the files that *written* stands for, itself last, as *config* says them; () when diagnostics stop that.

    They name *source* as their config where that is given.
    """
    options = noted(written)
    fixed, own = fixed_inputs(options.of("--set")), Report()
    analysed = attempt(config, own, lambda file: analyse(file, options.of("--pipeline"), own, fixed))
    report.take(own)
    if analysed is None:
        return ()
    if source:
        folder, _, name = source.rpartition("/")
        analysed = replace(analysed, file=replace(analysed.file, path=name, folder=folder))
    told = options.for_target(folder_from_root(written.path))
    first: tuple[Result, ...] = ()
    reports: list[Report] = []
    for target in _targets(written, analysed):
        reports.append(Report())
        found = _made(analysed, target, told, written.path, reports[-1])
        if found and found[-1].file.text == written.text:
            report.take(reports[-1])
            return found
        first = first or found
    for one in reports[:1]:
        report.take(one)
    return first


def placed(file: GeneratedFile, target: Target, main: Path) -> Path:
    """Return where *file* goes: the main one of *target* to *main*, others beside that."""
    return main if file.name == target.FILE else main.parent / file.name


def _made(
    analysed: Analysed, target: Target, options: Mapping[str, str], main: Path, report: Report
) -> tuple[Result, ...]:
    try:
        files = generate(analysed, target, options, report)
    except Stopped:
        return ()
    return tuple(Result(path=placed(file, target, main), file=file, config=analysed.file) for file in files)


def _targets(written: Written, analysed: Analysed) -> Iterator[Target]:
    """Yield the targets that may have written a file, the likeliest first: its header does not name one."""
    usual = _BY_MARK.get(written.header.mark)
    others = [name for name in analysed.settings if name not in _BY_MARK.values()]
    found = [target for name in (*([usual] if usual else []), *others) for target in _loaded(name)]
    yield from sorted(found, key=lambda target: written.path.name != target.FILE)


def _loaded(name: str) -> tuple[Target, ...]:
    try:
        return load_targets((name,))
    except WrongUsage:
        return ()  # its distribution is not here: another target may fit
