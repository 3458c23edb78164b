"""Dotenv reports as outputs, which the stages that get a report read by reference."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import is_elsewhere, order_of
from pipegen.importing.gitlab.reading.outputs import NO_OUTPUTS, DotenvReport, StageOutputs, has_report, report_of
from pipegen.importing.gitlab.reading.stored import artifacts_of
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.stages.keys.machines import read_by_services
from pipegen.importing.gitlab.stages.keys.matrices import variables_of
from pipegen.importing.gitlab.stages.keys.scripts import is_powershell
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.importing.gitlab.stages.starts import Start
from pipegen.importing.gitlab.stages.texts import constant_part, names_in, rule_variables, with_values
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import scalars
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.raw import AFTER_FAILURES
from pipegen.targets.gitlab.jobs.values.shell_variables import ADDRESS_CHARACTERS
from pipegen.targets.gitlab.jobs.values.variables import is_free_name

# A stage that others can read from, with the reserved names of references.
_STAGE = re.compile(r"(?!(?:setup|inputs|matrix|pipeline)$)[A-Za-z0-9_-]+")
# Of a stage with an error in one of these, or in `env.NAME`, no values of reports become references.
REFERENCES = "references"
_REFUSED = ("outputs", REFERENCES, "script", "*")
# With these, the runner may leave files of earlier runs in the checkout.
_KEEPING = frozenset({"GIT_CLEAN_FLAGS", "GIT_STRATEGY"})
# What an address with values of a report can contain besides them.
_ADDRESS = re.compile(f"[{ADDRESS_CHARACTERS}]*")
# Keys whose texts the shell reads.
_SCRIPTS = ("before_script", "script", "after_script")
_NONE: Mapping[str, str] = MappingProxyType({})


def stage_outputs(
    source: SourcePipeline,
    starts: Mapping[str, Start | None],
    forced: Mapping[str, Mapping[str, str]],
    others: Collection[str],
) -> dict[str, StageOutputs]:
    """Return the outputs of stages and the references to them; *starts* has all stages.

    A report stays raw if a stage that gets it cannot read its values by reference for certain: *forced* are the keys
    that a config refuses, *others* the variables that are inputs, or that rules of the workflow set.
    """
    if not any(has_report(source.jobs[name]) for name in starts):
        return dict.fromkeys(starts, NO_OUTPUTS)
    files = order_of(source, tuple(starts), ()).files
    reporting = [name for name in starts if has_report(source.jobs[name])]
    reports: dict[str, DotenvReport] = {}
    reasons: dict[str, str] = {}
    for name in reporting:
        receivers = [source.jobs[other] for other in starts if name in files[other]]
        senders = [source.jobs[other] for other in files[name]]
        try:
            report = report_of(source.jobs[name], gets_files=_gets_files(source.jobs[name], senders))
            reports[name] = _read(report, source.jobs[name], starts[name], receivers, forced, others)
        except UntranslatableError as error:
            reasons[name] = str(error)
    while unclear := dict(_unclear(reports, files, reporting)):
        reasons |= unclear
        reports = {name: report for name, report in reports.items() if name not in unclear}
    references = {
        name: {
            variable: f"${{{other}.{variable}}}"
            for other in files[name]
            if other in reports
            for variable in reports[other].names
        }
        for name in starts
    }
    return {
        name: StageOutputs(
            report=reports.get(name),
            reason=reasons.get(name, ""),
            references={**env, **(_own(reports[name]) if name in reports else {})},
            env=env,
        )
        for name, env in references.items()
    }


def lost_outputs(drafts: Iterable[Draft]) -> dict[str, dict[str, str]]:
    """Return that the dotenv reports of *drafts* stay raw whose raw artifacts replace the files with outputs."""
    reason = "other artifacts of the job stay keys of GitLab"
    raw = {draft.name: draft.raw.get("artifacts") for draft in drafts if "outputs" in draft.keys}
    return {
        name: {"outputs": reason}
        for name, artifacts in raw.items()
        if isinstance(artifacts, dict) and ("paths" in artifacts or "reports" in artifacts)
    }


def _own(report: DotenvReport) -> dict[str, str]:
    return {variable: f"${{.{variable}}}" for variable in report.names}


def _unclear(
    reports: Mapping[str, DotenvReport], files: Mapping[str, Sequence[str]], reporting: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield those of *reports* that a stage gets with another one that may have the same variables, with the reason."""
    unread = set(reporting) - reports.keys()
    for name, sources in files.items():
        unknown = [source for source in sources if source in unread]
        known = [source for source in dict.fromkeys((*sources, name)) if source in reports]
        setters: dict[str, list[str]] = {}
        for source in known:
            for variable in set(reports[source].names):
                setters.setdefault(variable, []).append(source)
        for report in (source for source in sources if source in reports):
            same = {other for variable in reports[report].names for other in setters[variable]} - {report}
            for other in (*unknown, *sorted(same, key=known.index)):
                yield report, f'the report of job "{other}" may set the same variables in job "{name}"'


def _gets_files(job: SourceJob, senders: Iterable[SourceJob]) -> bool:
    """Return whether *job* may get files of earlier runs, of a cache, of *senders*, or of other pipelines."""
    artifacts = [artifacts_of(sender)[0] for sender in senders]
    is_sent = any(keys.get(key) is not None for keys in artifacts for key in ("paths", "untracked"))
    is_elsewhere_too = any(map(is_elsewhere, flat_items(job.get("needs"))))
    is_kept = not _KEEPING.isdisjoint(job.variables)
    return is_sent or is_elsewhere_too or is_kept or bool(flat_items(job.get("cache")))


def _read(
    report: DotenvReport,
    job: SourceJob,
    start: Start | None,
    receivers: Sequence[SourceJob],
    forced: Mapping[str, Mapping[str, str]],
    others: Collection[str],
) -> DotenvReport:
    """Return *report* of *job* with the variables that others read: the *receivers* all, its own address some.

    Raise `UntranslatableError` if its values cannot become references.
    """
    reason = _own_refusal(job, report) or _refusal(job, report.names, forced, others, is_receiver=False)
    if not reason and receivers and (start is None or start.reason or not start.is_awaited):
        reason = "its job may not run before the jobs that get it"
    if not reason:
        reasons = (_refusal(other, report.names, forced, others, is_receiver=True) for other in receivers)
        reason = next(filter(None, reasons), "") or next(filter(None, map(_start_refusal, receivers)), "")
    if reason:
        raise UntranslatableError(reason)
    read = names_in(text_of(job.environment("url")))
    names = report.names if receivers else tuple(name for name in report.names if name in read)
    if not names:
        raise UntranslatableError("no job reads it")
    return replace(report, names=names)


def _own_refusal(job: SourceJob, report: DotenvReport) -> str:
    """Return why the variables of *report* cannot be outputs of *job*, "" if they can."""
    if not _STAGE.fullmatch(job.name):
        return f'references cannot contain "{job.name}"'
    if job.get("parallel") is not None:
        return "each combination of the job has its own"
    if text_of(artifacts_of(job)[0].get("when")) == "on_failure":
        return "only failed jobs leave it"
    read_by_runner = [name for name in report.names if not is_free_name(name)]
    return f"the runner may read {read_by_runner[0]}" if read_by_runner else ""


def _start_refusal(job: SourceJob) -> str:
    """Return that *job* may start without the values, "" if it does not: after a failure, there are none."""
    rules = [rule for rule in flat_items(job.get("rules")) if isinstance(rule, TreeMapping)]
    starts = [text_of(job.get("when")), *(text_of(rule.get("when")) for rule in rules)]
    return f'job "{job.name}" may start after failures' if AFTER_FAILURES.intersection(starts) else ""


def _refusal(
    job: SourceJob,
    names: Collection[str],
    forced: Mapping[str, Mapping[str, str]],
    others: Collection[str],
    *,
    is_receiver: bool,
) -> str:
    """Return why *job* cannot read the variables *names* by reference, "" if it can.

    A job that *is_receiver* gets them from another one. Its own variables, and *others*, may have the same names.
    """
    own = forced.get(job.name, _NONE)
    keys = (*_REFUSED, *(f"env.{name}" for name in names)) if is_receiver else _REFUSED
    refused = next((own[key] for key in keys if key in own), "")
    if refused:
        return refused
    if "trigger" in job.entries or job.unknown or job.get("script") is None or is_powershell(job):
        return f'the config does not contain the script of job "{job.name}"'
    set_too = {*job.variables, *rule_variables(job), *variables_of(job), *others}.intersection(names)
    if set_too:
        return f'{min(set_too)} is also another variable of job "{job.name}"'
    return _refusal_by_keys(job, names, own, is_receiver=is_receiver)


def _refusal_by_keys(job: SourceJob, names: Collection[str], forced: Collection[str], *, is_receiver: bool) -> str:
    """Return which key of *job* cannot have references in place of the variables *names*, "" if all can.

    Values of its own report can be only in the address of its environment. The *forced* keys stay raw.
    """
    read = _reading(job, names)
    derived = read.difference(names)
    if is_receiver and read_by_services(job, read):
        return f'the services of job "{job.name}" may read it'
    if is_receiver and not all(map(is_free_name, derived)):
        return f'the runner may read variables of job "{job.name}" with values of the report'
    url = job.environment("url") if "environment" not in forced else None
    address = text_of(url)
    if not read.isdisjoint(names_in(address)):
        constant = constant_part(with_values(address, job.variables))
        if _ADDRESS.fullmatch(constant) is None:
            return f'GitLab cannot show the address of the environment of job "{job.name}" with a value of the report'
    known = {*_SCRIPTS, "variables", *(("image",) if is_receiver and "image" not in forced else ())}
    for key, entry in job.entries.items():
        for text in scalars(entry.value) if key not in known else ():
            refused = read if text is not url else derived if not is_receiver else set[str]()
            if not refused.isdisjoint(names_in(text.text)):
                return f'"{key}" of job "{job.name}" contains a value of the report'
    return ""


def _reading(job: SourceJob, names: Collection[str]) -> set[str]:
    """Return *names* and the variables of *job* with one of them in their text, or in the text of one in it."""
    read, size = set(names), 0
    while size < len(read):
        size = len(read)
        read |= {
            name
            for name, variable in job.variables.items()
            if variable.is_expanded and not read.isdisjoint(names_in(variable.text))
        }
    return read
