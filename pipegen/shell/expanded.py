"""Outputs that an engine itself puts into the name of an image: they are checked where they are made."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname

from pipegen.bindings.expression import Scope
from pipegen.plan.model import Job, Output
from pipegen.shell.carried import FOLDER
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import quote
from pipegen.shell.text import own_argument


def dotenv(job: Job) -> str:
    """Return the path of the file that gives an engine the values as variables."""
    return f"{FOLDER}/dotenv/{job.slug}.env"


def values_of_names(job: Job) -> tuple[Output, ...]:
    """Return the outputs of other stages in the names of the images that *job* runs with."""
    image = job.machine.image
    names = [image.name] if image is not None else []
    names += [service.image for service in job.machine.services]
    found = [one for name in names if name.constant is None for one in name.references() if one.scope is Scope.STAGE]
    return tuple([Output(one.namespace or "", one.name) for one in found])


def expandable(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that check such outputs, and hand them to an engine that reads variables from a file."""
    job, variable = lowering.job, lowering.host.expanded_variable
    path = quote(dotenv(job))
    for number, name in enumerate(job.expanded):
        value = own_argument(name, lowering)
        late = failure(job, f'output "{name}" holds what stands in no name of an image')
        yield Command((f"case {value} in -* | *[!A-Za-z0-9._:/@-]*)", *indented(late), "  ;;", "esac"))
        if variable is None:
            continue
        folder = () if number else (f"mkdir -p {quote(dirname(dotenv(job)))}", f"rm -f {path}")
        line = f"[ -z {value} ] || printf '{variable(job, name)}=%s\\n' {value} >>{path}"
        yield Command((*folder, line))
