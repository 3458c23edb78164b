"""Applies the hints for foreign words to a config literally."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from typing import Any

from ruamel.yaml import YAML

from pipegen.config.files.load import decode
from pipegen.config.read import read
from pipegen.config.schema.check import check_schema
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped

_RENAME = re.compile(r'rename it to "(\w+)"')
_WRITE = re.compile(
    r'write "(?P<text>.+?)" instead(?P<both> of both)?(?:[,;].*)?|write instead(?P<many> of both)?:\n(?P<lines>.*)',
    re.DOTALL,
)
_REMOVE = re.compile(r"remove it(?:: .*)?")
_ADD = re.compile(r"remove (?:it|the jobs), and add (?P<place>[^\n]*):\n(?P<lines>.*)", re.DOTALL)


def diagnostics_of(text: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the config *text* from its schema."""
    report = Report()
    with suppress(Stopped):
        check_schema(read(decode(text.encode(), "pipegen.yaml", "", report), report), report)
    return report.diagnostics()


def corrected(text: str, path: Sequence[str | int], hint: str) -> str | None:
    """Return *text* with the *hint* for the key at *path* applied; None if the hint cannot be applied literally."""
    config = _loaded(text)
    above = config
    for step in path[:-1]:
        above = above[step]
    key = path[-1]
    if match := _RENAME.fullmatch(hint):
        above[match[1]] = above.pop(key)
    elif match := _WRITE.fullmatch(hint):
        above.pop(key)
        _merge(above, _loaded(match["text"] or match["lines"]))
    elif _REMOVE.fullmatch(hint):
        above.pop(key)
    elif match := _ADD.fullmatch(hint):
        above.pop(key)
        _merge(_map_at(config, match["place"], path), _loaded(match["lines"]))
    else:
        return None
    written = StringIO()
    YAML().dump(config, written)
    return written.getvalue()


def _loaded(text: str) -> Any:
    return YAML().load(text)


def _map_at(config: Any, words: str, path: Sequence[str | int]) -> Any:
    """Return the map or list that *words* name: of the first pipeline unless they name the file or a stage."""
    if words == "at the top level":
        return config
    if words.startswith("to stage"):
        return config["pipelines"]["p"]["stages"][path[3]]
    if words.startswith("to pipeline"):
        return config["pipelines"]["p"]
    name = words.removeprefix("to ").strip('"')
    return next(map_[name] for map_ in (config, config["pipelines"]["p"]) if name in map_)


def _merge(target: Any, added: Any) -> None:
    if isinstance(target, list):
        target += added
    else:
        target.update(added)
