"""The report of a run as a self-contained page: a Gantt chart, and the ends of the logs."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pipegen.pictures.policy import content_security_policy
from pipegen.run.chart.svg import STYLE, render_svg
from pipegen.run.chart.times import SECONDS
from pipegen.run.local.executors.local import log_of
from pipegen.run.report.about import About
from pipegen.run.report.record import RunRecord, StageRecord
from pipegen.run.report.summary import path_words, tail
from pipegen.run.report.words import display_name
from pipegen.visible import visible

_TAIL_LINES = 100
# Styles of the page; the chart has its own.
_STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #1f2328; background: #fff; }
table { border-collapse: collapse; } td, th { padding: 2px 12px 2px 0; text-align: left; vertical-align: top; }
pre { background: #f4f4f4; padding: 8px; overflow-x: auto; }
.failed { color: #b3261e; } .allowed, .cancelled { color: #8a5a00; } .skipped { color: #59636e; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; } pre { background: #1c2128; }
  .failed { color: #ff7b72; } .allowed, .cancelled { color: #d29922; } .skipped { color: #9198a1; }
}
"""


def render(record: RunRecord, about: About) -> str:
    """Return the page."""
    return "".join(f"{line}\n" for line in _lines(record, about))


def _lines(record: RunRecord, about: About) -> Iterator[str]:
    title = escape(f"{about.config}: {about.status}")
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    # Names and logs are untrusted: the policy keeps the page from loading or running anything.
    policy = content_security_policy(_STYLE, STYLE)
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}"><title>{title}</title>'
    yield f"<style>{_STYLE}</style></head><body><h1>{title}</h1>"
    yield f"<p>{about.started:%Y-%m-%d %H:%M:%S} UTC, {escape(SECONDS.words(record.seconds))}</p>"
    yield from _path(record)
    yield render_svg(record.picture(about.machines), SECONDS)
    yield from _table(record)
    for entry in record.entries.values():
        yield from _log(entry, record, about)
    yield "</body></html>"


def _path(record: RunRecord) -> Iterator[str]:
    path = record.critical_path()
    if len(path) > 1:
        yield f"<p>Longest path: {escape(path_words(path, several=len(record.runs) > 1))}</p>"


def _table(record: RunRecord) -> Iterator[str]:
    yield "<table><tr><th>Stage</th><th>Result</th><th>Duration</th><th></th></tr>"
    for entry in record.entries.values():
        status = entry.status or "not run"
        reason = entry.skipped.value if entry.skipped is not None else entry.outcome.reason if entry.outcome else ""
        took = SECONDS.words(entry.seconds) if entry.attempts else ""
        yield (
            f'<tr><td>{escape(_name(entry, record))}</td><td class="{escape(status)}">{escape(status)}</td>'
            f"<td>{escape(took)}</td><td>{escape(reason)}</td></tr>"
        )
    yield "</table>"


def _log(entry: StageRecord, record: RunRecord, about: About) -> Iterator[str]:
    for attempt in entry.attempts:
        lines = tail(log_of(about.folder, entry.task.job, attempt.number), _TAIL_LINES)
        if lines:
            again = f", attempt {attempt.number}" if len(entry.attempts) > 1 else ""
            is_open = " open" if entry.status == "failed" else ""
            yield f"<details{is_open}><summary>{escape(_name(entry, record) + again)}</summary>"
            yield f"<pre>{escape(chr(10).join(lines))}</pre></details>"


def _name(entry: StageRecord, record: RunRecord) -> str:
    return visible(display_name(entry, several=len(record.runs) > 1))
