"""The import of a `.gitlab-ci.yml` as a config that compiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from pipegen.compiler import analyse, generate
from pipegen.config.read import read
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.accounting import Accounting, Count, KeyOutcome
from pipegen.importing.gitlab.document import PIPELINE, ConfigText, ImportOptions, document
from pipegen.importing.gitlab.files import Files, Roots, read_files
from pipegen.importing.gitlab.jobs import SourcePipeline, resolve
from pipegen.source.text import SourceFile
from pipegen.source.tree import Entry, Mapping, Node, Scalar, Sequence
from pipegen.structs import Struct
from pipegen.targets import registry
from pipegen.targets.base import GeneratedFile

_MOST_ROUNDS = 12
# Keys of a stage that result from one group of the source's keys; the others are themselves such a key.
_SAME = {"approve": "when", "after": "*", "script": "*", "files_from": "*", "name": "*", "trigger": "*", "raw": "*"}

_WORDS = {KeyOutcome.TRANSLATED: "are translated", KeyOutcome.RAW: "stay raw", KeyOutcome.REPORTED: "are left out"}


class Imported(Struct, kw_only=True):
    """The config as *text*, the keys by outcome, and the file that the config compiles to.

    *jobs* are those of the source that are stages.
    """

    text: str
    source: SourcePipeline
    count: Count
    generated: tuple[GeneratedFile, ...]
    jobs: tuple[str, ...]

    @property
    def words(self) -> str:
        """The outcome in a few words."""
        numbers = [(self.count.number(outcome), outcome) for outcome in KeyOutcome]
        return f"of {self.count.keys} keys, " + ", ".join(
            f"{number} {_WORDS[one]}" for number, one in numbers if number
        )


class _Compiled(Struct):
    """The files that a config compiles to, and the stages with errors by name, each with the key."""

    files: tuple[GeneratedFile, ...]
    errors: tuple[tuple[str, str], ...]
    has_errors: bool


def import_gitlab(file: SourceFile, roots: Roots, default_branch: str, report: Report) -> Imported:
    """Return the config of the pipeline in *file*; raise `Stopped` if it cannot be read.

    Values that a config refuses stay raw: the config is compiled to find them.
    """
    reading = Accounting()
    files = read_files(file, roots, reading, report)
    source = resolve(files, reading, report)
    attempt = _Attempt(source, default_branch, reading)
    result = attempt.result(is_shared=True)
    if result.compiled.has_errors:
        # Without shared keys, each error is in a stage.
        for _ in range(_MOST_ROUNDS):
            errors = attempt.result(is_shared=False).compiled.errors
            if not errors or not _add_forced(attempt.forced, errors):
                break
        result = attempt.result(is_shared=True)
    report.take(result.report)
    _report_without_effect(files, result.accounting, report)
    return Imported(
        text=result.config.text,
        jobs=result.config.jobs,
        source=source,
        count=result.accounting.count(files.trees),
        generated=result.compiled.files,
    )


class _Result(Struct):
    """A config, what it compiles to, and the accounting and diagnostics of the import."""

    config: ConfigText
    compiled: _Compiled
    accounting: Accounting
    report: Report


class _Attempt:
    """Attempts to write the config of a pipeline, with the keys that are *forced* to stay raw, by job."""

    def __init__(self, source: SourcePipeline, default_branch: str, reading: Accounting) -> None:
        self._source = source
        self._default_branch = default_branch
        self._reading = reading
        self.forced: dict[str, set[str]] = {}

    def result(self, *, is_shared: bool) -> _Result:
        """Return the config; if *is_shared*, keys that stages share are in defaults and templates."""
        report, accounting = Report(), self._reading.copy()
        options = ImportOptions(default_branch=self._default_branch, forced=self.forced, is_shared=is_shared)
        config = document(self._source, options, accounting, report)
        return _Result(config, _compiled(config.text), accounting, report)


def _add_forced(forced: dict[str, set[str]], errors: Iterable[tuple[str, str]]) -> bool:
    """Add the keys of stages with *errors* to *forced*, and return whether any is new."""
    number = sum(map(len, forced.values()))
    for name, key in errors:
        forced.setdefault(name, set()).add(key)
    return sum(map(len, forced.values())) > number


def _compiled(text: str) -> _Compiled:
    """Return the files for GitLab of the config *text*, and where it has errors."""
    file = SourceFile("pipegen.yaml", text)
    report = Report()
    with suppress(Stopped):
        generated = generate(analyse(file, (), report), registry.load("gitlab"), {}, report)
        return _Compiled(generated, (), has_errors=False)
    tree = read(file, Report())
    starts = [one.primary.span.start for one in report.errors() if one.primary]
    return _Compiled((), tuple(place for start in starts for place in _places(tree, start)), has_errors=True)


def _stages(tree: Node) -> tuple[Node, ...]:
    pipelines = tree.get("pipelines") if isinstance(tree, Mapping) else None
    pipeline = pipelines.get(PIPELINE) if isinstance(pipelines, Mapping) else None
    stages = pipeline.get("stages") if isinstance(pipeline, Mapping) else None
    return stages.items if isinstance(stages, Sequence) else ()


def _places(tree: Node, offset: int) -> Iterator[tuple[str, str]]:
    """Yield the name of the stage and its key that contain *offset*; "" and the name of an input."""
    inputs = tree.get("inputs") if isinstance(tree, Mapping) else None
    if isinstance(inputs, Mapping) and inputs.span.start <= offset <= inputs.span.end:
        yield "", [entry.key.text for entry in inputs.entries if entry.key.span.start <= offset][-1]
        return
    for stage in _stages(tree):
        name = stage.get("name") if isinstance(stage, Mapping) else None
        if not isinstance(stage, Mapping) or not isinstance(name, Scalar):
            continue
        inside = [entry for entry in stage.entries if entry.key.span.start <= offset]
        if not stage.span.start <= offset <= stage.span.end or not inside:
            continue
        key, value = inside[-1].key.text, inside[-1].value
        names = (
            [one.key.text for one in value.entries if one.key.span.start <= offset]
            if isinstance(value, Mapping)
            else []
        )
        yield name.text, f"env.{names[-1]}" if key == "env" and names else _SAME.get(key, key)


def _report_without_effect(files: Files, accounting: Accounting, report: Report) -> None:
    """Report the keys that no job gets, which have no outcome yet."""
    for tree in files.trees:
        _report_entries(tree.entries, None, accounting, report)


def _report_entries(entries: Iterable[Entry], name: str | None, accounting: Accounting, report: Report) -> None:
    """Report those of *entries* that no job gets; *name* is the key at the top level that holds them, if any."""
    for entry in entries:
        key = entry.key.text
        if not accounting.is_marked(entry):
            accounting.mark(entry, KeyOutcome.REPORTED)
            inner = f'"{key}" in "{name}" has no effect: each job that gets it has its own value'
            report.add(
                codes.WITHOUT_EFFECT,
                f'"{key}" is left out: no job uses it' if name is None else inner,
                at=entry.key.span,
                hint="remove it",
            )
            continue
        for held in _maps(entry.value):
            _report_entries(held.entries, key if name is None else name, accounting, report)
        if accounting.outcome(entry.key) is None:
            accounting.mark_key(entry.key, KeyOutcome.TRANSLATED)


def _maps(node: Node) -> Iterator[Mapping]:
    """Yield *node* if it is a map, or the maps in a list of it."""
    if isinstance(node, Mapping):
        yield node
    for item in node.items if isinstance(node, Sequence) else ():
        yield from _maps(item)
