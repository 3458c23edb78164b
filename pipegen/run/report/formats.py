"""The formats of reports, by file extension."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipegen.run.report.about import About
from pipegen.run.report.record import RunRecord


def _html(record: RunRecord, about: About) -> str:
    from pipegen.run.report.html import render  # noqa: PLC0415 - Jinja2: a sixth of the start of a run

    return render(record, about)


def _json(record: RunRecord, about: About) -> str:
    from pipegen.run.report.json import render  # noqa: PLC0415 - as above

    return render(record, about)


def _junit(record: RunRecord, about: About) -> str:
    from pipegen.run.report.junit import render  # noqa: PLC0415 - as above

    return render(record, about)


FORMATS: Mapping[str, Callable[[RunRecord, About], str]] = {".html": _html, ".json": _json, ".xml": _junit}
