"""A version of a config, as far as it is compared."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.plan.model import Input, Plan
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct


class Version(Struct, kw_only=True):
    """What a config says.

    *name* is what the user calls the version. *settings* are those of targets, by their names; *times* how
    long the stages of each pipeline take, in seconds; None where that is not known.
    """

    name: str
    plans: tuple[Plan, ...]
    settings: Mapping[str, TreeMapping]
    times: Mapping[str, Mapping[str, float]] | None = None

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The parameters of the config."""
        return self.plans[0].inputs if self.plans else ()
