"""`pipegen import`: imports a pipeline of GitLab or Jenkins as a config."""

import sys
from collections.abc import Callable, Sequence
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
from pipegen.importing.imported import ComparedImport, ImportSettings, report_differences
from pipegen.importing.summary import as_data, as_page, as_text
from pipegen.plan.model.facts import DEFAULT_BRANCH
from pipegen.readback.engines import FileEngine, engine_of, is_config
from pipegen.source.text import SourceFile

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
    path = _source(pipeline)
    is_stream = str(output) == "-"
    if not is_stream:
        check_writable(output)
        if output.exists() and not force:
            raise WrongUsage(f'"{output}" exists already: name another file with -o, or overwrite it with --force')
    import_report = Report()
    compared = _compared_import(path, _settings(path, include_root, default_branch, is_compared=proof), import_report)
    if compared is not None and compared.proof is not None:
        report_differences(compared.proof, import_report)
    show(import_report.diagnostics(), form, sys.stderr)
    if form is Format.CONCISE:
        _say_hints(import_report.diagnostics())
    if compared is None:
        raise click.exceptions.Exit(Exit.PROBLEMS)
    imported = compared.imported
    if report is not None and not is_stream:
        show_text(_report(report, path, compared, import_report))
    if is_stream:
        show_file(imported.text)
    else:
        write_file(output, imported.text)
        say(f"{output} written: {imported.words}")
    _say_result(compared, "the config" if is_stream else f'"{output}"')
    is_fine = imported.generated and not import_report.has_errors()
    end(Exit.FINE if is_fine else Exit.PROBLEMS)


def _source(pipeline: Path | None) -> Path:
    """Return the *pipeline* to import; of a folder, by default the current one, the first usual one."""
    if pipeline is not None and not pipeline.is_dir():
        return existing(pipeline)
    path = next((path for name in _USUAL if (path := (pipeline or Path()) / name).is_file()), None)
    if path is None:
        place = f'"{pipeline}"' if pipeline is not None else "this folder"
        raise WrongUsage(f"no .gitlab-ci.yml or Jenkinsfile in {place}: name the pipeline to import")
    return path


def _say_hints(diagnostics: Sequence[Diagnostic]) -> None:
    """Say each hint of *diagnostics* once: many have the same one, and their lines have none."""
    for code, hint in dict.fromkeys((diagnostic.code.number, diagnostic.hint) for diagnostic in diagnostics):
        if hint:
            say(f"hint[{code}]: {hint}")


def _say_result(compared: ComparedImport, config: str) -> None:
    """Say how alike the runs are, or that the *config* does not compile, though its source has no errors."""
    if compared.proof is not None:
        say(f"runs: {compared.proof.words}")
    elif not compared.imported.has_stages:
        say(f"{config} has no stages: the files contain no job that can be imported")
    elif not compared.imported.generated:
        say(f'{config} does not compile: "pipegen check" reports why')


def _report(form: ReportFormat, path: Path, compared: ComparedImport, report: Report) -> str:
    """Return the report in the format *form*."""
    imported, proof = compared.imported, compared.proof
    match form:
        case ReportFormat.TEXT:
            return as_text(imported.count)
        case ReportFormat.JSON:
            return as_data(imported.count)
    words = [f"{imported.words[0].upper()}{imported.words[1:]}.", *([f"Runs: {proof.words}."] if proof else ())]
    return as_page(str(path), imported.count, words, report.diagnostics())


def _settings(path: Path, include_root: Path | None, default_branch: str, *, is_compared: bool) -> ImportSettings:
    return ImportSettings(
        repository=repository_root(path),
        projects=absolute(include_root) if include_root is not None else None,
        default_branch=default_branch,
        is_compared=is_compared,
    )


def _compared_import(path: Path, settings: ImportSettings, report: Report) -> ComparedImport | None:
    """Return the import of the pipeline at *path*, None if it cannot be read."""
    try:
        file = load(path, report)
        report.stop_if_errors()
        if is_config(file):
            raise WrongUsage(f'"{path}" is a config of pipegen already: run "pipegen check"')
        return _importer(engine_of(file))(file, settings, report)
    except Stopped:
        return None


def _importer(engine: FileEngine | None) -> Callable[[SourceFile, ImportSettings, Report], ComparedImport]:
    """Return the importer of files of *engine*; a small import takes a sixth longer with both."""
    if engine is FileEngine.JENKINS:
        from pipegen.importing.jenkins.proof import compared_import as jenkins_import  # noqa: PLC0415

        return jenkins_import
    from pipegen.importing.gitlab.proof.orders import compared_import as gitlab_import  # noqa: PLC0415

    return gitlab_import


def _audit(folders: Sequence[Path], include_root: Path | None, default_branch: str, form: ReportFormat | None) -> None:
    """Import the pipelines below *folders*, and show the sum."""
    for folder in folders:
        if not folder.is_dir():
            raise WrongUsage(f'"{folder}" is not a folder')
    audited = []
    for path in audited_files(folders):
        report = Report()
        compared = _compared_import(path, _settings(path, include_root, default_branch, is_compared=True), report)
        count = compared.imported.count if compared else None
        words = compared.proof.words if compared and compared.proof else ""
        audited.append(Audited(str(path), count, report.diagnostics(), words))
    show_text(audit_text(audited, is_data=form is ReportFormat.JSON))
