"""How the repository is fetched, as variables of GitLab's runner."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import FetchOptions, Plan
from pipegen.targets.gitlab.model import VariableEntry


def has_one_fetch(plans: Sequence[Plan]) -> bool:
    """Return whether all *plans* fetch alike, so that the file can say it once."""
    return all(plan.fetch == plans[0].fetch for plan in plans)


def fetch_variables(fetch: FetchOptions | None) -> tuple[VariableEntry, ...]:
    """Return what the runner is told of *fetch*, nothing where the user says nothing.

    https://docs.gitlab.com/ci/runners/configure_runners/: depth 0 is the whole history; the flags replace the default
    ones, which are the first two.
    """
    if fetch is None:
        return ()
    return (
        VariableEntry("GIT_DEPTH", str(fetch.depth or 0)),
        VariableEntry("GIT_FETCH_EXTRA_FLAGS", f"--prune --quiet {'--tags' if fetch.tags else '--no-tags'}"),
        VariableEntry("GIT_SUBMODULE_STRATEGY", "recursive" if fetch.submodules else "none"),
    )
