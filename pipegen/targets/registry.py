"""The targets there are: built-in ones, then those that other distributions offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pipegen.diagnostics.report import listed, suggestion
from pipegen.targets.base import Target

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "pipegen.targets"


class TargetError(Exception):
    """A target that is not there, or that does not load."""


def names() -> tuple[str, ...]:
    """Return the names of all targets, the built-in ones first; none is loaded for it."""
    return tuple(dict.fromkeys([*(name for name, _ in _BUILT_IN), *sorted(point.name for point in _offered())]))


def load(name: str) -> Target:
    """Return the target *name*; a built-in one hides another of that name."""
    for built_in, imported in _BUILT_IN:
        if built_in == name:
            return imported()
    offers = [point for point in _offered() if point.name == name]
    if not offers:
        raise TargetError(_unknown(name))
    if len(offers) > 1:
        raise TargetError(f'several distributions offer a target "{name}": {listed([_origin(p) for p in offers])}')
    return _loaded(offers[0])


def _gitlab() -> Target:
    from pipegen.targets import gitlab  # noqa: PLC0415 - one target does not load the other

    return gitlab


def _jenkins() -> Target:
    from pipegen.targets import jenkins  # noqa: PLC0415 - one target does not load the other

    return jenkins


_BUILT_IN: tuple[tuple[str, Callable[[], Target]], ...] = (("gitlab", _gitlab), ("jenkins", _jenkins))
BUILT_IN = tuple(name for name, _ in _BUILT_IN)


def _offered() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes longer than most configs; few ask for others

    return tuple(entry_points(group=GROUP))


def _loaded(point: EntryPoint) -> Target:
    """Return what *point* names, once it looks like a target."""
    try:
        target = point.load()
    except Exception as error:  # code of others may fail in any way
        raise TargetError(f'target "{point.name}" of {_origin(point)} does not load: {_reason(error)}') from error
    missing = [name for name in (*Target.__annotations__, "generate") if not hasattr(target, name)]
    if missing:
        raise TargetError(f'target "{point.name}" of {_origin(point)} lacks {listed(missing)}')
    found: Target = target
    return found


def _origin(point: EntryPoint) -> str:
    """Return the distribution that offers *point*, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _unknown(name: str) -> str:
    """Return what to say of a *name* that no target has."""
    known = names()
    guess = suggestion(name, known)
    return f'no target "{name}"; ' + (f'did you mean "{guess}"?' if guess else f"there are {listed(known)}")
