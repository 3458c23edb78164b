"""`pipegen init`: creates a starter config."""

from pathlib import Path

import click

from pipegen.cli.commands.schema import schema_text
from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.output import check_writable, write
from pipegen.cli.session import load_targets, target_option, wrong_option
from pipegen.cli.starter_config import KINDS, SCHEMA, StarterConfig, first_config, inspect
from pipegen.cli.terminal.prompt import is_interactive
from pipegen.cli.terminal.streams import say
from pipegen.config.files.load import USUAL_NAMES, find

_CONFIG = Path(USUAL_NAMES[0])
_BOTH = ("gitlab", "jenkins")


@click.command("init")
@click.option("--template", metavar="KIND", help=f"The kind of project: {', '.join(KINDS)}.")
@target_option
@click.option("--force", is_flag=True, help="Overwrite an existing config.")
def init(template: str | None, target: tuple[str, ...], *, force: bool) -> None:
    """Create a starter config, and the schema for editors.

    Without --template and --target, it suggests them from the files in the folder, and asks.
    """
    existing = find(Path())
    if existing is not None and not force and (existing != _CONFIG or existing.stat().st_size):
        raise WrongUsage(f'"{existing}" exists already: run "pipegen check", or overwrite it with --force')
    if template is not None and template not in KINDS:
        raise wrong_option("--template", template, tuple(KINDS))
    load_targets(target)
    for path in (_CONFIG, Path(SCHEMA)):
        check_writable(path)
    start = inspect(Path())
    kind = template or _kind(start)
    engines = tuple(dict.fromkeys(target)) if target else _engines(start)
    write(_CONFIG, first_config(start, kind, engines))
    write(Path(SCHEMA), schema_text())
    say(f"{_CONFIG} written: a starter config for {KINDS[kind].words} on {' and '.join(engines)}")
    say(f"{SCHEMA} written: editors with yaml-language-server use it to complete and check the config")
    say('next: edit the scripts, then run "pipegen check", "pipegen graph" and "pipegen compile"')


def _kind(start: StarterConfig) -> str:
    """Return the kind of project, from the files and the answer of the user."""
    if is_interactive():
        return _ask("Which kind of project is this", tuple(KINDS), start.kind or "python")
    if start.kind is None:
        raise WrongUsage(f"unknown kind of project: name it with --template: {', '.join(KINDS)}")
    return start.kind


def _engines(start: StarterConfig) -> tuple[str, ...]:
    if not is_interactive():
        return start.engines or _BOTH
    guess = start.engines[0] if len(start.engines) == 1 else "both"
    answer = _ask("Which engine runs it", (*_BOTH, "both"), guess)
    return _BOTH if answer == "both" else (answer,)


def _ask(question: str, choices: tuple[str, ...], default: str) -> str:
    """Return the choice of the user at the terminal."""
    while True:
        answer: str = click.prompt(f"{question}? ({', '.join(choices)})", default=default, err=True)
        if answer.strip().lower() in choices:
            return answer.strip().lower()
        say(f'"{answer}" is none of these')
