"""The documents, and the configs in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from pipegen.source.text import SourceFile

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DOCUMENTS = (*sorted(DOCS.glob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")))

_BLOCK = re.compile(r"^```yaml(?P<kind>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of YAML in a document.

    *kind* follows the word `yaml`: nothing for a whole config, `stages` for a list of stages, a code for a config that
    gives this diagnostic, `fragment` for text that is not a config.
    """

    kind: str
    text: str

    @property
    def file(self) -> SourceFile:
        """The config that the block contains, or is a part of."""
        if self.kind != "stages":
            return SourceFile("pipegen.yaml", self.text)
        return SourceFile("pipegen.yaml", f"pipelines:\n  example:\n    stages:\n{indent(self.text, ' ' * 6)}")


def blocks() -> Iterator[tuple[str, Block]]:
    """Yield the blocks with configs in all documents, each with the document and the line of its start."""
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for match in _BLOCK.finditer(text):
            block = Block(match["kind"].strip(), match["text"])
            if block.kind != "fragment":
                yield f"{path.name}:{text.count(chr(10), 0, match.start()) + 1}", block
