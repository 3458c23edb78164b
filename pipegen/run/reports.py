"""The forms in which a run is reported, by the ending of the file's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipegen.run import report_html, report_json, report_junit
from pipegen.run.about import About
from pipegen.run.record import Record

FORMATS: Mapping[str, Callable[[Record, About], str]] = {
    ".html": report_html.render,
    ".json": report_json.render,
    ".xml": report_junit.render,
}
