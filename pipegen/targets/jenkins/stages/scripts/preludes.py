"""Preludes: common starts of several scripts."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.shell.script import Command, StageScriptParts
from pipegen.structs import Struct
from pipegen.targets.jenkins.names import StageNames

# By the tools of a script: whether it calls the container program, helm, git.
_NAMES = {
    (True, False, False): ("containers", "How a script with containers starts."),
    (False, True, False): ("releases", "How a script with helm releases starts."),
    (False, False, True): ("charts", "How a script that changes deployment charts starts."),
    (True, True, False): ("containersAndReleases", "How a script with containers and helm releases starts."),
    (True, False, True): ("containersAndCharts", "How a script with containers that changes deployment charts starts."),
    (False, False, False): ("values", "How a script with values of its own or of other stages starts."),
}
_BASH = ("bash", "How a script starts that bash runs.")
_ANY = ("everything", "How a script with containers, helm releases and deployment charts starts.")


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
