"""The program `pipegen`: its commands, and the handling of all errors."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.terminal.streams import discard, prepare, say
from pipegen.cli.verbs import Verbs

F = TypeVar("F", bound=Callable[..., None])


def _complete(
    context: click.Context,
    option: click.Parameter,
    is_requested: bool,  # noqa: FBT001 - the signature that click calls
) -> None:
    if is_requested:
        from pipegen.cli import completion  # noqa: PLC0415 - no command needs it

        (completion.install if option.name == "install_completion" else completion.show)(app)
        context.exit()


def _completion_option(name: str, words: str) -> Callable[[F], F]:
    return click.option(name, is_flag=True, is_eager=True, expose_value=False, callback=_complete, help=words)


@click.group(
    "pipegen",
    cls=Verbs,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(package_name="pipegen", message="pipegen %(version)s")
@_completion_option("--install-completion", "Install completion for the current shell.")
@_completion_option("--show-completion", "Show completion for the current shell, to copy it or customize it.")
def app() -> None:
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
    except click.ClickException as error:
        words = io.StringIO()
        error.show(words)
        say(words.getvalue(), ends_line=False)
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except BrokenPipeError:
        discard()
        return Exit.CLOSED_PIPE
    except Exception as error:  # noqa: BLE001 - the last handler
        return _report_failure(error)
    return status


def _report_failure(error: Exception) -> int:
    """Report an error of the environment in one line, and a bug with the path of a log; without room, with the log."""
    if isinstance(error, io.UnsupportedOperation):
        say("pipegen: standard output is closed")
        return Exit.FAILED
    if isinstance(error, OSError):
        prefix = f"{error.filename}: " if error.filename else ""
        say(f"pipegen: {prefix}{error.strerror or error}")
        return Exit.FAILED
    import tempfile  # noqa: PLC0415 - only for a bug
    import traceback  # noqa: PLC0415

    words = (f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ()))
    say(f"pipegen: this is a bug: {', '.join(words)}")
    details = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile("w", prefix="pipegen-", suffix=".log", delete=False, encoding="utf-8") as log:
            log.write(details)
    except OSError:
        say(f"Include these details in a bug report:\n{details}", ends_line=False)
    else:
        say(f"Details are in {Path(log.name)}. Include them in a bug report.")
    return Exit.FAILED
