"""A config with a hostile text in each of many positions, and the expected result of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from engines.proof.yaml_text import yaml_text
from robust.hostile.texts import armed, large, texts

Keys = dict[str, object]


@dataclass(frozen=True, slots=True)
class Expected:
    """A text at a position: *key* is the position in the schema; after a run, the file *record* must contain *value*.

    Local runs only log data that is sent to other computers.
    """

    key: str
    text: str
    record: str
    value: str
    is_sent: bool = False


# If a text does not fit a position, this number of others is tried before a plain one.
TRIES = 500


def anything(_: str) -> bool:
    """Accept any text."""
    return True


@dataclass(slots=True)
class Round:
    """A config under construction, with different texts for each *turn*; an executed text creates a *canary*.

    Attributes:
        pool: the texts to select from, by default those of the turn.
        outcomes: the outcomes of stages that do not succeed.
        input_values: the inputs of the run by name; *branch*, *tag* and *message* are those of the commit.
        tried: the number of texts compiled alone; *faults* has their faults, *generated* their output.
    """

    turn: int
    size: int
    canaries: Path
    engine: str = ""
    pool: tuple[str, ...] = ()
    stages: list[Keys] = field(default_factory=list)
    arcs: list[list[str]] = field(default_factory=list)
    inputs: dict[str, object] = field(default_factory=dict)
    input_values: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    pipeline: Keys = field(default_factory=dict)
    expected: list[Expected] = field(default_factory=list)
    outcomes: dict[str, str] = field(default_factory=dict)
    branch: str = ""
    tag: str = ""
    message: str = "all"
    secrets: dict[str, str] = field(default_factory=dict)
    tried: int = 0
    faults: list[str] = field(default_factory=list)
    generated: dict[str, str] = field(default_factory=dict)
    dealt: int = 0
    name: str = "hostile"

    @property
    def chance(self) -> Random:
        """A random generator that depends only on the turn and the position."""
        return Random(f"{self.turn}/{self.dealt}")

    def deal(self, number: int | None = None, fits: Callable[[str], bool] = anything) -> Iterator[str]:
        """Yield *number* suitable texts."""
        pool = self.pool or texts(2_000, self.turn)
        for _ in range(self.size if number is None else number):
            self.dealt += 1
            chance, command = self.chance, f"touch {self.canaries}/{self.dealt}"
            tries = (armed(chance.choice(pool), command) for _ in range(TRIES))
            yield next(filter(fits, tries), f"plain{self.dealt}")

    def large(self) -> str:
        """Return a text of 64 KB."""
        self.dealt += 1
        return large(self.turn + self.dealt, f"touch {self.canaries}/{self.dealt}")

    def expect(
        self, key: str, text: str, value: str | None = None, record: str | None = None, *, is_sent: bool = False
    ) -> str:
        """Return the record, by default a new one, that must contain *value*, by default the *text*."""
        result = str(len(self.expected)) if record is None else record
        self.expected.append(Expected(key, text, result, text if value is None else value, is_sent))
        return result

    def keep(self, key: str, text: str, word: str, value: str | None = None) -> str:
        """Return the command that records *word* of a script, which must equal *value*."""
        return f'printf %s {word} >"$RECORDS/{self.expect(key, text, value)}"'

    def stage(self, name: str, *after: str, **keys: object) -> None:
        """Add a stage that runs after others."""
        self.stages.append({"name": name, **keys})
        self.arcs += [[other, name] for other in after] or [[name]]

    def config(self) -> str:
        """Return the config."""
        pipeline = {**self.pipeline, "stages": self.stages, "execution": self.arcs}
        return yaml_text({"inputs": self.inputs, "pipelines": {self.name: pipeline}})

    def left(self) -> tuple[str, ...]:
        """Return the numbers of the texts that were executed."""
        return tuple(sorted(path.name for path in self.canaries.iterdir())) if self.canaries.exists() else ()
