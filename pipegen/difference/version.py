"""A version of a config, as it is compared."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.plan.model import Input, Plan
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct


class Version(Struct, kw_only=True):
    """A version of a config.

    *name* is the user's name of the version. *settings* are the settings of targets by name; *times* are the durations
    of the stages of each pipeline in seconds, or None if unknown.
    """

    name: str
    plans: tuple[Plan, ...]
    settings: Mapping[str, TreeMapping]
    times: Mapping[str, Mapping[str, float]] | None = None

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The parameters of the config."""
        return self.plans[0].inputs if self.plans else ()
