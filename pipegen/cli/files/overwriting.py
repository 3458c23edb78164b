"""Whether a file may be written over: a picture takes the place of a picture, and of nothing else."""

from __future__ import annotations

from pathlib import Path

from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.output import check_place
from pipegen.source.enclosure import content

SVG, HTML = "SVG", "HTML"
_STARTS = {SVG: b"<svg", HTML: b"<!doctype html"}


def check_picture(path: Path | None, kind: str) -> None:
    """End with wrong usage when no picture of *kind* can stand at *path*, or something else stands there."""
    if path is None:
        return
    check_place(path)
    start = content(path, len(_STARTS[kind]))
    if start is not None and start.lower() not in (b"", _STARTS[kind]):
        raise WrongUsage(f'"{path}" is there and is no {kind}: name another file')
