"""Preludes: common starts of several scripts."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.shell.script import Command, StageScriptParts
from pipegen.structs import Struct
from pipegen.targets.jenkins.names import StageNames

# By the tools of a script: whether it calls the container program, helm, git.
_NAMES = {
    (True, False, False): ("containers", "The first commands of scripts with containers."),
    (False, True, False): ("releases", "The first commands of scripts with helm releases."),
    (False, False, True): ("charts", "The first commands of scripts that change deployment charts."),
    (True, True, False): ("containersAndReleases", "The first commands of scripts with containers and helm releases."),
    (True, False, True): (
        "containersAndCharts",
        "The first commands of scripts with containers and deployment charts.",
    ),
    (False, False, False): ("values", "The first commands of scripts with values of their own or of other stages."),
}
_BASH = ("bash", "The first commands of scripts that bash runs.")
_ANY = ("everything", "The first commands of scripts with containers, helm releases and deployment charts.")


class NamedPrelude(Struct):
    """A prelude, and the function that returns it."""

    function: str
    comment: str
    commands: tuple[Command, ...]


class Preludes:
    """The preludes that several of *scripts* share, or that name an interpreter."""

    def __init__(self, scripts: Iterable[StageScriptParts]) -> None:
        scripts_by_prelude: dict[tuple[Command, ...], list[StageScriptParts]] = {}
        for script in scripts:
            scripts_by_prelude.setdefault(script.prelude, []).append(script)
        scripts_by_prelude.pop((), None)
        names = StageNames()
        self._named: dict[tuple[Command, ...], NamedPrelude] = {}
        for prelude, (first, *others) in scripts_by_prelude.items():
            # The line that names an interpreter: its first bytes must be those of the script.
            is_bash = prelude[0].lines[0].startswith("#!")
            if others or is_bash:
                uses = (first.uses_containers, first.uses_helm, first.uses_git)
                name, comment = _BASH if is_bash else _NAMES.get(uses, _ANY)
                self._named[prelude] = NamedPrelude(names.take(name, "{name}{number}"), comment, prelude)

    def function(self, prelude: tuple[Command, ...]) -> str:
        """Return the function that returns *prelude*, "" if it is in the script itself."""
        named = self._named.get(prelude)
        return named.function if named is not None else ""

    def named(self) -> tuple[NamedPrelude, ...]:
        """Return the shared preludes, in the order of their first use."""
        return tuple(self._named.values())
