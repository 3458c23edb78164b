"""The kinds of configs with hostile texts, each small enough for every engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from robust.hostile import conditions, labels, scripts, steps
from robust.hostile.round import Round

KINDS: Mapping[str, tuple[Callable[[Round], None], ...]] = {
    "words": (scripts.words, scripts.afterwards, scripts.environment, scripts.inputs, scripts.combinations),
    "outputs": (scripts.outputs, scripts.defaults),
    "files": (scripts.measured, scripts.files),
    "containers": (steps.containers,),
    "charts": (steps.charts,),
    "messages": (steps.messages,),
    "branch": (conditions.branch,),
    "tag": (conditions.tag,),
    "conditions": (conditions.conditions, conditions.secrets),
    "names": (conditions.named,),
    "labels": (labels.labels,),
    "places": (labels.others,),
}
