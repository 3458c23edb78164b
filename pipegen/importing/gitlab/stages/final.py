"""The jobs of the last stage that run whatever happens to all others: stages in `finally`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import needs_of
from pipegen.importing.gitlab.stages.keys.environments import is_stop
from pipegen.importing.gitlab.stages.starts import Start
from pipegen.structs import replace


def final_jobs(
    source: SourcePipeline, starts: Mapping[str, Start | None], misordered: Collection[str]
) -> dict[str, Start]:
    """Return how the jobs of the last stage start in `finally`; none if one of them is not like a stage there.

    *starts* are those of all jobs that become stages. Stages in `finally` have no order among themselves, wait for all
    other stages, and no stage waits for them. *misordered* jobs wait for fewer jobs.
    """
    numbers = {source.jobs[name].stage_number for name in starts}
    if len(numbers) < 2:  # noqa: PLR2004
        return {}
    needed = {need.name for name in starts for need in needs_of(source.jobs[name], source) or ()}
    last = {name: start for name, start in starts.items() if source.jobs[name].stage_number == max(numbers)}
    final: dict[str, Start] = {}
    for name, start in last.items():
        job = source.jobs[name]
        if start is None or name in needed or name in misordered or not _is_final(job, start, source):
            return {}
        final[name] = replace(start, raw={})
    return final


def _is_final(job: SourceJob, start: Start, source: SourcePipeline) -> bool:
    """Return whether *job* starts when all jobs of earlier stages have ended."""
    is_always = not start.reason and start.raw == {"when": "always"}
    return is_always and needs_of(job, source) is None and not is_stop(job, source)
