"""Goldens, examples and the corpus, if present, in other spellings: the plans are the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import pytest
from robust.configs import ROOT, WAYS, analysed, file_of, known, shown, text_of, written
from robust.equivalent_yaml import Rewording
from robust.positions.table import plain

from pipegen.compiler import Analysed
from pipegen.config.files.load import decode
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped

# Keys of a stage, of a pipeline and of the file: maps with keys of the schema, in any order.
_KNOWN = ("name", "stages", "pipelines")


def data_of(path: Path) -> object:
    """Return the config at *path* as data."""
    return plain(read(file_of(path, text_of(path)), Report()))


def shuffled(data: object, dice: Random) -> object:
    """Return *data* with the keys of files, pipelines and stages in another order."""
    if isinstance(data, list):
        return [shuffled(item, dice) for item in data]
    if not isinstance(data, dict):
        return data
    entries = [(key, shuffled(value, dice)) for key, value in data.items()]
    if any(key in data for key in _KNOWN) and "include" not in data:
        dice.shuffle(entries)
    return dict(entries)


def other_style(path: Path) -> str:
    """Return the config at *path* in other quotes and styles, with aliases."""
    data = data_of(path)
    assert isinstance(data, dict)
    return Rewording(Random(path.parent.name)).text(data)


def other_order(path: Path) -> str:
    """Return the config at *path* with keys in another order, as JSON."""
    return json.dumps(shuffled(data_of(path), Random(path.parent.name)), indent=1)


def other_lines(path: Path) -> str:
    """Return the config at *path* with a BOM, comments, blank lines and CRLF line breaks."""
    lines = re.sub(r"(?m)^(pipelines|targets|inputs|templates):", r"# of old\n\n\1:", text_of(path))
    file = decode(b"\xef\xbb\xbf" + lines.replace("\n", "\r\n").encode(), path.name, "", Report())
    return file.text


def as_json(path: Path) -> str:
    """Return the config at *path* as JSON; numbers and words of YAML 1.1 keep their spelling."""
    return json.dumps(data_of(path))


@pytest.mark.parametrize(
    ("reword", "plainly"), [(other_style, as_json), (other_order, as_json), (other_lines, text_of)]
)
def test_reworded_known_configs_have_the_same_plans(
    reword: Callable[[Path], str], plainly: Callable[[Path], str]
) -> None:
    """Rejected configs are still rejected."""
    differing = [shown(path) for path in readable() if plans_of(path, reword(path)) != plans_of(path, plainly(path))]

    assert differing == []


def test_reworded_known_configs_have_the_same_files() -> None:
    """Byte for byte, for each target."""
    for path in readable()[::12]:
        analysis, other = (analysed(file_of(path, text)) for text in (as_json(path), other_style(path)))
        assert files_of(analysis) == files_of(other), path


@cache
def readable() -> tuple[Path, ...]:
    """Return the configs that are YAML: those of the checkout, and some of the corpus, most of which are similar."""
    own = [path for path in known() if path.is_relative_to(ROOT)]
    return tuple(path for path in (*own, *known()[len(own) :: 12]) if _is_readable(path))


def _is_readable(path: Path) -> bool:
    with suppress(Stopped):
        return bool(data_of(path))
    return False


def plans_of(path: Path, text: str) -> object:
    """Return the plans of *text* at *path*, and the settings of targets; None if it is rejected."""
    analysis = analysed(file_of(path, text))
    return analysis and (analysis.plans, {name: plain(setting) for name, setting in analysis.settings.items()})


def files_of(config: Analysed | None) -> list[object]:
    """Return the output of each target."""
    return [written(config, *way).files for way in WAYS[:2]] if config is not None else []
