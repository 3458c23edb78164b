"""Seeds of the fuzzer, and its changes to a config: by lines, keys, values and words."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from documents import blocks
from robust.random_edits import PIECES, VALUES, edited
from ruamel.yaml.cyaml import CParser  # type: ignore[attr-defined]
from ruamel.yaml.error import YAMLError

ROOT = Path(__file__).parents[2]
_LINE = re.compile(r"^( *(?:- )*)(?:([\w.$-]+):(?: |$))?(.*)$")
_WORD = re.compile(r"[\w$.-]+")
_REFERENCE = re.compile(r"\$\{[^}\n]*\}")
# The longest texts that edits insert do not fit into a config of the fuzzer.
_LONGEST = 200
_MOST_LINES = 12


@cache
def seeds() -> tuple[str, ...]:
    """Return the configs of examples, goldens, folders of diagnostics and documents."""
    kinds = ("examples/*/pip*.y*ml", "tests/golden/*/pipeline.yml", "tests/diagnostics/*/pipeline.yml")
    paths = [path for kind in kinds for path in sorted(ROOT.glob(kind))]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    return tuple(dict.fromkeys([*texts, *(block.file.text for _, block in blocks())]))


@cache
def words() -> tuple[str, ...]:
    """Return the words of the schema: keys, choices, short examples."""
    text = (ROOT / "schemas/pipelines.schema.json").read_text(encoding="utf-8")
    return tuple(dict.fromkeys(_words(json.loads(text))))


def dictionary() -> str:
    """Return the words and fragments in the dictionary format of libFuzzer."""
    pieces = [*words(), *PIECES, *(value for value in VALUES if len(value) <= _LONGEST)]
    data = [piece.encode("utf-8", "surrogatepass") for piece in dict.fromkeys(pieces)]
    escaped = ("".join(f"\\x{byte:02x}" for byte in piece) for piece in data if piece)
    return "".join(f'"{word}"\n' for word in escaped)


def _words(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from value
            if key in {"enum", "examples", "const", "default"}:
                for data in value if isinstance(value, list) else [value]:
                    if isinstance(data, str | int) and len(str(data)) <= _LONGEST:
                        yield str(data)
            yield from _words(value)
    elif isinstance(schema, list):
        for data in schema:
            yield from _words(data)


class Mutator:
    """Changes configs with parts of others: lines at their depth, values of the same key, references, words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._blocks: list[list[str]] = []
        values: dict[str, dict[str, None]] = {}
        references: dict[str, None] = {}
        for text in texts:
            references |= dict.fromkeys(_REFERENCE.findall(text))
            lines = text.splitlines()
            for at, line in enumerate(lines):
                _, key, rest = _parts(line)
                if key or rest:
                    self._blocks.append(list(_block(lines, at)))
                    values.setdefault(key, {})[rest] = None
        self._values: Mapping[str, tuple[str, ...]] = {key: tuple(rests) for key, rests in values.items()}
        self._keys = tuple(self._values)
        self._references = tuple(references)
        self._changes = (self._grafted, self._grafted, self._revalued, self._revalued, self._rekeyed, self._referred)

    def mutated(self, data: bytes, dice: Random) -> bytes:
        """Return *data* after one to four changes that mostly keep it valid YAML, so that more code is reached."""
        for _ in range(4):
            changed = self._changed(data, dice)
            if _is_yaml(changed):
                break
        return changed

    def _changed(self, data: bytes, dice: Random) -> bytes:
        text = data.decode("utf-8", "replace")
        if dice.random() < 1 / 4 or not text.strip():
            others = [dice.choice(self._texts) for _ in range(2)]
            return edited(text or dice.choice(self._texts), dice, others)[0]
        lines = text.split("\n")
        for _ in range(dice.choice((1, 1, 2, 4))):
            dice.choice(self._changes)(lines, dice)
        return "\n".join(lines).encode("utf-8", "surrogatepass")

    def _grafted(self, lines: list[str], dice: Random) -> None:
        """Insert a key or an item of another config, with its content, at the depth of its neighbour."""
        at = dice.randrange(len(lines))
        block = dice.choice(self._blocks)
        blanks = _parts(lines[at])[0]
        depth = len(blanks) - (2 if block[0].startswith("- ") and blanks.endswith("- ") else 0)
        lines[at + 1 : at + 1] = [" " * depth + line for line in block]

    def _revalued(self, lines: list[str], dice: Random) -> None:
        """Replace the value of a key by a value that it, or any key, has elsewhere."""
        at = dice.randrange(len(lines))
        blanks, key, _ = _parts(lines[at])
        known = self._values.get(key if dice.random() < 4 / 5 else dice.choice(self._keys), ("x",))
        value = dice.choice(known) if dice.random() < 4 / 5 else dice.choice(VALUES)[:_LONGEST]
        lines[at] = f"{blanks}{key}: {value}" if key else f"{blanks}{value}"

    def _rekeyed(self, lines: list[str], dice: Random) -> None:
        """Replace a word by a word of the schema or of the config."""
        at = dice.randrange(len(lines))
        matches = list(_WORD.finditer(lines[at]))
        if matches:
            place = dice.choice(matches)
            own = _WORD.findall(dice.choice(lines))
            word = dice.choice(own) if own and dice.random() < 1 / 2 else dice.choice(words())
            lines[at] = lines[at][: place.start()] + word + lines[at][place.end() :]

    def _referred(self, lines: list[str], dice: Random) -> None:
        """Insert a reference."""
        at = dice.randrange(len(lines))
        line = lines[at]
        place = dice.randrange(len(line) + 1)
        lines[at] = line[:place] + dice.choice(self._references) + line[place + dice.choice((0, 0, 1, 5)) :]


def _block(lines: Sequence[str], at: int) -> Iterator[str]:
    """Yield line *at* and its nested lines, without indentation; of a long block, only its beginning."""
    depth = len(lines[at]) - len(lines[at].lstrip(" "))
    yield lines[at][depth:]
    for line in lines[at + 1 : at + _MOST_LINES]:
        if line.strip() and not line.startswith(" " * (depth + 1)):
            break
        yield line[depth:]


def _is_yaml(data: bytes) -> bool:
    try:
        deque(iter(CParser(data.decode()).get_event, None), maxlen=0)
    except (YAMLError, ValueError):
        return False
    return True


def _parts(line: str) -> tuple[str, str, str]:
    """Return the indentation with dashes, the key, and the rest of a line."""
    match = _LINE.match(line)
    return (match[1], match[2] or "", match[3]) if match else ("", "", line)
