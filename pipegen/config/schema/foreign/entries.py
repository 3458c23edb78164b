"""Makes the entries of the tables of foreign words, with the phrases that several entries share."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.config.schema.foreign.model import ForeignWord, Hint, System
from pipegen.config.schema.tree_paths import PIPELINE, STAGE, TOP
from pipegen.config.schema.violation import Path

# The maps that contain words: stages (also templates and defaults), pipelines and the file, only the file, builds.
IN_STAGE, IN_OUTER, IN_FILE = (STAGE,), (PIPELINE, TOP), (TOP,)
IN_BUILD = ((*STAGE, "build"),)
ORDER = '"execution" of the pipeline sets the order of stages'
LINES = '"script" has the commands of a stage'
ENV = '"env" sets variables'
LABELS = '"agent" has the labels of runners and agents'
WHEN = '"when" has the conditions'
RAW = 'a key that only GitLab has belongs to "raw.gitlab"'


def word(
    section: str, key: str, parents: Sequence[Path], instead: str, hint: Hint, *, shown: str = "", is_once: bool = False
) -> ForeignWord:
    """Return a word that the *section* of a guide, `GitLab: Rules`, explains; the section may be empty."""
    system, _, heading = section.partition(": ")
    return ForeignWord(
        key=key,
        shown=shown,
        parents=tuple(parents),
        system=System(system),
        instead=instead,
        hint=hint,
        section=heading,
        is_once=is_once,
    )
