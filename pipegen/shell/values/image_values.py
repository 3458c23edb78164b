"""Outputs that the engine inserts into image names: the job that produces them checks them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname

from pipegen.plan.model import Job
from pipegen.plan.model.steps import declares
from pipegen.shell.command import Command
from pipegen.shell.images import IMAGE_OUTPUTS, local_tag
from pipegen.shell.layout import failure, indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import quote
from pipegen.shell.values.transfers import FOLDER
from pipegen.shell.words.text import own_argument

_REFUSED = "-* | *[!A-Za-z0-9._:/@-]*"
_MESSAGE = "is not valid in the name of an image"
# The whole command that checks an output, for readers of generated files.
IMAGE_CHECK = re.compile(
    rf"case [^\n]+ in {re.escape(_REFUSED)}\)\n"
    rf"  printf 'stage [^\n]+ {re.escape(_MESSAGE)}\\n' >&2\n"
    r"  exit 1\n  ;;\nesac\n?"
)


def dotenv_path(job: Job) -> str:
    """Return the path of the dotenv file from which the engine reads the values."""
    return f"{FOLDER}/dotenv/{job.slug}.env"


def check_image_outputs(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that check such outputs, and write them to the dotenv file if the engine reads one."""
    job, variable = lowering.job, lowering.host.expanded_variable
    path = quote(dotenv_path(job))
    for number, name in enumerate(job.expanded):
        folder = () if number else (f"mkdir -p {quote(dirname(dotenv_path(job)))}", f"rm -f {path}")
        if variable is not None and name in IMAGE_OUTPUTS and not declares(job.steps, name):
            # The engine pulls the image by its name in the registry.
            yield Command((*folder, _line(variable(job, name), quote(local_tag(job, lowering.host)), path)))
            continue
        value = own_argument(name, lowering)
        failure_lines = failure(job, f'output "{name}" {_MESSAGE}')
        yield Command((f"case {value} in {_REFUSED})", *indented(failure_lines), "  ;;", "esac"))
        if variable is not None:
            yield Command((*folder, f"[ -z {value} ] || {_line(variable(job, name), value, path)}"))


def _line(variable: str, value: str, path: str) -> str:
    """Return the command that adds *variable* with the word *value* to the dotenv file at *path*."""
    return f"printf '{variable}=%s\\n' {value} >>{path}"
