"""`pipegen targets`: shows the features that each target supports."""

import click

from pipegen.cli.exits import Exit
from pipegen.cli.parameters import beginning_with
from pipegen.cli.session import end, load_targets
from pipegen.cli.terminal.streams import say, show_text
from pipegen.targets import registry
from pipegen.targets.base import Target, incompatible, versions


@click.command("targets")
@click.argument(
    "names",
    nargs=-1,
    metavar="[TARGET]...",
    help="Only these targets.",
    shell_complete=beginning_with(registry.names),
)
def targets(names: tuple[str, ...]) -> None:
    """Show the targets and the language features that each supports."""
    loaded, failures = (load_targets(names), ()) if names else _all()
    show_text("\n\n".join(_describe(target) for target in loaded))
    for failure in failures:
        say(f"pipegen: {failure}")
    end(Exit.PROBLEMS if failures else Exit.FINE)


def _all() -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """Return the targets that load, and the errors of the others."""
    loaded: list[Target] = []
    failures: list[str] = []
    for name in registry.names():
        try:
            loaded.append(registry.load(name))
        except registry.TargetError as error:
            failures.append(str(error))
    return tuple(loaded), tuple(failures)


def _describe(target: Target) -> str:
    width = max((len(capability.feature) for capability in target.CAPABILITIES), default=0)
    lines = [f"{target.NAME} writes {target.FILE}"]
    for capability in target.CAPABILITIES:
        line = f"  {capability.feature:<{width}}  {capability.support:<8}  {capability.note}"
        lines.append(line.rstrip())
    pairs = [(f"{pair.first} with {pair.second}", pair) for pair in incompatible(target)]
    width = max((len(words) for words, _ in pairs), default=0)
    lines += ["cannot be combined:"] if pairs else []
    lines += [f"  {words:<{width}}  {pair.code.number}  {pair.note}" for words, pair in pairs]
    minimum_versions = versions(target)
    lines += ["minimum versions:"] if minimum_versions else []
    lines += [f"  {version:>5}  {feature}" for feature, version in minimum_versions]
    return "\n".join(lines)
