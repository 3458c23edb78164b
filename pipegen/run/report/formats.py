"""The formats of reports by file extension, and the metadata of a run in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib import import_module
from typing import Protocol, cast

from pipegen.run.files.run_folder import RunFolder
from pipegen.run.model import RunMachine
from pipegen.run.report.record import RunRecord
from pipegen.structs import Struct


class About(Struct, kw_only=True):
    """The metadata of a run: *config*, start in UTC, folder, machines, and *status* as a word."""

    config: str
    started: datetime
    folder: RunFolder
    machines: tuple[RunMachine, ...]
    status: str


class RunReportFormat(Protocol):
    """A module that renders reports."""

    @staticmethod
    def render(record: RunRecord, about: About) -> str:
        """Return the report of *record*."""
        ...


_MODULES: Mapping[str, str] = {".html": "html", ".json": "json", ".xml": "junit"}
EXTENSIONS = tuple(_MODULES)


def report_format(extension: str) -> RunReportFormat:
    """Return the format for files with *extension*, one of `EXTENSIONS`.

    Only the requested formats are imported: pages and XML take a sixth of the start of a run.
    """
    return cast(RunReportFormat, import_module(f"{__package__}.{_MODULES[extension]}"))
