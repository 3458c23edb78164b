"""The registry of targets: the built-in ones, then those that other distributions provide."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pipegen.diagnostics.report import closest, listed
from pipegen.targets.base import Target

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "pipegen.targets"
# Similarity to a target above which a name is a typo of it; that of "github" and "gitlab" is two thirds.
_TYPO = 0.75


class TargetError(Exception):
    """A target that does not exist or cannot be loaded."""


def names() -> tuple[str, ...]:
    """Return the names of all targets, the built-in ones first, without loading any."""
    return tuple(dict.fromkeys([*(name for name, _ in _BUILT_IN), *sorted(point.name for point in _entry_points())]))


def similar(name: str) -> str | None:
    """Return the target that *name* is probably a typo of."""
    return closest(name, names(), cutoff=_TYPO)


def load(name: str) -> Target:
    """Return the target *name*; a built-in target hides others of the same name."""
    for built_in, imported in _BUILT_IN:
        if built_in == name:
            return imported()
    points = [point for point in _entry_points() if point.name == name]
    if not points:
        raise TargetError(_unknown_message(name))
    if len(points) > 1:
        raise TargetError(f'several distributions provide a target "{name}": {listed([_origin(p) for p in points])}')
    return _load(points[0])


def _gitlab() -> Target:
    from pipegen.targets import gitlab  # noqa: PLC0415 - one target does not load the other

    return gitlab


def _jenkins() -> Target:
    from pipegen.targets import jenkins  # noqa: PLC0415 - one target does not load the other

    return jenkins


_BUILT_IN: tuple[tuple[str, Callable[[], Target]], ...] = (("gitlab", _gitlab), ("jenkins", _jenkins))
BUILT_IN = tuple(name for name, _ in _BUILT_IN)


def _entry_points() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - a tenth of a compile, and few configs need it

    return tuple(entry_points(group=GROUP))


def _load(point: EntryPoint) -> Target:
    """Return the target that *point* names, if it has all names of a target."""
    try:
        target = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # third-party code may raise anything, or call `sys.exit`
        raise TargetError(f'target "{point.name}" of {_origin(point)} cannot be loaded: {_reason(error)}') from error
    missing = [name for name in (*Target.__annotations__, "generate") if not hasattr(target, name)]
    if missing:
        raise TargetError(f'target "{point.name}" of {_origin(point)} lacks {listed(missing)}')
    checked: Target = target
    return checked


def _origin(point: EntryPoint) -> str:
    """Return the distribution that provides *point*, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _options(targets: str) -> list[str]:
    return [f"-t {name.strip()}" for name in targets.split(",") if name.strip()]


def _unknown_message(name: str) -> str:
    """Return the message for a *name* that no target has."""
    if "," in name:
        return f'no target "{name}"; name each target with an option of its own: {" ".join(_options(name))}'
    suggested = similar(name)
    return f'no target "{name}"; ' + (
        f'did you mean "{suggested}"?' if suggested else f"the targets are {listed(names())}"
    )
