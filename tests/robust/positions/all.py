"""Texts in all positions of a config, compiled and read back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emit.hostile import HOSTILE
from robust.positions.table import TARGETS, Occurrence, occurrences
from robust.positions.trial import BENIGN, MARK, Outcome, Trial, outcome, read, tried

# Characters with a meaning in some language, except commas and `${`, at which texts are split or expanded.
MIXED = f'{MARK} it\'s "q" $A $(touch pwned) `touch pwned` \\ \\n $$ # ; & | < > ! ~ % @ {{x}} {{{{ y }}}} : - kzq'
LINES = f"{MARK}'''\n---\n- b: c\nEOF\n\\' \"kzq"
# Texts for readers of the config, and texts that affect the file without being in it.
_UNWRITTEN = frozenset(
    {
        *(":/properties/templates name", ":/$defs/stage/properties/description", ":/$defs/stage/properties/raw name"),
        *(":/$defs/stage/properties/exports name", ":/$defs/stage/properties/outputs name"),
        *(":/$defs/stage/properties/matrix name", ":/$defs/matrix/properties/include/items name"),
        *(":/$defs/matrix/properties/exclude/items name", ":/$defs/each/properties/$delimiter"),
        *(
            ":/$defs/matrix/properties/exclude/items/additionalProperties",
            ":/$defs/each/properties/$each/anyOf/1/items",
        ),
        ":/$defs/build/anyOf/1/properties/imagePullPolicy",
    }
)
_POD = ":/$defs/pod/properties/kubernetes/properties/"
# The same for one target: features that the engine does not have, and names for a lookup.
_UNWRITTEN_FOR = {
    "gitlab": frozenset(
        {
            *(":/$defs/notify/properties/email/properties/to", ":/$defs/trigger/properties/name"),
            *("gitlab:/properties/projects name", "gitlab:/properties/registry_credential"),
            *(":/$defs/calls/items", ":/$defs/image/anyOf/1/properties/credentials"),
            *(":/$defs/stage/properties/tools/additionalProperties", ":/$defs/stage/properties/tools name"),
            *(
                f"{_POD}{key}"
                for key in ("cloud", "namespace", "yaml", "container", "containers/items/properties/image")
            ),
            f"{_POD}containers/items/properties/env name",
            f"{_POD}containers/items/properties/env/additionalProperties",
        }
    ),
    "jenkins": frozenset(
        {
            *(":/$defs/cache/properties/fallback/items", ":/$defs/stage/properties/environment"),
            # Jenkins has no runner of GitLab.
            *(
                ":/$defs/stage/properties/runner_variables name",
                ":/$defs/stage/properties/runner_variables/additionalProperties",
            ),
            ":/$defs/reports/properties/coverage/anyOf/1/properties/percent",
            ":/$defs/stage/properties/environment/anyOf/1/properties/name",
            ":/$defs/stage/properties/environment/anyOf/1/properties/url",
            ":/$defs/stage/properties/environment/anyOf/1/properties/kubernetes/properties/agent",
            ":/$defs/stage/properties/environment/anyOf/1/properties/kubernetes/properties/namespace",
            ":/$defs/artifacts/properties/name",
        }
    ),
}
_TRIES = 4
_TOGETHER = 16
# Lists are split at commas; the others are variables of the shell in some positions, and references to escape.
_CUT = re.compile(r",|[$][{]")


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a trial, and the disagreements of its readers."""

    trial: Trial
    outcome: Outcome
    differs: str

    @property
    def is_wrong(self) -> bool:
        """Whether a text was read back differently, is missing, or was rejected without a location."""
        is_lost = self.outcome is Outcome.SILENT and not self._is_unwritten
        return self.outcome in {Outcome.WRONG, Outcome.UNPLACED} or is_lost or bool(self.differs)

    @property
    def _is_unwritten(self) -> bool:
        return self.trial.position in _UNWRITTEN | _UNWRITTEN_FOR[self.trial.target]


def hostile() -> tuple[str, ...]:
    """Return the texts of the nightly trial between marks, without text that is always cut, expanded or rejected."""
    plain = [text for text in HOSTILE.values() if text.strip() == text and text.isprintable() and not _CUT.search(text)]
    return (
        MIXED,
        LINES,
        *(f"{MARK} {' '.join(plain[at : at + _TOGETHER])} kzq" for at in range(0, len(plain), _TOGETHER)),
    )


def answers(texts: Sequence[str], part: slice = slice(None)) -> list[Answer]:
    """Return the outcomes of *texts* in a *part* of the positions, for each relevant target."""
    trials = [
        tried(position, occurrence, target, text)
        for position, values in [*occurrences().items()][part]
        for target in TARGETS
        if is_matter_of(position, target)
        for occurrence in _best(position, target, values)
        for text in texts
        # Lines of a mail are separate arguments: tests of mails execute them.
        if "\n" not in text or not position.endswith("email/properties/body")
        # Containers of a pod are YAML in a Groovy string: tests of pods read it.
        if target != "jenkins" or not position.startswith(f"{_POD}containers")
    ]
    return [
        *_refused(trials),
        *(Answer(trial, outcome(trial, leaves), disagreement) for trial, leaves, disagreement in read(trials)),
    ]


def is_matter_of(position: str, target: str) -> bool:
    """Whether *position* is relevant to *target*: settings of the other target are not."""
    return position.partition(":")[0] in {"", target}


def _best(position: str, target: str, occurrences: Sequence[Occurrence]) -> Sequence[Occurrence]:
    """Return the config of *occurrences* in which a harmless text appears in the file, otherwise one that compiles."""
    pairs = [(occurrence, tried(position, occurrence, target, BENIGN).generated) for occurrence in occurrences[:1]]
    if pairs and MARK not in pairs[0][1]:
        pairs += [
            (occurrence, tried(position, occurrence, target, BENIGN).generated) for occurrence in occurrences[1:_TRIES]
        ]
    pairs.sort(key=lambda pair: (MARK not in pair[1], not pair[1]))
    return [occurrence for occurrence, _ in pairs[:1]]


def _refused(trials: Sequence[Trial]) -> Iterator[Answer]:
    for trial in trials:
        if not trial.generated:
            pair = trial.refused and trial.has_place
            yield Answer(trial, Outcome.REFUSED if pair else Outcome.UNPLACED, "")


def counted(answers: Sequence[Answer]) -> str:
    """Return the number of each outcome in *answers*."""
    counts = Counter(answer.outcome for answer in answers)
    return ", ".join(f"{counts[kind]:,} {kind.value}" for kind in Outcome if counts[kind])
