"""The compilation of an imported config, and where the config has errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from math import prod

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.read import read
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code, Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.emit.yaml import Value
from pipegen.lint.rules import shell_syntax
from pipegen.plan.model import Plan
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, child, entries_of, items_of, written_text
from pipegen.structs import Struct
from pipegen.targets import registry
from pipegen.targets.base import GeneratedFile

# The name of the pipeline of an imported config whose source has none.
PIPELINE = "ci"
# The key of `artifacts` for paths that other stages leave, too.
OVERLAP = "overlap"


# Errors of complete plans. They are frequent, and further checks of large pipelines take longer than an attempt without
# these errors.
_FINAL = (codes.CONFLICTING_FILES,)


class ConfigError(Struct):
    """A key of a stage with an error, `env.NAME` for a variable; without a *stage*, the name of an input."""

    stage: str
    key: str
    message: str
    code: Code


class CompiledConfig(Struct, kw_only=True):
    """The files that a config compiles to, its errors, and its plans, which also a config with errors may have.

    *is_error_in_stages* says whether each error is in a stage or an input.
    """

    files: tuple[GeneratedFile, ...] = ()
    plans: tuple[Plan, ...]
    errors: tuple[ConfigError, ...] = ()
    messages: tuple[str, ...] = ()
    is_error_in_stages: bool = True

    @property
    def has_errors(self) -> bool:
        """Whether the config does not compile."""
        return bool(self.messages)


def compiled(text: str, target: str, *, checks_scripts: bool = False) -> CompiledConfig:
    """Return the files of the config *text* for *target*, or its errors.

    With *checks_scripts*, a script that its shell cannot parse is an error.
    """
    file = SourceFile("pipegen.yaml", text)
    report = Report()
    plans: tuple[Plan, ...] = ()

    def after(analysed: Analysed, further: Report) -> None:
        with suppress(Stopped):
            generate(analysed, registry.load(target), {}, further)

    with suppress(Stopped):
        analysed = analyse(file, (), report, after=after, final=_FINAL)
        plans = tuple(analysed.plans)
        files = generate(analysed, registry.load(target), {}, report)
        if checks_scripts:
            _check_scripts(analysed, report)
            report.stop_if_errors()
        return CompiledConfig(files=files, plans=plans)
    tree = read(file, Report())
    # One error of each code at a location is enough: pairs of conflicting files repeat the same few locations.
    first = {(error.code, span.start): error for error in reversed(report.errors()) for span in _spans(error)}
    starts = [(error, start) for (_, start), error in reversed(first.items())]
    by_start = {start: tuple(_keys_at(tree, start)) for start in {start for _, start in starts}}
    conflicts = {start for error, start in starts if error.code is codes.CONFLICTING_FILES and not by_start[start]}
    inherited = {start: tuple(_inheriting(tree, start)) for start in conflicts}
    # Other errors in a template may be errors of some of its stages only.
    located = [
        (error, by_start[start] or (inherited[start] if error.code is codes.CONFLICTING_FILES else ()))
        for error, start in starts
        if error.code is not codes.TOO_MANY_STAGES
    ]
    # The largest matrix multiplies the stages and arcs most.
    located += [(error, tuple(_largest_matrix(tree))) for error, _ in starts if error.code is codes.TOO_MANY_STAGES]
    return CompiledConfig(
        plans=plans,
        errors=_errors(located),
        messages=tuple(error.message for error in report.errors()),
        is_error_in_stages=all(any(stage or "." not in key for stage, key in inner) for _, inner in located),
    )


def overlapping(artifacts: Value) -> dict[str, Value]:
    """Return *artifacts*, a list of paths or a map, of a stage that may leave the same files as others."""
    return {**(artifacts if isinstance(artifacts, Mapping) else {"paths": artifacts}), OVERLAP: True}


def _check_scripts(analysed: Analysed, report: Report) -> None:
    """Report the scripts of *analysed* that their shell cannot parse, and nothing else about them."""
    diagnostics = Report()
    shell_syntax.check(analysed.for_rules(()), diagnostics)
    for error in diagnostics.errors():
        if error.primary is not None:
            report.add(error.code, error.message, at=error.primary.span)


def _errors(located: Iterable[tuple[Diagnostic, tuple[tuple[str, str], ...]]]) -> tuple[ConfigError, ...]:
    """Return the first error of each code in each key of a stage."""
    errors: dict[tuple[str, str, Code], ConfigError] = {}
    for error, inner in located:
        for stage, key in inner:
            if (stage, key, error.code) not in errors:
                errors[stage, key, error.code] = ConfigError(stage, key, error.message, error.code)
    return tuple(errors.values())


def _spans(error: Diagnostic) -> Iterator[Span]:
    """Yield the spans of *error* at which a change may correct it."""
    if error.primary:
        yield error.primary.span
    if error.code is codes.CONFLICTING_FILES:
        yield from (label.span for label in error.related)


def _inheriting(tree: Node, offset: int) -> Iterator[tuple[str, str]]:
    """Yield the stages that inherit the artifacts at *offset*, each with this key."""
    templates = entries_of(child(tree, "templates"))
    names = {
        template.key.text for template in templates if template.value.span.start <= offset <= template.value.span.end
    }
    bases = {entry.key.text: _bases(entry.value) for entry in templates if isinstance(entry.value, TreeMapping)}
    while further := {name for name, own in bases.items() if not names.isdisjoint(own)} - names:
        names |= further
    defaults = child(_pipeline(tree), "defaults")
    is_default = defaults is not None and defaults.span.start <= offset <= defaults.span.end
    for stage in _stages(tree):
        if isinstance(stage, TreeMapping) and (is_default or not names.isdisjoint(_bases(stage))):
            yield written_text(stage.get("name")), "artifacts"


def _largest_matrix(tree: Node) -> Iterator[tuple[str, str]]:
    """Yield the stage with the most combinations, with its matrix, if any stage has one."""
    matrices = [(stage, matrix) for stage in _stages(tree) if (matrix := child(stage, "matrix")) is not None]
    for stage, _ in sorted(matrices, key=lambda pair: _combinations(pair[1]))[-1:]:
        yield written_text(child(stage, "name")), "matrix"


def _combinations(matrix: Node) -> int:
    """Return the number of combinations of *matrix*, with those that it includes."""
    included = len(items_of(child(matrix, "include")))
    axes = [len(items_of(entry.value)) for entry in entries_of(matrix) if entry.key.text != "include"]
    return (prod(axes) if axes else 0) + included


def _bases(stage: TreeMapping) -> tuple[str, ...]:
    """Return the templates that *stage*, or another template, extends."""
    extends = stage.get("extends")
    return tuple(map(written_text, items_of(extends))) or (written_text(extends),)


def _settings(tree: Node, offset: int) -> Iterator[tuple[str, str]]:
    """Yield "" and the setting of the pipeline or the target that contains *offset*, with the text of its item."""
    jenkins = child(child(tree, "targets"), "jenkins")
    for where, node in (("pipeline", _pipeline(tree)), ("targets", jenkins)):
        for entry in entries_of(node):
            if entry.key.text == "stages" or not entry.key.span.start <= offset <= entry.value.span.end:
                continue
            around = next((item for item in items_of(entry.value) if item.span.start <= offset <= item.span.end), None)
            texts = [around, *(item.value for item in entries_of(around))]
            yield "", ".".join([where, entry.key.text, *filter(None, map(written_text, texts))])


def _pipeline(tree: Node) -> Node | None:
    """Return the only pipeline of the config *tree*."""
    pipelines = child(tree, "pipelines")
    return pipelines.entries[0].value if isinstance(pipelines, TreeMapping) and pipelines.entries else None


def _stages(tree: Node) -> tuple[Node, ...]:
    return items_of(child(_pipeline(tree), "stages"))


def _keys_at(tree: Node, offset: int) -> Iterator[tuple[str, str]]:
    """Yield the name of the stage and its key that contain *offset*; "" and an input or a setting."""
    inputs = child(tree, "inputs")
    if isinstance(inputs, TreeMapping) and inputs.span.start <= offset <= inputs.span.end:
        yield "", [entry.key.text for entry in inputs.entries if entry.key.span.start <= offset][-1]
        return
    yield from _settings(tree, offset)
    for stage in _stages(tree):
        name = child(stage, "name")
        if not isinstance(stage, TreeMapping) or not isinstance(name, Scalar):
            continue
        if not stage.span.start <= offset <= stage.span.end:
            continue
        inside = [entry for entry in stage.entries if entry.key.span.start <= offset]
        if not inside:
            continue
        key, value = inside[-1].key.text, inside[-1].value
        names = (
            [entry.key.text for entry in value.entries if entry.key.span.start <= offset]
            if isinstance(value, TreeMapping)
            else []
        )
        yield name.text, f"env.{names[-1]}" if key == "env" and names else key
