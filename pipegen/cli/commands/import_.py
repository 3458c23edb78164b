"""`pipegen import`: imports a pipeline of GitLab or Jenkins as a config."""

import sys
from collections import Counter
from collections.abc import Collection, Sequence
from enum import StrEnum
from pathlib import Path

import click

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.output import check_writable
from pipegen.cli.files.output import write as write_file
from pipegen.cli.parameters import PATH, EnumChoice, existing
from pipegen.cli.session import Format, end, show
from pipegen.cli.terminal.streams import say, show_file, show_text
from pipegen.config.files.load import USUAL_NAMES, absolute, load, repository_root
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.audit import Audited, audit_text, audited_files
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab, with_needs
from pipegen.importing.gitlab.proof import prove
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.stages.after_failures import Misordered
from pipegen.importing.imported import Imported, Proof, report_differences
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.importing.summary import as_data, as_page, as_text
from pipegen.plan.model.facts import DEFAULT_BRANCH
from pipegen.readback.engines import FileEngine, engine_of
from pipegen.structs import Struct

# What is imported if no pipeline is named, the first that exists.
_USUAL = (Path(".gitlab-ci.yml"), Path("Jenkinsfile"))


class ReportFormat(StrEnum):
    """The format of the report on an import."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


@click.command("import")
@click.argument(
    "pipeline",
    required=False,
    type=PATH,
    help="The pipeline. Default: .gitlab-ci.yml or Jenkinsfile.",
)
@click.option(
    "--output",
    "-o",
    type=PATH,
    default=Path(USUAL_NAMES[0]),
    metavar="FILE",
    help='The config to write; "-" is standard output.',
)
@click.option("--report", type=EnumChoice(ReportFormat), help="Report the outcome of each construct.")
@click.option(
    "--audit",
    multiple=True,
    type=PATH,
    metavar="FOLDER",
    help="Import every .gitlab-ci.yml and Jenkinsfile below this folder, write no file, and report the sum; "
    "can be repeated.",
)
@click.option(
    "--include-root",
    type=PATH,
    metavar="FOLDER",
    help="The folder with checkouts of other projects, by path, for includes of projects, components and templates.",
)
@click.option("--default-branch", default=DEFAULT_BRANCH, metavar="NAME", help="The default branch of the project.")
@click.option(
    "--diagnostics-format",
    "form",
    type=EnumChoice(Format),
    default=Format.CONCISE.value,
    help="The format of diagnostics.",
)
@click.option("--proof/--no-proof", default=True, help="Compare the runs of the config's jobs.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def import_pipeline(
    pipeline: Path | None,
    output: Path,
    report: ReportFormat | None,
    audit: tuple[Path, ...],
    include_root: Path | None,
    default_branch: str,
    form: Format,
    *,
    proof: bool,
    force: bool,
) -> None:
    """Import a .gitlab-ci.yml or a Declarative Jenkinsfile as a config.

    Constructs without an equivalent are kept for one engine, or reported.
    The config is compiled for its engine, and the runs of both files are compared.
    """
    if audit:
        if report is ReportFormat.HTML:
            raise WrongUsage('the report of "--audit" is text or JSON: import one pipeline for a page')
        _audit(audit, include_root, default_branch, report)
        return
    path = pipeline or next((candidate for candidate in _USUAL if candidate.is_file()), _USUAL[0])
    is_stream = str(output) == "-"
    if not is_stream:
        check_writable(output)
        if output.exists() and not force:
            raise WrongUsage(f'"{output}" exists already: name another file with -o, or overwrite it with --force')
    import_report = Report()
    imported, proven = _imported_and_proven(path, include_root, default_branch, import_report, is_proven=proof)
    if proven is not None:
        report_differences(proven, import_report)
    show(import_report.diagnostics(), form, sys.stderr)
    if form is Format.CONCISE:
        _say_hints(import_report.diagnostics())
    if imported is None:
        raise click.exceptions.Exit(Exit.PROBLEMS)
    if report is not None and not is_stream:
        show_text(_report(report, path, imported, proven, import_report))
    if is_stream:
        show_file(imported.text)
    else:
        write_file(output, imported.text)
        say(f"{output} written: {imported.words}")
    _say_result(imported, proven, "the config" if is_stream else f'"{output}"')
    is_fine = imported.generated and not import_report.has_errors()
    end(Exit.FINE if is_fine else Exit.PROBLEMS)


def _say_hints(diagnostics: Sequence[Diagnostic]) -> None:
    """Say each hint of *diagnostics* once: many have the same one, and their lines have none."""
    for code, hint in dict.fromkeys((diagnostic.code.number, diagnostic.hint) for diagnostic in diagnostics):
        if hint:
            say(f"hint[{code}]: {hint}")


def _say_result(imported: Imported, proven: Proof | None, config: str) -> None:
    """Say how alike the runs are, or that the *config* does not compile, though its source has no errors."""
    if proven is not None:
        say(f"runs: {proven.words}")
    elif isinstance(imported, GitLabImport) and not imported.jobs:
        say(f"{config} has no stages: the files contain no job that can be imported")
    elif not imported.generated:
        say(f'{config} does not compile: "pipegen check" reports why')


def _report(form: ReportFormat, path: Path, imported: Imported, proven: Proof | None, report: Report) -> str:
    """Return the report in the format *form*."""
    match form:
        case ReportFormat.TEXT:
            return as_text(imported.count)
        case ReportFormat.JSON:
            return as_data(imported.count)
    words = [f"{imported.words[0].upper()}{imported.words[1:]}.", *([f"Runs: {proven.words}."] if proven else ())]
    return as_page(str(path), imported.count, words, report.diagnostics())


def _imported_and_proven(
    path: Path, include_root: Path | None, default_branch: str, report: Report, *, is_proven: bool = True
) -> tuple[Imported | None, Proof | None]:
    """Return the import of the pipeline at *path*, None if it cannot be read, and its comparison if *is_proven*.

    Jobs that would wait for others in some runs keep their needs raw, if this makes the runs more alike.
    """
    own = Report()
    imported = _imported(path, include_root, default_branch, own)
    proven = _proven(imported) if imported is not None and is_proven else None
    if proven is not None and proven.misordered and isinstance(imported, GitLabImport):
        best = _in_another_order(_ComparedImport(imported, proven, own))
        imported, proven, own = best.imported, best.proven, best.report
    report.take(own)
    return imported, proven


class _ComparedImport(Struct):
    """An import, the comparison of its runs, and its diagnostics."""

    imported: GitLabImport
    proven: Proof
    report: Report

    def differences(self) -> Counter[str]:
        """Return the number of differences of each job."""
        numbers = Counter(difference.at for difference in self.proven.differences)
        return Counter({name: numbers[job.key.span] for name, job in self.imported.source.jobs.items()})


def _in_another_order(first: _ComparedImport) -> _ComparedImport:
    """Return the import whose runs differ least: the *first*, or one in which its misordered jobs have another order.

    Each of them can have raw needs, or the order of stages although the generated file has jobs in other stages.
    """
    names = first.proven.misordered
    second = _attempt(first, Misordered(names))
    if second is None:
        return first
    attempts = [first, second]
    of_first, of_second = first.differences(), second.differences()
    raw = {name for name in names if of_second[name] < of_first[name]}
    again = names & second.proven.misordered - second.imported.staged
    staged = {name: min(of_first[name], of_second[name]) for name in again}
    if staged or raw != names:
        third = _attempt(first, Misordered(raw, staged), [second.imported])
        attempts += [third] if third is not None else []
    return min(attempts, key=lambda attempt: len(attempt.proven.differences))


def _attempt(
    first: _ComparedImport, misordered: Misordered, others: Collection[GitLabImport] = ()
) -> _ComparedImport | None:
    """Return the *first* import with *misordered* jobs, None if it does not compile or is one of *others*."""
    report = Report()
    imported = with_needs(first.imported, misordered, report, others)
    proven = prove(imported) if imported is not None else None
    return _ComparedImport(imported, proven, report) if imported is not None and proven is not None else None


def _imported(
    path: Path,
    include_root: Path | None,
    default_branch: str,
    report: Report,
) -> Imported | None:
    """Return the import of the pipeline at *path*, None if it cannot be read."""
    if not path.exists():
        raise WrongUsage(f'"{path}" does not exist: name the pipeline to import')
    existing(path)
    try:
        file = load(path, report)
        report.stop_if_errors()
        if engine_of(file) is FileEngine.JENKINS:
            return import_jenkins(file, report)
        projects = absolute(include_root) if include_root is not None else None
        return import_gitlab(file, Roots(repository_root(path), projects), default_branch, report)
    except Stopped:
        return None


def _proven(imported: Imported) -> Proof | None:
    """Compare the runs of *imported* with its source; None if the config does not compile."""
    match imported:
        case GitLabImport():
            return prove(imported)
        case JenkinsImport():
            return prove_stages(imported)
    return None


def _audit(folders: Sequence[Path], include_root: Path | None, default_branch: str, form: ReportFormat | None) -> None:
    """Import the pipelines below *folders*, and show the sum."""
    for folder in folders:
        if not folder.is_dir():
            raise WrongUsage(f'"{folder}" is not a folder')
    audited = []
    for path in audited_files(folders):
        report = Report()
        imported, proven = _imported_and_proven(path, include_root, default_branch, report)
        words = proven.words if proven else ""
        audited.append(Audited(str(path), imported.count if imported else None, report.diagnostics(), words))
    show_text(audit_text(audited, is_data=form is ReportFormat.JSON))
