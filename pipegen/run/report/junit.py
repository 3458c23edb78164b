"""The report of a run as JUnit XML: a suite for each pipeline, a case for each stage."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pipegen.plan.model import Failure
from pipegen.run.local.executors.local import log_of
from pipegen.run.model import PipelineRun
from pipegen.run.report.formats import About
from pipegen.run.report.record import RunRecord, StageRecord
from pipegen.run.report.summary import tail

# Characters that XML 1.0 cannot contain: https://www.w3.org/TR/xml/#charsets
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FAILED = ("failed", "cancelled")


def render(record: RunRecord, about: About) -> str:
    """Return the document."""
    suites = Element("testsuites")
    for run in record.runs:
        suites.append(_suite(run, record, about))
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _suite(run: PipelineRun, record: RunRecord, about: About) -> Element:
    entries = [record.entries[task.id] for task in run.tasks]
    errors = sum(_is_error(entry) for entry in entries)
    failures = sum(entry.status in _FAILED for entry in entries) - errors
    suite = Element(
        "testsuite",
        name=_clean(run.name),
        tests=str(len(entries)),
        failures=str(failures),
        errors=str(errors),
        skipped=str(sum(not _has_run(entry) for entry in entries)),
        time=f"{record.seconds:.3f}",
        timestamp=f"{about.started:%Y-%m-%dT%H:%M:%S}",
    )
    for entry in entries:
        suite.append(_case(entry, about))
    return suite


def _why_not_run(entry: StageRecord) -> str:
    if entry.is_earlier:
        return "it ended in the run that this run resumes"
    return entry.skipped.value if entry.skipped is not None else "it has not run"


def _case(entry: StageRecord, about: About) -> Element:
    name = {"name": _clean(entry.task.id.stage), "classname": _clean(entry.task.id.pipeline)}
    case = Element("testcase", {**name, "time": f"{entry.seconds:.3f}"})
    if not _has_run(entry):
        SubElement(case, "skipped", message=_why_not_run(entry))
        return case
    log = _clean("\n".join(tail(log_of(about.folder, entry.task.job, entry.attempts[-1].number))))
    reason = entry.outcome.reason if entry.outcome is not None else ""
    if entry.status in _FAILED:
        kind = "error" if _is_error(entry) else "failure"
        SubElement(case, kind, message=_clean(reason or entry.status), type=entry.status).text = log
    elif log:
        SubElement(case, "system-out").text = log
    return case


def _has_run(entry: StageRecord) -> bool:
    return bool(entry.attempts) and bool(entry.status)


def _is_error(entry: StageRecord) -> bool:
    """Return whether the machine failed, and not the script."""
    return entry.status == "failed" and entry.outcome is not None and entry.outcome.failure is Failure.SYSTEM


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
