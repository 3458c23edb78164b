"""The files that stages get from earlier ones: `files_from`, and raw needs where a config does not know the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from pipegen.emit.yaml import Data, Value
from pipegen.importing.arcs import closure
from pipegen.importing.gitlab.reading.order import Order
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.targets.gitlab.jobs.raw import has_rules

_MOST_NEEDS = 50
# Names of jobs that GitLab reserves: https://docs.gitlab.com/ci/jobs/#job-names
_RENAMED = frozenset({"pages", "types", "true", "false", "nil"})


def files_from(drafts: Sequence[Draft], order: Order) -> dict[str, list[str]]:
    """Return the stages whose files a stage gets, where these are not all earlier ones that leave files.

    Files of raw artifacts are not in the config: `keep_needs` is for them.
    """
    leaving = [draft.name for draft in drafts if "artifacts" in draft.keys]
    earlier = closure(order.before)
    result: dict[str, list[str]] = {}
    for draft in drafts:
        sources = [name for name in leaving if name in order.files[draft.name] and name in earlier[draft.name]]
        usual = [name for name in leaving if name in earlier[draft.name]]
        if sources != usual and "script" in draft.keys:
            result[draft.name] = sources
    return result


def keep_needs(drafts: Sequence[Draft], order: Order, names: Mapping[str, Sequence[str]]) -> bool:
    """Keep the needs of stages raw that get files or variables of raw artifacts, which a config does not know.

    *names* are the jobs of each stage in the generated file; return whether one is needed that is not in it.
    """
    has_unknown = False
    by_name = {draft.name: draft for draft in drafts}
    leaving = {draft.name for draft in drafts if _leaves_raw_files(draft)}
    earlier = closure(order.before)
    for draft in drafts:
        sources = [name for name in order.files[draft.name] if name in leaving and name in earlier[draft.name]]
        if not sources:
            continue
        needed = [by_name[one.name] for one in drafts if one.name in order.before[draft.name] or one.name in sources]
        if "script" not in draft.keys:
            continue
        if any(_has_other_name(other) and other.name not in names for other in needed):
            has_unknown = True
            continue
        needs: list[Data] = []
        for other in needed:
            keys: dict[str, Data] = {}
            if other.name not in order.files[draft.name] and (_leaves_files(other) or other.raw):
                keys["artifacts"] = False
            if "when" in other.keys or has_rules(other.raw):
                keys["optional"] = True
            of_stage = names.get(other.name) or _job_names(other)
            needs += [{"job": name, **keys} if keys else name for name in of_stage]
        if len(needs) <= _MOST_NEEDS:
            draft.raw["needs"] = needs
    return has_unknown


def _leaves_raw_files(draft: Draft) -> bool:
    raw = draft.raw.get("artifacts")
    keys = raw if isinstance(raw, dict) else {}
    reports = keys.get("reports")
    return "paths" in keys or "untracked" in keys or (isinstance(reports, dict) and "dotenv" in reports)


def _has_other_name(draft: Draft) -> bool:
    """Return whether the generated file may have another name for the job of *draft*."""
    return draft.name in _RENAMED or ("matrix" in draft.keys and not draft.raw)


def _job_names(draft: Draft) -> list[str]:
    """Return the names of the jobs of *draft*: with raw keys, each combination is one."""
    matrix = _map(draft.keys.get("matrix"))
    include = matrix.get("include")
    if isinstance(include, list):
        return [f"{draft.name}: {', '.join(map(str, one.values()))}" for one in include if isinstance(one, dict)]
    axes = [values for values in matrix.values() if isinstance(values, list)]
    return [f"{draft.name}: {', '.join(map(str, values))}" for values in product(*axes)] if axes else [draft.name]


def _leaves_files(draft: Draft) -> bool:
    raw = draft.raw.get("artifacts")
    return "artifacts" in draft.keys or (isinstance(raw, dict) and ("paths" in raw or "untracked" in raw))


def _map(value: Value) -> dict[str, Value]:
    return dict(value) if isinstance(value, dict) else {}
