"""The cache of results of earlier runs: its folder and size, and the definitions of stages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pipegen.plan.model import Workspace
from pipegen.run.files import private
from pipegen.run.local.cache.digest import Definitions, JobEnvironmentState
from pipegen.run.local.cache.index import DamagedIndexError, UnusableIndexError, reason
from pipegen.run.local.cache.results import Results
from pipegen.run.local.cache.store import Store
from pipegen.run.local.prepare import Prepared, RunRequest
from pipegen.run.local.selection import SelectedPipeline
from pipegen.run.local.workspace import Trees

# The default size of the cache in bytes; the least recently used results are removed first.
LIMIT = 5 << 30
SIZE = "PIPEGEN_CACHE_SIZE"
_SIZE = re.compile(r"([0-9]{1,15})(K|M|G|T|Ki|Mi|Gi|Ti)?")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def limit(environment: Mapping[str, str]) -> int:
    """Return the size of the cache in bytes; raise `ValueError` if the variable is invalid."""
    text = environment.get(SIZE, "").strip()
    if not text:
        return LIMIT
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f'{SIZE} is "{text}": write bytes, or a number with a unit, such as 500Mi or 20G')
    unit = match[2] or ""
    return int(match[1]) * int((1024 if unit.endswith("i") else 1000) ** _POWERS[unit[:1]])


def results(
    selected: Sequence[SelectedPipeline],
    prepared: Prepared,
    request: RunRequest,
    trees: Trees,
    variables: Mapping[str, str],
    warn: Callable[[str], None],
) -> Results | None:
    """Return the results of earlier runs; None if no stage has `reuse`, or the cache cannot be opened.

    *warn* is called if the cache cannot be opened.
    """
    if all(job.reuse is None for selection in selected for job in selection.jobs):
        return None
    state = JobEnvironmentState(
        environment=request.environment,
        variables=variables,
        tree=trees.source(),
        mode=f"{'isolated' if request.is_isolated else 'in place'}, "
        f"{'on the host' if request.is_on_host else 'in images'}",
    )
    try:
        store = Store(_folder(request.environment), limit(request.environment), warn=warn)
    except (OSError, UnusableIndexError, DamagedIndexError) as error:
        warn(f"results are neither stored nor reused: {reason(error)}")
        return None

    # In a shared workspace, files cannot be attributed to stages.
    attributable = [
        selection
        for selection in selected
        if not request.is_isolated or selection.plan.workspace is not Workspace.SHARED
    ]
    definitions = Definitions(attributable, lambda task: prepared.work[task].script, prepared.hosts, state)
    return Results(store, trees, definitions, redactor=prepared.redactor, warn=warn)


def _folder(environment: Mapping[str, str]) -> Path:
    own = private.cache(environment)
    private.make_private(own)
    return own / "results"
