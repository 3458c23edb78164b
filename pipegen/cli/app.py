"""The program `pipegen`: its commands, and the handling of all errors."""

import io
import sys
from pathlib import Path
from typing import Annotated, cast

import typer

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.streams import discard, prepare, say, show_text
from pipegen.cli.verbs import Verbs, add_to

app = typer.Typer(
    name="pipegen",
    cls=Verbs,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
add_to(app)


def _version(is_requested: bool) -> None:  # noqa: FBT001 - the signature that typer calls
    if is_requested:
        from importlib.metadata import version  # noqa: PLC0415 - a tenth of a compile, and no command needs it

        show_text(f"pipegen {version('pipegen')}")
        raise typer.Exit


@app.callback()
def root(
    *,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Check the config of a CI/CD pipeline, and generate a Jenkinsfile or a .gitlab-ci.yml from it."""


def run() -> int:
    """Run the program and return its exit status; report every exception as a message."""
    prepare()
    try:
        status = int(app(prog_name="pipegen", standalone_mode=False) or Exit.FINE)
        sys.stdout.flush()  # here, where a failure can still be reported
    except WrongUsage as error:
        say(f"pipegen: {error}")
        return Exit.USAGE
    except typer.TyperException as error:
        words = io.StringIO()
        cast("typer.BadParameter", error).show(words)  # typer exports the class of usage errors by this subclass alone
        say(words.getvalue(), ends_line=False)
        return Exit.USAGE
    except (typer.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except BrokenPipeError:
        discard()
        return Exit.PROBLEMS
    except Exception as error:  # noqa: BLE001 - the last handler
        return _report_failure(error)
    return status


def _report_failure(error: Exception) -> int:
    """Report an error of the environment in one line, and a bug with the path of a log."""
    if isinstance(error, io.UnsupportedOperation):
        say("pipegen: standard output is closed")
        return Exit.FAILED
    if isinstance(error, OSError):
        prefix = f"{error.filename}: " if error.filename else ""
        say(f"pipegen: {prefix}{error.strerror or error}")
        return Exit.FAILED
    import tempfile  # noqa: PLC0415 - only for a bug
    import traceback  # noqa: PLC0415

    with tempfile.NamedTemporaryFile("w", prefix="pipegen-", suffix=".log", delete=False, encoding="utf-8") as log:
        log.writelines(traceback.format_exception(error))
    say(f"pipegen: this is a bug: {type(error).__name__}: {error}")
    say(f"Details are in {Path(log.name)}. Include them in a bug report.")
    return Exit.FAILED
