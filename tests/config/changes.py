"""All configs of the repository, valid and invalid, and random changes to them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
FOLDERS = ("examples/*", "tests/golden/*", "tests/diagnostics/*")
PATHS = [path for folder in FOLDERS for path in sorted(ROOT.glob(f"{folder}/pip*.y*ml"))]
TEXTS = sorted((path.read_bytes().decode(errors="replace") for path in PATHS), key=len)
# Characters that change the meaning of a line of YAML, or make it invalid.
PIECES = (
    *(":", ": ", "-", "- ", "? ", '"', "'", "[", "]", "{", "}", ",", "#", " #", "|", ">", "|-\n", ">+\n", "&a", "*a"),
    *("<<: ", "!x ", "!!str ", "%", "@", "`", "~", "\\", "\n", "\n\n", "  ", "\t", "---", "...", "\r\n", "\r", "\x07"),
    *("\ufeff", "\u2028", "\u0085", "\u00e9", "\U0001d4b3"),
)

# The position of an inserted piece, as a share of the text; the piece; the number of characters that it replaces.
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.sampled_from(PIECES), st.integers(0, 3)), min_size=1, max_size=3)


def changed(text: str, changes: Iterable[tuple[float, str, int]]) -> str:
    """Return *text* with all *changes* applied."""
    for where, piece, removed in changes:
        position = int(where * len(text))
        text = text[:position] + piece + text[position + removed :]
    return text
