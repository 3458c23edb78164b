"""Simulated fleets on the command line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.output import write
from pipegen.cli.files.overwriting import HTML, check_picture
from pipegen.cli.parameters import FleetForm
from pipegen.cli.session import Format, reported, show
from pipegen.cli.terminal.streams import show_data, show_text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.fleet.answers.find import find, read_condition
from pipegen.fleet.answers.render import as_data, found_data, found_words, render_csv, render_text
from pipegen.fleet.answers.results import results
from pipegen.fleet.reading.read import read_fleet
from pipegen.fleet.simulation import FleetSimulation, TooLongSimulationError
from pipegen.visible import visible


def show_fleet(path: Path, form: FleetForm, condition: str | None, html: Path | None, diagnostics: Format) -> None:
    """Simulate the fleet in the file at *path*, and show the answers; with a *condition*, search machines first.

    A page is written to *html*.
    """
    check_picture(html, HTML)
    goal = read_condition(condition) if condition is not None else None
    if condition is not None and goal is None:
        raise WrongUsage(
            f'--find takes a condition such as "p95(wait) < 60s" or "median(result in QUEUE) < 10m", not "{condition}"'
        )
    report = Report()
    fleet = reported(lambda report: read_fleet(path, os.environ, report), report, diagnostics)
    if goal is not None and goal.queue and goal.queue not in [queue.name for queue in fleet.queues]:
        raise WrongUsage(f'--find: there is no queue "{goal.queue}" in the fleet')
    try:
        answer = find(fleet, goal) if goal is not None else None
        result = answer.result if answer is not None else results(fleet, FleetSimulation(fleet).run())
    except TooLongSimulationError:
        report.add(
            codes.INVALID_FLEET_VALUE,
            f"the last pipelines do not end within {fleet.most_hours:,} hours, which are simulated at most",
            at=fleet.span,
            hint="shorten the durations of stages, lower the rates, or add machines",
        )
        show(report.diagnostics(), diagnostics, sys.stderr)
        raise click.exceptions.Exit(Exit.PROBLEMS) from None
    if html is not None:
        from pipegen.fleet.answers.chart import page  # noqa: PLC0415 - only for pages

        write(html, page(result, visible(path.name), [found_words(answer)] if answer else []))
    match form:
        case FleetForm.TEXT:
            show_text("\n\n".join([*([found_words(answer)] if answer else []), render_text(result)]))
        case FleetForm.JSON:
            show_data(json.dumps(({"find": found_data(answer)} if answer else {}) | as_data(result), indent=2))
        case FleetForm.CSV:
            show_data(render_csv(result))
    if answer is not None and answer.count is None:
        raise click.exceptions.Exit(Exit.PROBLEMS)
