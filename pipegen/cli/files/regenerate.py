"""A generated file made anew: from the config that its header names, with the options that it notes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.repository import GeneratedPath, folder_from_root
from pipegen.cli.session import attempt, fixed_inputs, load_targets
from pipegen.compiler import Analysed, analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.emit.header import words
from pipegen.source.text import SourceFile
from pipegen.structs import Struct, replace
from pipegen.targets.base import GeneratedFile, Target

# The engine whose comments begin so.
_BY_MARK = {"// ": "jenkins", "# ": "gitlab"}
_KNOWN = ("--pipeline", "--set", "--split", "--style", "--child")


class Result(Struct, kw_only=True):
    """What a *target* made, and where it goes: *path* is seen from here; *config* is what it was made from."""

    target: str
    path: Path
    file: GeneratedFile
    config: SourceFile


class HeaderOptions(Struct):
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


def noted(written: GeneratedPath) -> HeaderOptions:
    """Return the options in the header of *written*."""
    values: dict[str, tuple[str, ...]] = {}
    name = ""
    for word in words(written.header.options):
        if word.startswith("--"):
            name = word
            values.setdefault(name, ())
        else:
            values[name] = (*values.get(name, ()), word)
    return HeaderOptions(values)


def remade(written: GeneratedPath, config: Path, report: Report, *, source: str = "") -> tuple[Result, ...]:
    """Return the files that *written* stands for, itself last, as *config* says them; () when diagnostics stop that.

    With *source*, they are what *config* would come to if it were called so, and stood there.
    """
    options = noted(written)
    fixed, own = fixed_inputs(options.of("--set")), Report()
    folder, _, name = source.rpartition("/")

    def work(file: SourceFile) -> Analysed:
        called = replace(file, path=name, folder=folder) if source else file
        return analyse(called, options.of("--pipeline"), own, fixed)

    analysed = attempt(config, own, work)
    report.take(own)
    if analysed is None:
        return ()
    told = options.for_target(folder_from_root(written.path))
    made = [_made(analysed, target, told, written) for target in _targets(written, analysed)]
    if not made:
        return ()
    likeliest = max(made, key=lambda one: one.likeness)
    report.take(likeliest.report)
    return likeliest.results


class _Made(Struct):
    """What a target makes, what it says of that, and how much of it is what lies there."""

    results: tuple[Result, ...]
    report: Report
    likeness: tuple[int, ...]


def placed(file: GeneratedFile, target: Target, main: Path) -> Path:
    """Return where *file* goes: the main one of *target* to *main*, others beside that."""
    return main if file.name == target.FILE else main.parent / file.name


def _made(analysed: Analysed, target: Target, options: Mapping[str, str], written: GeneratedPath) -> _Made:
    report = Report()
    try:
        files = tuple(generate(analysed, target, options, report))
    except Stopped:
        files = ()
    results = tuple(
        Result(target=target.NAME, path=placed(file, target, written.path), file=file, config=analysed.file)
        for file in files
    )
    return _Made(results, report, _likeness(target, files[-1].text if files else "", written))


def _likeness(target: Target, text: str, written: GeneratedPath) -> tuple[int, ...]:
    """Return how likely *target*, which says *text* now, is to have written a file: by its text, then by its name."""
    usual, lines = Path(target.FILE), written.text.splitlines()[written.header.height :]
    return (
        text == written.text,
        written.path.name == usual.name,
        written.path.suffix.replace("yaml", "yml") == usual.suffix,
        len({line for line in lines if line.strip()} & set(text.splitlines())),
    )


def _targets(written: GeneratedPath, analysed: Analysed) -> tuple[Target, ...]:
    """Return the targets that may have written a file: the header does not name one."""
    usual = _BY_MARK.get(written.header.mark)
    others = [name for name in analysed.settings if name not in _BY_MARK.values()]
    return tuple(target for name in (*([usual] if usual else []), *others) for target in _loaded(name))


def _loaded(name: str) -> tuple[Target, ...]:
    try:
        return load_targets((name,))
    except WrongUsage:
        return ()  # its distribution is not here: another target may fit
