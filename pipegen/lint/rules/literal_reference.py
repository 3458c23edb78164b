"""Text that looks like a reference and is not replaced: `lock: ${inputs.x}`, `$[[ inputs.x ]]`, `$build.version`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.config.keys import STAGE_KEYS
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.lint.scripts import GITLAB_EXPRESSION
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, entries_of, items_of, scalars

# No variable of a shell has a dot in its name; the axes of a matrix are replaced everywhere.
_REFERENCE = re.compile(r"(?<!\$)\$\{(?!matrix\.)(?P<namespace>[\w-]*)\.\w[^{}]*\}")
# References in the forms of a shell, of Azure Pipelines and of many templates.
_OTHER_FORM = re.compile(
    r"""
    (?<![$\\])\$(?:(?P<bare>[A-Za-z_]\w*\.[A-Za-z_]\w*) | \((?P<call>[\w-]+\.[\w-]+)\))
    | (?<!\$)\{\{[ ]?(?P<template>[\w-]+\.[\w-]+)[ ]?\}\}
    """,
    re.VERBOSE,
)
_NAMESPACES = ("", "inputs", "setup", "pipeline")
_RAW = "raw.gitlab"
_PLAIN = frozenset(key.name for key in STAGE_KEYS if key.is_plain_text)
_PLAIN_IN = {
    "approve": ("message", "approvers"),
    "image": ("entrypoint", "args", "dockerfile", "context", "build_args"),
    "services": ("command", "env"),
}


def check(config: CheckedConfig, report: Report) -> None:
    """Report each reference in a value that is plain text, and each expression of GitLab in a stage."""
    if any("$[[" in file.text for file in config.files):
        _check_expressions(config, report)
    if any(_OTHER_FORM.search(file.text) for file in config.files):
        _check_other_forms(config, report)
    if not any(_REFERENCE.search(file.text) for file in config.files):
        return
    seen: set[Span] = set()
    namespaces = {*_NAMESPACES, *(stage.job.title for stage in config.stages())}
    for stage in config.stages():
        for key, node in (*_plain_values(stage.config.body), *_raw_values(stage)):
            for scalar in scalars(node):
                for match in _REFERENCE.finditer(scalar.text):
                    span = scalar.part(*match.span())
                    # Other words before a dot in raw keys are of other programs.
                    if span in seen or (key == _RAW and match["namespace"] not in namespaces):
                        continue
                    seen.add(span)
                    report.add(
                        codes.LITERAL_REFERENCE,
                        f'"{key}" is plain text, in which "{match[0]}" is not replaced',
                        at=span,
                        hint="write a variable of GitLab or the value itself; only ${matrix.AXIS} is replaced here"
                        if key == _RAW
                        else "write the value itself; only ${matrix.AXIS} is replaced here",
                    )


def _raw_values(stage: CheckedStage) -> Iterator[tuple[str, Node]]:
    """Yield the keys of *stage* in GitLab's own syntax; Groovy has references like those of a config."""
    raw = stage.job.raw_for("gitlab")
    if raw is not None:
        yield _RAW, raw


def _check_expressions(config: CheckedConfig, report: Report) -> None:
    for stage in config.stages():
        for scalar in _scalars(stage):
            for match in GITLAB_EXPRESSION.finditer(scalar.text):
                is_known = match["value"].startswith(("inputs.", "matrix."))
                report.add(
                    codes.LITERAL_REFERENCE,
                    f'"{match[0]}" is an expression of GitLab, which is not replaced in a config',
                    at=scalar.part(*match.span()),
                    hint=f'write "${{{match["value"]}}}"' if is_known else "write a reference, or the value itself",
                )


def _check_other_forms(config: CheckedConfig, report: Report) -> None:
    """Report outputs and inputs in a form that is none of a config; a variable may have the name of a stage."""
    stages = config.stages()
    values = {f"{stage.job.title}.{name}" for stage in stages for name in _outputs(stage)}
    values |= {f"inputs.{input_.name}" for plan in config.plans for input_ in plan.inputs}
    for stage in stages:
        variables = {entry.key.text for entry in entries_of(stage.config.env.node if stage.config.env else None)}
        for scalar in _scalars(stage):
            for match in _OTHER_FORM.finditer(scalar.text):
                name = match["bare"] or match["call"] or match["template"]
                if name in values and name.partition(".")[0] not in variables:
                    report.add(
                        codes.LITERAL_REFERENCE,
                        f'"{match[0]}" is not a reference, so it is not replaced',
                        at=scalar.part(*match.span()),
                        hint=f'write "${{{name}}}"',
                    )


def _outputs(stage: CheckedStage) -> Iterator[str]:
    outputs = stage.config.outputs
    yield from (entry.key.text for entry in entries_of(outputs.node if outputs is not None else None))


def _scalars(stage: CheckedStage) -> Iterator[Scalar]:
    """Yield the values of *stage* that are no raw keys."""
    for entry in entries_of(stage.config.body):
        if entry.key.text != "raw":
            yield from scalars(entry.value)


def _plain_values(body: Node | None) -> Iterator[tuple[str, Node]]:
    """Yield the keys of plain text in *body*, each with its value."""
    for entry in entries_of(body):
        if entry.key.text in _PLAIN and not isinstance(entry.value, Mapping):
            yield entry.key.text, entry.value
        for item in items_of(entry.value) or (entry.value,):
            if entry.key.text in _PLAIN_IN and isinstance(item, Mapping):
                inner = [
                    inner_entry for inner_entry in item.entries if inner_entry.key.text in _PLAIN_IN[entry.key.text]
                ]
                yield from ((f"{entry.key.text}.{inner_entry.key.text}", inner_entry.value) for inner_entry in inner)
