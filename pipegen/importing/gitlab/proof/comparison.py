"""The proof of an import: the config, compiled for GitLab, runs the same as its source for each event."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from pipegen.diagnostics.report import Report, listed
from pipegen.importing.accounting import Accounting
from pipegen.importing.gitlab.importer import GitLabImport, PipelineReading
from pipegen.importing.gitlab.left_values import generated_values, values_of_report
from pipegen.importing.gitlab.proof.own_commands import added_variables
from pipegen.importing.gitlab.reading.expressions.formulas import TRUE, holds
from pipegen.importing.gitlab.reading.files import Files, read_files
from pipegen.importing.gitlab.reading.includes.rules import is_included
from pipegen.importing.gitlab.reading.jobs import SourcePipeline, resolve
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.reading.tree import NO_READING_LIMITS
from pipegen.importing.gitlab.runnable import ARTIFACTS, CACHES, OTHER_FILES, RunnablePipeline, StartedJob, runnable
from pipegen.importing.gitlab.runs import RunJob, RunWork, Works, run, starts_pipeline
from pipegen.importing.gitlab.values import ground, word_value
from pipegen.importing.imported import Proof, RunDifference
from pipegen.plan.model import Case
from pipegen.source.text import SourceFile
from pipegen.structs import replace
from pipegen.targets.base import GeneratedFile

# A text, and the variables that it can contain.
_Text: TypeAlias = tuple[str, Mapping[str, str]]

# The variable for the address of an environment that a script computes, and the command that stores it.
_COMPUTED = "${PIPEGEN_URL_"
_ADDRESS = re.compile(r"printf %s (\S.*) >\.pipegen/environment/\S+")
_SHORTENED = "…"
# What the generated file has in a name for an empty value of a matrix.
_EMPTY = re.compile(r"(?<=[:,] )-(?=,|$)")
# Names that are the same when they are shortened have numbers, in their order.
_NUMBERED = re.compile(r"(.*) \(([1-9]\d{0,3})\)", re.DOTALL)
# A combination whose number is one of its values.
_PART = re.compile(r"(.*:.*), [1-9]\d{0,2}", re.DOTALL)
# The stages of the generated file have other names.
_OF_ENGINE = frozenset({"CI_JOB_STAGE"})
# The runner reads them only if it fetches the repository.
_OF_A_FETCH = frozenset({"GIT_DEPTH", "GIT_FETCH_EXTRA_FLAGS"})


def prove(imported: GitLabImport) -> Proof | None:
    """Compare the runs of the source of *imported* with those of the file that the config compiles to.

    Jobs that are not stages are left out, and so are runs that GitLab refuses, which are counted if the config starts a
    stage. Return None if the config does not compile.
    """
    if not imported.generated:
        return None
    source, result = _with_values(imported), runnable(_generated(imported.generated), has_helpers=True)
    comparison = _Comparison()
    works: tuple[Works, Works] = ({}, {})
    events_by_difference: dict[tuple[str, str], list[str]] = {}
    misordered: set[str] = set()
    number, refused, has_jobs = 0, 0, False
    for (started, other), titles in _titles(imported, result).items():
        expected = run(source, started, works[0])
        generated = run(result, other, works[1]) or {}
        if expected is None:
            refused += len(titles) if generated else 0
            continue
        number, has_jobs = number + len(titles), has_jobs or bool(expected)
        expected = {name: job for name, job in expected.items() if job.job in imported.jobs}
        spellings = {_spelling(name): name for name in expected} | {name: name for name in expected}
        names = {name: _name(name, spellings) for name in generated}
        actual = {names[name]: _named(job, names) for name, job in generated.items()}
        pairs = [(job, actual[name]) for name, job in expected.items() if name in actual]
        all_names = frozenset(expected)
        misordered |= {job.job for job, other in pairs if any(_order(job, other, all_names))}
        differing = [*comparison.differences(expected, actual, imported.jobs)]
        if not expected and not actual and starts_pipeline(result, other) and not starts_pipeline(source, started):
            helpers = listed([helper.name for helper in other])
            differing.append((imported.jobs[0], f"only the import starts a pipeline, with no stage: {helpers}"))
        for name, message in differing:
            events_by_difference.setdefault((name, message), []).extend(titles)
    differences = [
        RunDifference(at=imported.source.jobs[job].key.span, message=message, events=tuple(titles))
        for (job, message), titles in events_by_difference.items()
    ]
    differences += _of_includes(imported.reading)
    return Proof(
        events=number if has_jobs or events_by_difference else 0,
        differences=tuple(differences),
        misordered=frozenset(misordered),
        restriction=_restriction(imported.reading.files, refused if has_jobs else 0),
    )


def _with_values(imported: GitLabImport) -> RunnablePipeline:
    """Return the source of *imported* with the values of the dotenv reports that are outputs.

    A source that is a generated file itself has other ones, which stay the same.
    """
    source, outputs = imported.reading.runnable, imported.outputs
    reports = {name: outputs[name].report if name in outputs else None for name in source.jobs}
    values = {
        name: values_of_report(name, report) if report is not None else generated_values(source.jobs[name].job)
        for name, report in reports.items()
    }
    return replace(source, jobs={name: replace(job, values=values[name]) for name, job in source.jobs.items()})


def _of_includes(reading: PipelineReading) -> Iterator[RunDifference]:
    """Yield the runs without the files of an include, which the import has in all runs."""
    for include in reading.files.ignored:
        formula = TRUE if include.rules is None else is_included(include.rules)
        without = tuple(event.title for event in reading.events if not holds(formula, event.facts))
        if without:
            message = f"only the import includes {listed(include.names)}"
            yield RunDifference(at=include.entry.key.span, message=message, events=without)


def _restriction(files: Files, refused: int) -> str:
    """Return that missing files, unreadable rules of includes and *refused* runs take no part, "" if there are none."""
    ignored = sum(include.rules is None for include in files.ignored)
    parts = [
        *([] if files.is_complete else ["files that are not here"]),
        *([f"the rules of {ignored} include{'s' * (ignored > 1)}"] if ignored else []),
        *([f"{refused} event{'s' * (refused > 1)} in which GitLab refuses the original"] if refused else []),
    ]
    return f"without {' and '.join(parts)}" if parts else ""


def _titles(
    imported: GitLabImport, result: RunnablePipeline
) -> dict[tuple[tuple[StartedJob, ...], tuple[StartedJob, ...]], list[str]]:
    """Return the titles of the events that start the same jobs, by the same rules, of the source and of *result*."""
    titles: dict[tuple[tuple[StartedJob, ...], tuple[StartedJob, ...]], list[str]] = {}
    for event, started in zip(imported.reading.events, imported.reading.started, strict=True):
        titles.setdefault((started, result.started(event.facts)), []).append(event.title)
    return titles


def _generated(files: Sequence[GeneratedFile]) -> SourcePipeline:
    """Return the jobs of generated *files*, however many; those before the last are included in it."""
    report, accounting = Report(), Accounting()
    with TemporaryDirectory() as folder:
        for file in files:
            path = Path(folder, file.name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
        main = SourceFile(".gitlab-ci.yml", files[-1].text)
        return resolve(
            read_files(main, Roots(Path(folder)), accounting, report, NO_READING_LIMITS),
            accounting,
            report,
            NO_READING_LIMITS,
        )


def _name(name: str, names: Mapping[str, str]) -> str:
    """Return the name in the source of the job *name* of the generated file.

    *names* are those of the source, also by their spelling without special characters. The generated file has other
    names for those that GitLab reserves. It shortens long names, and leaves out what a shell could misread in the
    values of a matrix.
    """
    original = name.removeprefix("stage ")
    empty = _EMPTY.sub("", original)
    for spelling in (name, original, empty, _spelling(name), _spelling(original)):
        if spelling in names:
            return names[spelling]
    if _SHORTENED in name:
        numbered = _NUMBERED.fullmatch(name)
        short, number = (numbered[1], int(numbered[2])) if numbered else (name, 1)
        pattern = ".*".join(re.escape(_spelling(part)) for part in short.split(_SHORTENED))
        longer = dict.fromkeys(original for spelling, original in names.items() if re.fullmatch(pattern, spelling))
        if number <= len(longer):
            return list(longer)[number - 1]
    part = _PART.fullmatch(name)
    return name if part is None else _name(part[1], names)


@lru_cache(maxsize=10_000)
def _spelling(name: str) -> str:
    """Return *name* without characters that the generated file may leave out."""
    return re.sub(r"[^\w.:/+]+", " ", name).strip()


def _named(job: RunJob, names: Mapping[str, str]) -> RunJob:
    """Return *job* with the *names* of the source for those of the generated file."""
    groups = {"before": job.before, "files": job.files, "stopped_by": job.stopped_by, "started_by": job.started_by}
    return replace(job, **{key: frozenset([names[name] for name in group]) for key, group in groups.items()})


class _Comparison:
    """Compares jobs of the source with those of the generated file; the work of two jobs is compared once."""

    def __init__(self) -> None:
        self._work: dict[tuple[int, int], tuple[str, ...]] = {}

    def differences(
        self, expected: Mapping[str, RunJob], actual: Mapping[str, RunJob], jobs: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        """Yield the job and the message of each difference; *jobs* are all that are stages."""
        names = frozenset(expected)
        for name, job in expected.items():
            if name not in actual:
                yield job.job, f'job "{name}" runs only in the original'
                continue
            for message in self._of_job(job, actual[name], names):
                yield job.job, message
        for name, job in actual.items():
            if name not in expected:
                original = job.job.removeprefix("stage ")
                reported = next((candidate for candidate in (job.job, original) if candidate in jobs), jobs[0])
                yield reported, f'job "{job.name}" runs only in the import'

    def _of_job(self, expected: RunJob, actual: RunJob, names: frozenset[str]) -> Iterator[str]:
        name = expected.name
        if (expected.when, expected.is_optional) != (actual.when, actual.is_optional):
            yield f'job "{name}" starts {_start(expected)} in the original, {_start(actual)} in the import'
        if expected.allowed != actual.allowed:
            failures = f"{_failures(expected)} in the original, with {_failures(actual)} in the import"
            yield f'job "{name}" may fail with {failures}'
        if actual.may_start_early and not expected.may_start_early:
            yield f'job "{name}" starts before others have ended if one that it needs is skipped'
        yield from _order(expected, actual, names)
        pair = id(expected.work), id(actual.work)
        if pair not in self._work:
            self._work[pair] = tuple(_of_work(expected, actual))
        yield from self._work[pair]


def _is_idle(variable: str, work: RunWork) -> bool:
    """Return whether *variable*, an option of a fetch, has no effect on *work*, which neither fetches nor names it."""
    commands = (*work.script, *work.after)
    return work.variables.get("GIT_STRATEGY") == "none" and not any(variable in command for command in commands)


def _of_variables(expected: RunJob, actual: RunJob, variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the differences in the values that commands of the import see, *variables*, from those of the original."""
    name, own, other = expected.name, expected.work, actual.work
    for variable, value in own.variables.items():
        is_ignored = variable in _OF_ENGINE or (variable in _OF_A_FETCH and _is_idle(variable, own))
        text = variables.get(variable, "")
        if not is_ignored and not _is_same(expected, (value, own.variables), actual, (text, variables)):
            yield f'the variable {variable} of job "{name}" is another one'
    for variable in sorted(other.variables.keys() - own.variables.keys() - _OF_ENGINE):
        if other.variables[variable] and _reads(own, variable):
            yield f'the variable {variable} of job "{name}" is set only in the import'


def _reads(work: RunWork, variable: str) -> bool:
    """Return whether commands of *work* contain a reference to *variable*."""
    text = "\n".join((*work.script, *work.after))
    return variable in text and re.search(rf"\$\{{?#?{variable}\b", text) is not None


def _of_work(expected: RunJob, actual: RunJob) -> Iterator[str]:
    """Yield the differences in the work of two jobs."""
    name, own, other = expected.name, expected.work, actual.work
    case = other.variables.get(Case.NUMBER, "")
    script = added_variables(other, other.script, own.script, case)
    after = added_variables(other, other.after, own.after, case)
    if script is None:
        yield f'the script of job "{name}" is another one'
    if after is None:
        yield f'the commands after job "{name}" are others'
    variables = {**other.variables, **(script or {})}
    yield from _of_variables(expected, actual, variables)
    for message, text, other_text in _texts(name, own, other, variables):
        if not _is_same(expected, text, actual, other_text):
            yield message
    others = _paths(expected, is_named=name == expected.job) ^ _paths(actual, is_named=name == expected.job)
    for kind in sorted({kind if kind in (ARTIFACTS, CACHES, OTHER_FILES) else "reports" for kind, _ in others}):
        yield f'the {kind} of job "{name}" are others'


def _texts(name: str, own: RunWork, other: RunWork, exported: Mapping[str, str]) -> Iterator[tuple[str, _Text, _Text]]:
    """Yield texts of the job *name* to compare, each with the message about a difference.

    The script has *exported* variables after the image and the services have started.
    """
    variables, others = own.variables, other.variables
    services, other_services = " ".join(own.services), " ".join(other.services)
    yield f'the image of job "{name}" is another one', (own.image, variables), (other.image, others)
    yield f'the services of job "{name}" are others', (services, variables), (other_services, others)
    yield f'the tags of job "{name}" are others', (own.tags, variables), (other.tags, others)
    yield f'the environment of job "{name}" is another one', (own.environment, variables), (other.environment, others)
    address = (_address(own), {**variables, **own.values.own}), (_address(other), {**other.values.own, **exported})
    yield f'the address of the environment of job "{name}" is another one', *address


def _paths(job: RunJob, *, is_named: bool) -> frozenset[tuple[str, str]]:
    """Return the paths of *job*, each with what has it; they know its name unless it is a combination."""
    known = {"CI_JOB_NAME": job.job} if is_named else {}
    return frozenset((kind, ground(path, known)) for kind, path in job.work.paths)


def _is_same(expected: RunJob, own: _Text, actual: RunJob, other: _Text) -> bool:
    """Return whether two texts have one value with their variables; the name of a job can be text in the import."""
    return ground(*own) == ground(*other) or _named_value(expected, *own) == _named_value(actual, *other)


def _named_value(job: RunJob, text: str, variables: Mapping[str, str]) -> str:
    """Return *text* with the values of *variables* and the name of *job*, unless it is one of several combinations."""
    return ground(text, {"CI_JOB_NAME": job.job, **variables} if job.name == job.job else variables)


def _failures(job: RunJob) -> str:
    """Return the exit codes with which *job* may fail."""
    if "any" in job.allowed:
        return "any exit code"
    return f"exit code {', '.join(job.allowed)}" if job.allowed else "no exit code"


def _start(job: RunJob) -> str:
    return "manual, and is not awaited" if job.is_optional else job.when


def _order(expected: RunJob, actual: RunJob, names: frozenset[str]) -> Iterator[str]:
    """Yield the differences in what a job waits for, and in whose files it gets."""
    before = expected.before & names
    for other in sorted(before - actual.before):
        yield f'job "{expected.name}" does not wait for "{other}"'
    for other in sorted(actual.before - before):
        yield f'job "{expected.name}" waits for "{other}" too'
    for other in sorted(before & (expected.stopped_by - actual.stopped_by)):
        yield f'job "{expected.name}" starts after a failure of "{other}"'
    for other in sorted(before & (actual.stopped_by - expected.stopped_by)):
        yield f'job "{expected.name}" does not start after a failure of "{other}"'
    for other in sorted((expected.started_by & names) ^ actual.started_by):
        where = "original" if other in expected.started_by else "import"
        yield f'a failure of "{other}" starts job "{expected.name}" only in the {where}'
    if expected.is_skipped != actual.is_skipped:
        who = "original" if expected.is_skipped else "import"
        yield f'job "{expected.name}" needs a job that does not start by itself only in the {who}'
    others = sorted((expected.files & names) ^ actual.files)
    if others and expected.work.script:
        yield f'job "{expected.name}" gets other files: {", ".join(others)}'


def _address(work: RunWork) -> str:
    """Return the address of the environment of *work*: the script can compute it, and pass it on to GitLab."""
    commands = work.script if work.address.startswith(_COMPUTED) else ()
    printed = (match for command in commands for match in _ADDRESS.finditer(command))
    return next((word_value(match[1]) for match in printed), work.address)
