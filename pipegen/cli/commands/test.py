"""`pipegen test`: checks which stages a config runs for which events."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import click

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.output import write as write_file
from pipegen.cli.parameters import PATH, existing
from pipegen.cli.session import Format, attempt, config_argument, config_path, end, format_option, inform, show
from pipegen.cli.terminal.redaction import without_tokens
from pipegen.cli.terminal.streams import say, show_data
from pipegen.compiler import Analysed, analyse
from pipegen.config.files.load import load, repository_root
from pipegen.diagnostics.report import Report, Stopped
from pipegen.emit import yaml
from pipegen.expectations.check import ConfigUnderTest, check
from pipegen.expectations.model import Expectation
from pipegen.expectations.read import read_expectations
from pipegen.expectations.write import recorded
from pipegen.run.local.checkout import LocalCheckout


@click.command("test")
@config_argument
@click.option(
    "--tests",
    type=PATH,
    metavar="FILE",
    help='The file with the tests. Default: the name of the config with ".test" before its extension.',
)
@format_option
@click.option("--write", is_flag=True, help="Write the file: record which stages run today for all usual events.")
def check_tests(config: Path | None, tests: Path | None, form: Format, *, write: bool) -> None:
    """Check which stages a config runs for which events.

    The tests are in a file next to the config, for example pipegen.test.yaml for pipegen.yaml.
    """
    path = config_path(config)
    file = tests or path.with_name(f"{path.stem}.test{path.suffix}")
    if write and file.exists() and file.samefile(path):
        raise WrongUsage(f'"{file}" is the config itself')
    report = Report()
    analysed = attempt(path, report, lambda source: analyse(source, (), report))
    if analysed is None:
        show(report.diagnostics(), form, sys.stderr if form is Format.TEXT else sys.stdout)
        end(Exit.PROBLEMS)
    elif write:
        _record(_tested(analysed, path), file)
    else:
        _check(_tested(analysed, path), file, form)


def _tested(analysed: Analysed, path: Path) -> ConfigUnderTest:
    checkout = LocalCheckout(repository_root(path))
    return ConfigUnderTest(plans=analysed.plans, inputs=analysed.input_values, repository=checkout)


def _record(config: ConfigUnderTest, file: Path) -> None:
    document = recorded(config)
    write_file(file, yaml.write(cast("Mapping[str, yaml.Value]", document)))
    say(f"{file} written")


def _check(config: ConfigUnderTest, file: Path, form: Format) -> None:
    if not file.exists():
        raise WrongUsage(f'there is no file with tests "{file}": write one, or record today\'s answers with --write')
    existing(file)
    report = Report()
    try:
        source = load(file, report)
        report.stop_if_errors()
        expectations = read_expectations(source, report)
        report.stop_if_errors()
    except Stopped:
        show(report.diagnostics(), form, sys.stdout)
        raise click.exceptions.Exit(Exit.PROBLEMS) from None
    results = [(expectation.name, _result(expectation, config)) for expectation in expectations]
    failed = sum(own.has_errors() for _, own in results)
    if form is Format.JUNIT:
        show_data(_junit(file, results), ends_line=False)
    else:
        for _, own in results:
            report.take(own)
        show(report.diagnostics(), form, sys.stdout)
    passed = len(expectations) - failed
    inform(form, f"{passed} passed, {failed} failed" if failed else f"{passed} passed")
    end(Exit.PROBLEMS if failed else Exit.FINE)


def _result(expectation: Expectation, config: ConfigUnderTest) -> Report:
    report = Report()
    check(expectation, config, report)
    return report


def _junit(file: Path, results: Sequence[tuple[str, Report]]) -> str:
    from pipegen.diagnostics.render.junit import render_tests  # noqa: PLC0415 - only for this format

    return render_tests(file.as_posix(), [(name, without_tokens(report.diagnostics())) for name, report in results])
