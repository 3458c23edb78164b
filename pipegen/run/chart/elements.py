"""Elements of SVG charts."""

from __future__ import annotations


def text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    """Return *words* at a position; *kind* is the class, or ""."""
    look = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor != "start" else "")
    return f'<text x="{number(x)}" y="{number(y)}"{look}>{escaped(words)}</text>'


def number(value: float) -> str:
    """Return *value* with at most two decimals, the same on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def escaped(text_: str) -> str:
    """Return *text_* escaped for XML; `visible` has removed characters that XML cannot contain."""
    return text_.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
