"""Variables of one engine in a config for another, where they are empty."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.lint.predefined import FOLDERS, MARKERS, PREDEFINED, TITLES, VALUES
from pipegen.lint.scripts import stage_shell_texts
from pipegen.plan.model import NEVER, AllOf, Atom, Commands, Condition, Subject
from pipegen.plan.model.logic import atoms, can_hold_without, facts_of
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, Sequence, plain
from pipegen.structs import Struct

_NAME = re.compile(r"[A-Z][A-Z0-9_]+")
_BRACED = r"(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)\}"


class VariableUse(Struct):
    """A variable that a stage reads; *is_condition* if its `when` reads it."""

    name: str
    span: Span
    is_condition: bool = False


def check(config: CheckedConfig, report: Report) -> None:
    """Report variables that only another engine sets, for each target of *config*."""
    names_in_files = {name for file in config.files for name in _NAME.findall(file.text)}
    for target in config.targets:
        if target not in PREDEFINED:
            continue
        others = [names for engine, names in PREDEFINED.items() if engine != target]
        foreign = names_in_files.intersection(frozenset().union(*others)) - PREDEFINED[target]
        foreign -= _words(config.settings.get(target))
        if foreign:
            _check_target(config, target, foreign, report)


def _check_target(config: CheckedConfig, target: str, foreign: set[str], report: Report) -> None:
    uses = (_uses(stage, foreign - set_names(stage) - _words(stage.job.raw_for(target))) for stage in config.stages())
    for use in wrong_everywhere(chain.from_iterable(uses)):
        engine = next(engine for engine, names in PREDEFINED.items() if use.name in names)
        on = TITLES[target]
        where = f"this condition is never true on {on}" if use.is_condition else f"on {on} it is empty"
        report.add(
            codes.FOREIGN_VARIABLE,
            f'"{use.name}" is a variable of {TITLES[engine]}: {where}',
            at=use.span,
            hint=_hint(use),
        )


def _hint(use: VariableUse) -> str:
    if use.is_condition:
        return 'use "branch", "tag", "event" or an input, which every engine provides'
    if use.name in VALUES:
        return f'write "{VALUES[use.name]}", which every engine provides'
    if use.name in FOLDERS:
        return 'a script starts in the checkout: write a relative path, or "$PWD"'
    return f'set it in "env", or give it a default in the script: "${{{use.name}:-…}}"'


def wrong_everywhere(parts: Iterable[tuple[tuple[Span, ...], list[VariableUse]]]) -> list[VariableUse]:
    """Return the uses of variables in *parts* of stages, those at the same spans only if all these stages have them."""
    uses: dict[tuple[Span, ...], list[VariableUse]] = {}
    for spans, stage_uses in parts:
        uses[spans] = [use for use in uses[spans] if use in stage_uses] if spans in uses else stage_uses
    return [use for stage_uses in uses.values() for use in stage_uses]


def set_names(stage: CheckedStage) -> set[str]:
    """Return the variables that the stage, its secrets or its pipeline's inputs set."""
    job = stage.job
    names = {name for step in job.steps if isinstance(step, Commands) for name, _ in step.env}
    names.update(job.case_names)
    names.update(variable for credential in job.secrets for variable in credential.variables)
    names.update(token.variable for token in job.id_tokens)
    names.update(input_.name for input_ in stage.plan.inputs)
    return names


def _words(node: Node | None) -> set[str]:
    return set(_NAME.findall(str(plain(node)))) if node is not None else set()


def _uses(stage: CheckedStage, foreign: set[str]) -> Iterator[tuple[tuple[Span, ...], list[VariableUse]]]:
    """Yield the *foreign* variables that each part of a stage reads, with the spans of the part."""
    conditions = [condition for condition in stage.conditions if condition != NEVER]
    tests = _condition_tests(conditions, foreign)
    if tests and not can_hold_without(AllOf(tuple(conditions)), {atom for atom, _ in tests}):
        if not any(name in MARKERS for _, name in tests):
            yield from (((atom.span,), [VariableUse(name, atom.span, is_condition=True)]) for atom, name in tests)
        return
    yield from uses_in_commands(stage, foreign)


def uses_in_commands(
    stage: CheckedStage, names: Collection[str]
) -> Iterator[tuple[tuple[Span, ...], list[VariableUse]]]:
    """Yield the variables *names* that each script of *stage*, and each value in its `env`, reads."""
    yield from _in_scripts(stage, names)
    for scalar in _scalars(stage.config.env.node) if stage.config.env is not None else ():
        matches = [match for match in re.finditer(_BRACED, scalar.text) if match[1] in names]
        yield (scalar.span,), [VariableUse(match[1], scalar.part(match.start(), match.end())) for match in matches]


def _condition_tests(conditions: Iterable[Condition], foreign: set[str]) -> tuple[tuple[Atom, str], ...]:
    """Return the atoms that compare *foreign* variables, each with the name of one."""
    compared = ((atom, fact) for atom in atoms(*conditions) for fact in facts_of(atom))
    return tuple(
        (atom, fact.name) for atom, fact in compared if fact.subject is Subject.VARIABLE and fact.name in foreign
    )


def _in_scripts(stage: CheckedStage, names: Collection[str]) -> Iterator[tuple[tuple[Span, ...], list[VariableUse]]]:
    from pipegen.lint.script_variables import variables  # noqa: PLC0415 - most scripts need no grammar: 3 % of 10 stages

    texts = tuple(stage_shell_texts(stage, set()))
    usages = [variables(text.text, names) for text in texts]
    is_aware = any(usage.is_aware for usage in usages)
    assigned = {name for usage in usages for name in usage.assigned}
    for text, usage in zip(texts, usages, strict=True):
        expansions = [] if is_aware else [expansion for expansion in usage.expansions if expansion.name not in assigned]
        yield (
            text.spans,
            [VariableUse(expansion.name, text.span_of(expansion.start, expansion.end)) for expansion in expansions],
        )


def _scalars(node: Node) -> Iterator[Scalar]:
    pending = [node]
    while pending:
        item = pending.pop()
        match item:
            case Scalar():
                yield item
            case Sequence():
                pending += item.items
            case Mapping():
                pending += [entry.value for entry in item.entries]
