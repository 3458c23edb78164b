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

# The style of a pipeline and its engine. Frames are for comparison; no generated file uses them.
FORMS = {"declarative": ("jenkins", "declarative"), "scripted": ("jenkins", "scripted"), "needs": ("gitlab", "")}
FRAMES = "frames"


@dataclass(frozen=True, slots=True)
class Sample:
    """A graph of a family, which its fields determine; families of deep graphs have their own sizes, written as 0."""

    family: str
    size: int
    seed: int

    def ratios(self, *, forms: tuple[str, ...] = tuple(FORMS), unit: bool = False) -> dict[str, float]:
        """Return the ratio of each of *forms* and of frames, without forms that do not support a graph of this size.

        Durations have the distribution of real stages, with a few long ones; with *unit*, all are 1.
        """
        random = Random(f"{self.family} {self.size} {self.seed}")  # noqa: S311 - shapes and durations, no secrets
        graph = FAMILIES[self.family](self.size, random) if self.size else deep(self.seed)[self.family]
        durations = {stage: 1.0 if unit else random.lognormvariate(0, 1) for stage in graph.nodes}
        shortest = ideal(graph, durations)
        return {
            FRAMES: frames(graph, durations) / shortest,
            **{form: seconds / shortest for form, seconds in self._makespans(forms, config(graph), durations)},
        }

    def _makespans(self, forms: tuple[str, ...], text: str, durations: dict[str, float]) -> Iterator[tuple[str, float]]:
        for form in forms:
            target, style = FORMS[form]
            try:
                document = written(text, target, **({"style": style} if style else {}))
            except Stopped:
                continue
            yield form, makespan(document.text, durations, document.children)
