"""Simulated fleets on the command line."""

from __future__ import annotations

import json
import os
import sys
from enum import StrEnum
from pathlib import Path

import typer

from pipegen.cli.exits import Exit
from pipegen.cli.session import Format, show
from pipegen.cli.streams import show_data, show_text
from pipegen.diagnostics.report import Report, Stopped


class FleetForm(StrEnum):
    """The format of a simulation."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def show_fleet(path: Path, form: FleetForm, diagnostics: Format) -> None:
    """Simulate the fleet in the file at *path*, and show the answers."""
    # Imported on use, so that other commands start faster.
    from pipegen.fleet.read import read_fleet  # noqa: PLC0415 - see above
    from pipegen.fleet.render import as_data, render_csv, render_text  # noqa: PLC0415 - see above
    from pipegen.fleet.results import results  # noqa: PLC0415 - see above
    from pipegen.fleet.simulation import FleetSimulation  # noqa: PLC0415 - see above

    report = Report()
    try:
        fleet = read_fleet(path, os.environ, report)
    except Stopped:
        show(report.diagnostics(), diagnostics, sys.stderr)
        raise typer.Exit(Exit.PROBLEMS) from None
    show(report.diagnostics(), diagnostics, sys.stderr)
    result = results(fleet, FleetSimulation(fleet).run())
    match form:
        case FleetForm.TEXT:
            show_text(render_text(result))
        case FleetForm.JSON:
            show_data(json.dumps(as_data(result), indent=2))
        case FleetForm.CSV:
            show_data(render_csv(result))
