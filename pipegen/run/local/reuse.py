"""Where results of earlier runs are kept on this machine, and what they depend on there."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pipegen.plan.model import Workspace
from pipegen.run.files import private
from pipegen.run.local.cache.digest import Definition, Definitions, JobEnvironmentState
from pipegen.run.local.cache.index import DamagedIndexError
from pipegen.run.local.cache.results import Results
from pipegen.run.local.cache.store import Store
from pipegen.run.local.prepare import Prepared, RunRequest
from pipegen.run.local.selection import SelectedPipeline
from pipegen.run.local.workspace import Trees
from pipegen.run.model import Task

# How many bytes of results are kept, unless a variable says so; what was used longest ago goes first.
LIMIT = 5 << 30
SIZE = "PIPEGEN_CACHE_SIZE"
_SIZE = re.compile(r"([0-9]{1,15})(K|M|G|T|Ki|Mi|Gi|Ti)?")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def limit(environment: Mapping[str, str]) -> int:
    """Return how many bytes of results are kept; raise `ValueError` where the variable holds something else."""
    given = environment.get(SIZE, "").strip()
    if not given:
        return LIMIT
    found = _SIZE.fullmatch(given)
    if found is None:
        raise ValueError(f'{SIZE} holds "{given}": write bytes, or a number with a unit, such as 500Mi or 20G')
    unit = found[2] or ""
    return int(found[1]) * int((1024 if unit.endswith("i") else 1000) ** _POWERS[unit[:1]])


def results(
    chosen: Sequence[SelectedPipeline],
    prepared: Prepared,
    wish: RunRequest,
    trees: Trees,
    variables: Mapping[str, str],
    complain: Callable[[str], None],
) -> Results | None:
    """Return the results of earlier runs; None where no stage says what its result depends on, or none can be had.

    *complain* is told why none can be had.
    """
    if all(job.reuse is None for one in chosen for job in one.jobs):
        return None
    around = JobEnvironmentState(
        environment=wish.environment,
        variables=variables,
        tree=trees.source(),
        mode=f"{'isolated' if wish.is_isolated else 'in place'}, {'on the host' if wish.is_on_host else 'in images'}",
    )
    try:
        store = Store(_folder(wish.environment), limit(wish.environment), complain=complain)
    except (OSError, sqlite3.Error, DamagedIndexError) as error:
        complain(f"results of earlier runs are out of reach: {error}")
        return None

    definitions = Definitions(lambda task: prepared.work[task].script, prepared.hosts, around)

    def own(task: Task) -> Definition | None:
        # What stages leave in one copy for all of them, nobody can tell apart.
        is_lost = wish.is_isolated and task.plan.workspace is Workspace.SHARED
        return None if is_lost else definitions(task)

    return Results(store, trees, own, redactor=prepared.redactor, complain=complain)


def _folder(environment: Mapping[str, str]) -> Path:
    own = private.cache(environment)
    private.make_private(own)
    return own / "results"
