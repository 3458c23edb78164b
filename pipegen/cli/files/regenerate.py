"""Regeneration of a file from the config and options in its header."""

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

# The engine by the start of comments.
_BY_MARK = {"// ": "jenkins", "# ": "gitlab"}
_KNOWN = ("--pipeline", "--set", "--split", "--style", "--child")


class Result(Struct, kw_only=True):
    """A file that *target* generated from *config*; *path* is relative to the current folder."""

    target: str
    path: Path
    file: GeneratedFile
    config: SourceFile


class HeaderOptions(Struct):
    """The options in a header, with their values."""

    values: Mapping[str, tuple[str, ...]]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The options that regeneration does not support."""
        return tuple(name for name in self.values if name not in _KNOWN)

    def of(self, name: str) -> tuple[str, ...]:
        """Return the values of the option *name*."""
        return self.values.get(name, ())

    def for_target(self, folder: str) -> dict[str, str]:
        """Return the options of a target for files in *folder*."""
        split, style = "\n".join(self.of("--split")), "".join(self.of("--style"))
        options = {"split": split, "style": style, "folder": folder, "child": "yes" if "--child" in self.values else ""}
        return {name: value for name, value in options.items() if value}


def header_options(written: GeneratedPath) -> HeaderOptions:
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


def regenerate(written: GeneratedPath, config: Path, report: Report, *, source: str = "") -> tuple[Result, ...]:
    """Return the files of *written*, itself last, generated from *config*; () if there are errors.

    With *source*, they are generated as if *config* had this path.
    """
    options = header_options(written)
    fixed, own_report = fixed_inputs(options.of("--set")), Report()
    folder, _, name = source.rpartition("/")

    def work(file: SourceFile) -> Analysed:
        renamed = replace(file, path=name, folder=folder) if source else file
        return analyse(renamed, options.of("--pipeline"), own_report, fixed)

    analysed = attempt(config, own_report, work)
    report.take(own_report)
    if analysed is None:
        return ()
    target_options = options.for_target(folder_from_root(written.path))
    generated = [_generate(analysed, target, target_options, written) for target in _targets(written, analysed)]
    if not generated:
        return ()
    best = max(generated, key=lambda file: file.likeness)
    report.take(best.report)
    return best.results


class _Candidate(Struct):
    """The files of a target, their diagnostics, and their likeness to the existing files."""

    results: tuple[Result, ...]
    report: Report
    likeness: tuple[int, ...]


def placed(file: GeneratedFile, target: Target, main: Path) -> Path:
    """Return the path of *file*: *main* for the main file of *target*, others next to it."""
    return main if file.name == target.FILE else main.parent / file.name


def _generate(analysed: Analysed, target: Target, options: Mapping[str, str], written: GeneratedPath) -> _Candidate:
    report = Report()
    try:
        files = tuple(generate(analysed, target, options, report))
    except Stopped:
        files = ()
    results = tuple(
        Result(target=target.NAME, path=placed(file, target, written.path), file=file, config=analysed.file)
        for file in files
    )
    return _Candidate(results, report, _likeness(target, files[-1].text if files else "", written))


def _likeness(target: Target, text: str, written: GeneratedPath) -> tuple[int, ...]:
    """Return how likely *target*, which generates *text*, has written a file: by its text, then by its name."""
    usual, lines = Path(target.FILE), written.text.splitlines()[written.header.height :]
    return (
        text == written.text,
        written.path.name == usual.name,
        written.path.suffix.replace("yaml", "yml") == usual.suffix,
        len({line for line in lines if line.strip()} & set(text.splitlines())),
    )


def _targets(written: GeneratedPath, analysed: Analysed) -> tuple[Target, ...]:
    """Return the targets that may have written a file; the header does not name the target."""
    usual = _BY_MARK.get(written.header.mark)
    others = [name for name in analysed.settings if name not in _BY_MARK.values()]
    return tuple(target for name in (*([usual] if usual else []), *others) for target in _load(name))


def _load(name: str) -> tuple[Target, ...]:
    try:
        return load_targets((name,))
    except WrongUsage:
        return ()  # its distribution is not installed; another target may match
