"""Axes of a matrix that a script reads as variables, which nothing sets: `$PYTHON` in place of `${matrix.PYTHON}`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.rules.foreign_variable import VariableUse, set_names, uses_in_commands, wrong_everywhere
from pipegen.source.text import Span

# Variables that programs and shells get in any case.
_IN_EVERY_SHELL = frozenset({"HOME", "LANG", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER"})


def check(config: CheckedConfig, report: Report) -> None:
    """Report expansions of axes that are no variables of their stage."""
    combinations = [stage.job.combination for stage in config.stages()]
    axes = {axis for combination in combinations if combination is not None for axis, _ in combination.values}
    expanded = {axis for axis in axes - _IN_EVERY_SHELL if _is_expanded(axis, config)}
    for use in wrong_everywhere(_uses(config, expanded)) if expanded else ():
        report.add(
            codes.AXIS_VARIABLE,
            f'"{use.span.text}" is not set: the axis "{use.name}" is not a variable',
            at=use.span,
            hint=f'write "${{matrix.{use.name}}}", or set it: "env: {{{use.name}: \'${{matrix.{use.name}}}\'}}"',
        )


def _is_expanded(axis: str, config: CheckedConfig) -> bool:
    pattern = re.compile(rf"\$\{{?{re.escape(axis)}(?![\w-])")
    return any(pattern.search(file.text) for file in config.files)


def _uses(config: CheckedConfig, axes: Collection[str]) -> Iterator[tuple[tuple[Span, ...], list[VariableUse]]]:
    seen: set[tuple[Span, frozenset[str]]] = set()
    for stage in config.stages():
        combination = stage.job.combination
        names: frozenset[str] = frozenset()
        # Raw keys may set any variable.
        if combination is not None and not stage.job.raw:
            names = frozenset(axis for axis, _ in combination.values if axis in axes) - set_names(stage)
        # Most combinations of a stage have the same axes.
        if (stage.config.name.span, names) not in seen:
            seen.add((stage.config.name.span, names))
            yield from uses_in_commands(stage, names)
