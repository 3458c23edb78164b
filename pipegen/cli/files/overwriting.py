"""Protection of files: a picture only overwrites a picture."""

from __future__ import annotations

from pathlib import Path

from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.output import check_writable
from pipegen.source.enclosure import content

SVG, HTML = "SVG", "HTML"
_STARTS = {SVG: b"<svg", HTML: b"<!doctype html"}


def check_picture(path: Path | None, kind: str) -> None:
    """Raise `WrongUsage` if no picture of *kind* can be written to *path*, or another file exists there."""
    if path is None:
        return
    check_writable(path)
    start = content(path, len(_STARTS[kind]))
    if start is not None and start.lower() not in (b"", _STARTS[kind]):
        raise WrongUsage(f'"{path}" exists and is not {kind}: name another file')
