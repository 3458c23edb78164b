"""Options for fetching the repository, as variables of GitLab's runner."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import FetchOptions, Plan
from pipegen.targets.gitlab.model import VariableEntry


def has_one_fetch(plans: Sequence[Plan]) -> bool:
    """Return whether all *plans* have the same options, so that the file needs them only once."""
    return all(plan.fetch == plans[0].fetch for plan in plans)


def fetch_variables(fetch: FetchOptions | None) -> tuple[VariableEntry, ...]:
    """Return the runner's variables for *fetch*, none without options.

    https://docs.gitlab.com/ci/runners/configure_runners/: depth 0 is the whole history; the flags replace the default
    ones, which are the first two.
    """
    if fetch is None:
        return ()
    return (
        VariableEntry("GIT_DEPTH", str(fetch.depth or 0)),
        VariableEntry("GIT_FETCH_EXTRA_FLAGS", f"--prune --quiet {'--tags' if fetch.tags else '--no-tags'}"),
        # Without it, the runner fetches none.
        *((VariableEntry("GIT_SUBMODULE_STRATEGY", "recursive"),) if fetch.submodules else ()),
    )
