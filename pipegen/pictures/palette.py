"""The colours of pictures, in a light and a dark theme.

Text has a contrast of at least 4.5 against its background, and graphical elements of at least 3. People who are
colour-blind for red and green can distinguish orange and blue; kinds of arcs differ in their strokes too.
"""

from __future__ import annotations

from collections.abc import Mapping

_COLOURS: Mapping[str, tuple[str, str]] = {
    "ground": ("#ffffff", "#0d1117"),
    "raised": ("#f6f8fa", "#161b22"),
    "text": ("#1f2328", "#e6edf3"),
    "quiet": ("#59636e", "#9198a1"),
    "rule": ("#d1d9e0", "#30363d"),
    "edge": ("#818b98", "#6e7681"),
    "order": ("#818b98", "#6e7681"),
    "values": ("#2f6db5", "#6ea8fe"),
    "path": ("#bc4c00", "#f0883e"),
    "failure": ("#b3261e", "#ff7b72"),
    "mark": ("#e7ecf0", "#262c36"),
    "chosen": ("#ddeafb", "#1d3050"),
}
LIGHT: Mapping[str, str] = {name: light for name, (light, _) in _COLOURS.items()}
DARK: Mapping[str, str] = {name: dark for name, (_, dark) in _COLOURS.items()}
# The colours as references to a page's CSS variables.
CSS_VARIABLES: Mapping[str, str] = {name: f"var(--{name})" for name in _COLOURS}
