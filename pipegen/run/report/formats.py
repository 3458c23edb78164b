"""The formats of reports, by file extension."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipegen.run.report import html, json, junit
from pipegen.run.report.about import About
from pipegen.run.report.record import RunRecord

FORMATS: Mapping[str, Callable[[RunRecord, About], str]] = {
    ".html": html.render,
    ".json": json.render,
    ".xml": junit.render,
}
