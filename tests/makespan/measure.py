"""The makespan of each form of a pipeline, as a ratio to the longest path, the lower bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from graph.families import family as deep
from makespan.clock import frames, ideal, makespan
from readback.families import FAMILIES, config
from readback.texts import written

from pipegen.diagnostics.report import Stopped

# How a pipeline is written, and for which engine; frames are the peer, which no file of ours says.
FORMS = {"declarative": ("jenkins", "declarative"), "scripted": ("jenkins", "scripted"), "needs": ("gitlab", "")}
FRAMES = "frames"


@dataclass(frozen=True, slots=True)
class Sample:
    """A graph of a family; the same for the same numbers. Deep families have sizes of their own, which 0 stands for."""

    family: str
    size: int
    seed: int

    def ratios(self, *, forms: tuple[str, ...] = tuple(FORMS), unit: bool = False) -> dict[str, float]:
        """Return the ratio of each of *forms* and of frames, without forms that do not support a graph of this size.

        Durations are spread as those of real stages are, with a few long ones; with *unit* all are 1.
        """
        random = Random(f"{self.family} {self.size} {self.seed}")  # noqa: S311 - shapes and durations, no secrets
        graph = FAMILIES[self.family](self.size, random) if self.size else deep(self.seed)[self.family]
        durations = {stage: 1.0 if unit else random.lognormvariate(0, 1) for stage in graph.nodes}
        shortest = ideal(graph, durations)
        return {
            FRAMES: frames(graph, durations) / shortest,
            **{form: taken / shortest for form, taken in self._taken(forms, config(graph), durations)},
        }

    def _taken(self, forms: tuple[str, ...], text: str, durations: dict[str, float]) -> Iterator[tuple[str, float]]:
        for form in forms:
            target, style = FORMS[form]
            try:
                document = written(text, target, **({"style": style} if style else {}))
            except Stopped:
                continue
            yield form, makespan(document.text, durations, document.children)
