"""`pipegen init`: the first config of a repository."""

from pathlib import Path
from typing import Annotated

import typer

from pipegen.cli.commands.schema import schema_text
from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.output import check_place, write
from pipegen.cli.prompt import is_here
from pipegen.cli.session import TargetOption, load_targets, wrong_option
from pipegen.cli.starter_config import KINDS, SCHEMA, StarterConfig, first_config, look
from pipegen.cli.streams import say
from pipegen.config.files.load import USUAL_NAMES, find

_CONFIG = Path(USUAL_NAMES[0])
_BOTH = ("gitlab", "jenkins")


def init(
    template: Annotated[
        str | None,
        typer.Option(
            "--template", metavar="KIND", show_default=False, help=f"The kind of project: {', '.join(KINDS)}."
        ),
    ] = None,
    target: TargetOption = None,
    *,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing config.")] = False,
) -> None:
    """Create a starter config, and the schema for editors.

    Without --template and --target, it suggests them from the files in the folder, and asks.
    """
    there = find(Path())
    if there is not None and not force:
        raise WrongUsage(f'"{there}" is there already: "pipegen check" tells what it thinks of it')
    if template is not None and template not in KINDS:
        raise wrong_option("--template", template, tuple(KINDS))
    load_targets(target or ())
    for place in (_CONFIG, Path(SCHEMA)):
        check_place(place)
    start = look(Path())
    kind = template or _kind(start)
    engines = tuple(dict.fromkeys(target)) if target else _engines(start)
    write(_CONFIG, first_config(start, kind, engines))
    write(Path(SCHEMA), schema_text())
    say(f"{_CONFIG} written: a start for {KINDS[kind].words}, for {' and '.join(engines)}")
    say(f"{SCHEMA} written: editors with yaml-language-server complete and check the config by it")
    say('next: make the scripts yours, then "pipegen check", "pipegen graph" and "pipegen compile"')


def _kind(start: StarterConfig) -> str:
    """Return what is built here, by what the folder holds and what the user says."""
    if is_here():
        return _asked("What is built here", tuple(KINDS), start.kind or "python")
    if start.kind is None:
        raise WrongUsage(f"nothing here tells what is built: name it with --template: {', '.join(KINDS)}")
    return start.kind


def _engines(start: StarterConfig) -> tuple[str, ...]:
    if not is_here():
        return start.engines or _BOTH
    guess = start.engines[0] if len(start.engines) == 1 else "both"
    answer = _asked("Which engine runs it", (*_BOTH, "both"), guess)
    return _BOTH if answer == "both" else (answer,)


def _asked(question: str, choices: tuple[str, ...], guess: str) -> str:
    """Return the choice of the person at the terminal."""
    while True:
        answer: str = typer.prompt(f"{question}? ({', '.join(choices)})", default=guess, err=True)
        if answer.strip().lower() in choices:
            return answer.strip().lower()
        say(f'"{answer}" is none of these')
