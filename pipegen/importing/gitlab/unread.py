"""Files that only GitLab reads: it includes them, and the generated file has the stages of their jobs."""

from __future__ import annotations

from pipegen.emit.yaml import Value
from pipegen.importing.arcs import depths
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.order import Order
from pipegen.importing.gitlab.stages.keys.base import raw_data
from pipegen.readback.gitlab_file import FIRST_STAGE, LAST_STAGE


def include_settings(source: SourcePipeline, order: Order) -> dict[str, Value]:
    """Return the settings that include the unread files of *source*.

    Their jobs have stages of *source*, each of which comes after the last of the earlier jobs in *order*.
    """
    depth = depths(order.before)
    predecessors: dict[str, Value] = {}
    for number, stage in enumerate(source.stages):
        earlier = [name for name in order.before if source.jobs[name].stage_number < number]
        if stage not in (FIRST_STAGE, LAST_STAGE):
            predecessors[stage] = max(earlier, key=lambda name: depth[name], default=None)
    return {"include": [raw_data(item) for item in source.unread], "include_stages": predecessors}
