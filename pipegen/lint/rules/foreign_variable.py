"""Variables of one engine in what is compiled for another, where they are empty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked, CheckedStage
from pipegen.lint.predefined import FOLDERS, MARKERS, PREDEFINED, TITLES, VALUES
from pipegen.lint.script_variables import variables
from pipegen.lint.scripts import texts_of
from pipegen.plan.model import NEVER, AllOf, Commands, Condition, IsSet, Matches, Subject
from pipegen.plan.model.logic import atoms, can_hold_without
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, Sequence, plain
from pipegen.structs import Struct

_NAME = re.compile(r"[A-Z][A-Z0-9_]+")
_BRACED = re.compile(r"(?<!\$)\$\{([A-Z][A-Z0-9_]+)\}")


class _Use(Struct):
    """A variable that a stage reads; *is_condition* where its `when` asks for it."""

    name: str
    span: Span
    is_condition: bool = False


def check(checked: Checked, report: Report) -> None:
    """Report variables that only another engine sets, in the stages of *checked* that run on one of its targets."""
    words = {word for file in checked.files() for word in _NAME.findall(file.text)}
    for target in checked.targets:
        if target not in PREDEFINED:
            continue
        others = [names for engine, names in PREDEFINED.items() if engine != target]
        foreign = words.intersection(frozenset().union(*others)) - PREDEFINED[target]
        foreign -= _words(checked.settings.get(target))
        if foreign:
            _check_target(checked, target, foreign, report)


def _check_target(checked: Checked, target: str, foreign: set[str], report: Report) -> None:
    # What several stages share is right where it is right for one of them.
    uses: dict[tuple[Span, ...], list[_Use]] = {}
    for work in checked.work():
        for shared, own in _uses(work, foreign - _set_names(work, target)):
            uses[shared] = [use for use in uses[shared] if use in own] if shared in uses else own
    for use in [use for own in uses.values() for use in own]:
        engine = next(engine for engine, names in PREDEFINED.items() if use.name in names)
        on = TITLES[target]
        where = f"this condition never holds on {on}" if use.is_condition else f"on {on} it is empty"
        report.add(
            codes.FOREIGN_VARIABLE,
            f'"{use.name}" is a variable of {TITLES[engine]}: {where}',
            at=use.span,
            hint=_hint(use),
        )


def _hint(use: _Use) -> str:
    if use.is_condition:
        return 'ask for "branch", "tag", "event" or an input, which every engine has'
    if use.name in VALUES:
        return f'write "{VALUES[use.name]}", which every engine has'
    if use.name in FOLDERS:
        return 'a script starts in the checkout: write a relative path, or "$PWD"'
    return f'set it in "env", or give it a default in the script: "${{{use.name}:-…}}"'


def _set_names(work: CheckedStage, target: str) -> set[str]:
    """Return the variables that the stage, its secrets, its pipeline's inputs or keys for *target* set."""
    job = work.job
    names = {name for step in job.steps if isinstance(step, Commands) for name, _ in step.env}
    names.update(variable for credential in job.secrets for variable in credential.variables)
    names.update(token.variable for token in job.id_tokens)
    names.update(given.name for given in work.plan.inputs)
    for engine, keys in job.raw:
        names |= _words(keys) if engine == target else set()
    return names


def _words(node: Node | None) -> set[str]:
    return set(_NAME.findall(str(plain(node)))) if node is not None else set()


def _uses(work: CheckedStage, foreign: set[str]) -> Iterator[tuple[tuple[Span, ...], list[_Use]]]:
    """Yield what of *foreign* the parts of a stage read, each part by its spans."""
    conditions = [one for one in (work.plan.condition, work.job.condition) if one is not None and one != NEVER]
    asked = _asked(conditions, foreign)
    if asked and not can_hold_without(AllOf(tuple(conditions)) if conditions[1:] else conditions[0], asked):
        if not any(atom.name in MARKERS for atom in asked):
            yield from (((atom.span,), [_Use(atom.name, atom.span, is_condition=True)]) for atom in asked)
        return
    yield from _in_scripts(work, foreign)
    for scalar in _scalars(work.stage.env.node) if work.stage.env is not None else ():
        own = [found for found in _BRACED.finditer(scalar.text) if found[1] in foreign]
        yield (scalar.span,), [_Use(found[1], scalar.part(found.start(), found.end())) for found in own]


def _asked(conditions: Iterable[Condition], foreign: set[str]) -> tuple[Matches | IsSet, ...]:
    asked = (atom for atom in atoms(*conditions) if isinstance(atom, Matches | IsSet))
    return tuple(atom for atom in asked if atom.subject is Subject.VARIABLE and atom.name in foreign)


def _in_scripts(work: CheckedStage, foreign: set[str]) -> Iterator[tuple[tuple[Span, ...], list[_Use]]]:
    texts = tuple(texts_of(work))
    read = [variables(text.text, foreign) for text in texts]
    is_aware = any(one.is_aware for one in read)
    assigned = {name for one in read for name in one.assigned}
    for text, one in zip(texts, read, strict=True):
        own = [] if is_aware else [found for found in one.expansions if found.name not in assigned]
        yield text.spans, [_Use(found.name, text.place(found.start, found.end)) for found in own]


def _scalars(node: Node) -> Iterator[Scalar]:
    open_nodes = [node]
    while open_nodes:
        one = open_nodes.pop()
        match one:
            case Scalar():
                yield one
            case Sequence():
                open_nodes += one.items
            case Mapping():
                open_nodes += [entry.value for entry in one.entries]
