"""Options for fetching the repository, as variables of GitLab's runner."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.bindings.expression import Scope
from pipegen.plan.model import FetchOptions, Job, Plan, StageFetch, Submodules
from pipegen.plan.model.texts import case_texts, line_texts, step_texts
from pipegen.targets.gitlab.model import VariableEntry

_STRATEGIES = {Submodules.NONE: "none", Submodules.DIRECT: "normal", Submodules.ALL: "recursive"}


def has_one_fetch(plans: Sequence[Plan]) -> bool:
    """Return whether all *plans* have the same options, so that the file needs them only once."""
    return all(plan.fetch == plans[0].fetch for plan in plans)


def fetch_variables(fetch: FetchOptions | None) -> tuple[VariableEntry, ...]:
    """Return the runner's variables for *fetch*, none without options; without submodules, it fetches none."""
    if fetch is None:
        return ()
    submodules = fetch.submodules if fetch.submodules is not Submodules.NONE else None
    return stage_fetch_variables(
        StageFetch(
            depth=fetch.depth or 0,
            submodules=submodules,
            tags=fetch.tags,
            submodule_depth=fetch.submodule_depth,
            clone=fetch.clone,
            path=fetch.path,
        )
    )


def fetched_names(job: Job, plan: Plan) -> tuple[str, ...]:
    """Return the names of the runner's variables that `fetch` of *job* or of its *plan* sets."""
    own = stage_fetch_variables(job.fetch) if job.fetch is not None else ()
    return tuple(variable.name for variable in (*fetch_variables(plan.fetch), *own))


def skips_checkout(job: Job) -> bool:
    """Return whether *job* runs without the repository; not if it reads a value that may be missing.

    The runner then does not clean the folder, which may have the value of an earlier pipeline.
    """
    if job.fetch is None or not job.fetch.is_skipped or job.statuses:
        return False
    texts = [text for step in job.steps for text in step_texts(step, job.stage)]
    texts += (*case_texts(job.cases), *line_texts(job.after))
    references = (reference for text in texts for reference in text.references())
    return not any(reference.scope is Scope.STAGE and reference.default is not None for reference in references)


def stage_fetch_variables(fetch: StageFetch) -> tuple[VariableEntry, ...]:
    """Return the runner's variables for the options of *fetch*; those of a stage replace those of the file.

    https://docs.gitlab.com/ci/runners/configure_runners/: depth 0 is the whole history; the flags replace the default
    ones, which are the first two.
    """
    tags, clone = fetch.tags, fetch.clone
    values = {
        "GIT_STRATEGY": None if clone is None else "clone" if clone else "fetch",
        "GIT_CLONE_PATH": f"$CI_BUILDS_DIR/{fetch.path}" if fetch.path else None,
        "GIT_DEPTH": None if fetch.depth is None else str(fetch.depth),
        "GIT_FETCH_EXTRA_FLAGS": None if tags is None else f"--prune --quiet {'--tags' if tags else '--no-tags'}",
        "GIT_SUBMODULE_STRATEGY": _STRATEGIES[fetch.submodules] if fetch.submodules is not None else None,
        "GIT_SUBMODULE_DEPTH": None if fetch.submodule_depth is None else str(fetch.submodule_depth),
    }
    return tuple(VariableEntry(name, value) for name, value in values.items() if value is not None)
