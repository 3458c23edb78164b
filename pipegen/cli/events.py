"""The options for the event of a run, and the stages that an event starts, as text and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from posixpath import normpath
from string import ascii_uppercase

import click

from pipegen.cli.exits import WrongUsage
from pipegen.cli.session import analysed_since, fixed_inputs, wrong_option
from pipegen.cli.terminal.streams import say
from pipegen.compiler import Analysed
from pipegen.config.files.load import repository_root
from pipegen.diagnostics.report import Report
from pipegen.plan.events import PipelineStart, StageStart, absence, answers, plans_that_run, usual_events
from pipegen.plan.model import Event
from pipegen.plan.model.facts import EVENT_KINDS, RunFacts, StartEvent, start_event
from pipegen.plan.stage.words import ending
from pipegen.run.local.checkout import LocalCheckout
from pipegen.source.text import SourceFile
from pipegen.structs import Struct, replace
from pipegen.visible import visible

_OPTIONS = (
    click.option(
        "--event",
        metavar="KIND",
        help=f"Only stages that run for this event: {', '.join(kind.value for kind in Event)}.",
    ),
    click.option("--branch", metavar="NAME", help="The branch of the event. Default: the current."),
    click.option("--tag", metavar="NAME", help="The tag of the event."),
    click.option(
        "--changed",
        multiple=True,
        metavar="PATH",
        help="A file that the event changes; can be repeated. Default: all files count as changed.",
    ),
)


class EventOptions(Struct, kw_only=True):
    """The values of the options for an event; None where an option is not used."""

    kind: str | None = None
    branch: str | None = None
    tag: str | None = None
    changed: Sequence[str] = ()

    @property
    def is_used(self) -> bool:
        """Whether one of the options is used."""
        return any(value is not None for value in (self.kind, self.branch, self.tag)) or bool(self.changed)

    def event(self, checkout: LocalCheckout) -> StartEvent:
        """Return the event; its branch is by default the one of *checkout*. Raise `WrongUsage` if options conflict."""
        kind = self._kind()
        if kind is Event.TAG and not self.tag:
            raise WrongUsage("--event tag needs the name of the tag: --tag NAME")
        if self.tag and kind in (Event.PUSH, Event.MERGE_REQUEST):
            raise WrongUsage(f"--tag is for the event tag, not for {kind.value}")
        if self.tag and self.branch:
            raise WrongUsage("a run has a branch or a tag: omit --branch or --tag")
        return start_event(kind, self.branch or checkout.branch, self.tag or "", self._changed_paths() or None)

    def _changed_paths(self) -> list[str]:
        paths = [normpath(path) for path in self.changed]
        for written, path in zip(self.changed, paths, strict=True):
            if path.split("/")[0] in ("", ".", ".."):
                raise WrongUsage(f'--changed takes a path from the root of the repository, not "{written}"')
        return paths

    def _kind(self) -> Event:
        if self.kind is None:
            return Event.TAG if self.tag else Event.PUSH
        if self.kind not in EVENT_KINDS:
            raise wrong_option("--event", self.kind, [kind.value for kind in Event])
        return EVENT_KINDS[self.kind]


def event_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return *verb* with the options for an event, whose values it takes as one parameter `event`."""

    @wraps(verb)
    def with_event(
        *, event: str | None, branch: str | None, tag: str | None, changed: tuple[str, ...], **values: object
    ) -> None:
        verb(**values, event=EventOptions(kind=event, branch=branch, tag=tag, changed=changed))

    # As with decorators, the last one is added first.
    for option in reversed(_OPTIONS):
        option(with_event)
    return with_event


class ConfigPart(Struct, kw_only=True):
    """The part of a config that options select: pipelines, fixed inputs, changes since a revision, and an event."""

    pipelines: Sequence[str]
    inputs: Sequence[str]
    changed_since: str | None
    event: EventOptions

    def options(self) -> dict[str, object]:
        """Return the values of the options that only a config has, by name."""
        return {"pipeline": self.pipelines, "set": self.inputs, "changed_since": self.changed_since}

    def for_all_events(self, file: SourceFile, report: Report) -> Analysed:
        """Return the part of *file* for events of any kind."""
        fixed = fixed_inputs(self.inputs)
        return analysed_since(file, self.pipelines, report, fixed, self.changed_since)

    def analyse(self, file: SourceFile, report: Report) -> Analysed:
        """Return the part of *file*."""
        return narrowed_to_event(self.for_all_events(file, report), self.event)


def narrowed_to_event(analysed: Analysed, options: EventOptions) -> Analysed:
    """Return *analysed* with only the stages that run for the event of *options*; all of them without options.

    If none runs, the user is informed.
    """
    if not options.is_used:
        return analysed
    checkout = checkout_of(analysed.file)
    event = options.event(checkout)
    plans = plans_that_run(answers(analysed.plans, _facts(analysed, event, checkout), analysed.selected))
    if not plans:
        say(f'{visible(event.title)} runs no stage: "pipegen plan --events" shows the reasons')
    return replace(analysed, plans=plans)


def event_answers(analysed: Analysed, options: EventOptions) -> list[tuple[StartEvent, tuple[PipelineStart, ...]]]:
    """Return the stages that the event of *options* starts, or each usual event without options."""
    checkout = checkout_of(analysed.file)
    events = [options.event(checkout)] if options.is_used else usual_events(analysed.plans)
    return [(event, event_starts(analysed, event, checkout)) for event in events]


def event_starts(analysed: Analysed, event: StartEvent, checkout: LocalCheckout) -> tuple[PipelineStart, ...]:
    """Return the stages of each pipeline that *event* starts in *checkout*."""
    results = answers(analysed.plans, _facts(analysed, event, checkout), analysed.selected)
    return tuple(answer.start for answer in results)


def checkout_of(file: SourceFile) -> LocalCheckout:
    """Return the checkout of the repository with *file*."""
    return LocalCheckout(repository_root(file.absolute_path) if file.absolute_path is not None else Path())


def _facts(analysed: Analysed, event: StartEvent, checkout: LocalCheckout) -> RunFacts:
    return RunFacts(event=event, inputs=analysed.input_values, variables={}, repository=checkout)


# Text


def as_text(event: StartEvent, results: Sequence[PipelineStart]) -> str:
    """Return what *event* starts as text: a line for each stage."""
    lines = [event.title]
    for answer in results:
        lines.append(f"pipeline {answer.name}" + (f" {absence(answer.reason)}" if answer.reason else ""))
        if not answer.reason:
            lines += _rows([(stage.stage, _outcome(stage)) for stage in answer.stages])
            lines += [f"  {name} = {visible(value)}" for name, value in answer.values]
    return "\n".join(lines)


def _outcome(stage: StageStart) -> str:
    if stage.runs is None:
        return f"may run: {stage.reason}"
    if not stage.runs:
        return absence(stage.reason)
    if stage.is_final:
        return f"runs after all others, {ending(stage.on_status)}"
    if stage.waits_for_approval:
        return "waits for an approval"
    return f"runs {ending(stage.on_status)}" if stage.on_status else "runs"


def as_table(columns: Sequence[tuple[StartEvent, Sequence[PipelineStart]]]) -> str:
    """Return a table of stages by events, with events that start the same stages in one column."""
    groups = _groups(columns)
    letters = [_letter(number) for number in range(len(groups))]
    parts = [
        "\n".join(
            f"{letter}  {'; '.join(event.title for event in events)}"
            for letter, (events, _) in zip(letters, groups, strict=True)
        )
    ]
    for index, answer in enumerate(columns[0][1] if columns else ()):
        rows = [(answer.name, *letters)]
        rows += [
            (stage.stage, *(_cell(results[index].stages[row]) for _, results in groups))
            for row, stage in enumerate(answer.stages)
        ]
        parts.append("\n".join(_rows(rows, indent="")))
        if refused := [
            (letter, results[index].reason)
            for letter, (_, results) in zip(letters, groups, strict=True)
            if results[index].is_refused
        ]:
            parts.append("\n".join(_rows(refused, indent="")))
        if conditions := list(_conditions(answer)):
            parts.append("\n".join(_rows(conditions, indent="")))
    return "\n\n".join(parts)


def _groups(
    columns: Sequence[tuple[StartEvent, Sequence[PipelineStart]]],
) -> list[tuple[list[StartEvent], Sequence[PipelineStart]]]:
    groups: dict[tuple[str, ...], tuple[list[StartEvent], Sequence[PipelineStart]]] = {}
    for event, results in columns:
        refusals = [answer.reason for answer in results if answer.is_refused]
        cells = (*refusals, *(_cell(stage) for answer in results for stage in answer.stages))
        groups.setdefault(cells, ([], results))[0].append(event)
    return list(groups.values())


def _letter(number: int) -> str:
    return (_letter(number // 26 - 1) if number >= 26 else "") + ascii_uppercase[number % 26]  # noqa: PLR2004


def _cell(stage: StageStart) -> str:
    if stage.runs is None:
        return "unknown"
    if not stage.runs:
        return "-"
    return "approval" if stage.waits_for_approval else stage.on_status or "yes"


def _conditions(answer: PipelineStart) -> Iterator[tuple[str, str]]:
    """Yield the pipeline and the stages that do not run for every event, each with its condition."""
    if answer.condition:
        yield f"pipeline {answer.name}", answer.condition
    yield from ((stage.stage, stage.condition) for stage in answer.stages if stage.condition)


def _rows(rows: Iterable[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    """Yield *rows* with aligned columns."""
    table = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def as_data(columns: Iterable[tuple[StartEvent, Sequence[PipelineStart]]]) -> Mapping[str, object]:
    """Return what each event starts as a JSON document; the format is documented in docs/events.md."""
    return {"events": [_event_data(event, results) for event, results in columns]}


def _event_data(event: StartEvent, results: Iterable[PipelineStart]) -> Mapping[str, object]:
    return {
        "event": {
            "kind": event.kind.value,
            **({"branch": event.branch} if event.branch else {}),
            **({"tag": event.tag} if event.tag else {}),
            **({"changed": list(event.changed)} if event.changed is not None else {}),
        },
        "pipelines": [
            {
                "name": answer.name,
                "runs": not answer.reason,
                **({"reason": answer.reason} if answer.reason else {}),
                **({"values": dict(answer.values)} if answer.values else {}),
                "stages": [
                    {
                        "stage": stage.stage,
                        "runs": stage.runs,
                        **({"approval": True} if stage.runs and stage.waits_for_approval else {}),
                        **({"on_status": status} if stage.runs and (status := stage.on_status) else {}),
                        **({"reason": stage.reason} if stage.reason else {}),
                    }
                    for stage in answer.stages
                ],
            }
            for answer in results
        ],
    }
