"""The program `pipegen`: its verbs, and what becomes of whatever goes wrong."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import click
import typer

from pipegen.cli.commands.check import check
from pipegen.cli.commands.compile import compile_
from pipegen.cli.commands.explain import explain
from pipegen.cli.commands.graph import graph
from pipegen.cli.commands.plan import plan
from pipegen.cli.commands.schema import schema
from pipegen.cli.commands.targets import targets
from pipegen.cli.exits import Exit

app = typer.Typer(
    name="pipegen",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("compile")(compile_)
app.command("check")(check)
app.command("graph")(graph)
app.command("plan")(plan)
app.command("explain")(explain)
app.command("targets")(targets)
app.command("schema")(schema)


def _version(asked: bool) -> None:  # noqa: FBT001 - the signature that typer calls
    if asked:
        typer.echo(f"pipegen {version('pipegen')}")
        raise typer.Exit


@app.callback()
def root(
    *,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Compile a CI/CD pipeline: one config, checked before anything runs, to a Jenkinsfile or a .gitlab-ci.yml."""


def main() -> None:
    """Run the program and end the process."""
    sys.exit(run())


def run() -> int:
    """Run the program and return its exit status: nothing but words reaches the user, whatever happens."""
    try:
        return int(app(prog_name="pipegen", standalone_mode=False) or Exit.FINE)
    except click.UsageError as error:
        error.show()
        return Exit.USAGE
    except click.ClickException as error:
        error.show()
        return Exit.PROBLEMS
    except (click.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away; stop the interpreter from telling so when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.PROBLEMS
    except OSError as error:
        typer.echo(f"pipegen: {_words(error)}", err=True)
        return Exit.FAILED
    except Exception:  # noqa: BLE001 - the last place where a bug can be told in words
        return _report_bug(traceback.format_exc())


def _words(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}"


def _report_bug(trace: str) -> int:
    with tempfile.NamedTemporaryFile("w", prefix="pipegen-", suffix=".log", delete=False, encoding="utf-8") as log:
        log.write(trace)
    typer.echo(f"pipegen: this is a bug: {trace.strip().splitlines()[-1]}", err=True)
    typer.echo(f"The details are in {Path(log.name)}; a report with them helps.", err=True)
    return Exit.FAILED
