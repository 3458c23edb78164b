"""A chart and its tables as one self-contained HTML page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.emit.template import render
from pipegen.pictures.palette import DARK, LIGHT
from pipegen.pictures.policy import content_security_policy
from pipegen.structs import Struct

_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


class Table(Struct):
    """Rows of words under a *title*; a table without rows is left out. The words in column *marked* have colours."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: int | None = None


class Log(Struct):
    """The text of a log under its *title*."""

    title: str
    text: str
    is_open: bool


def render_chart(
    *, title: str, heading: str, words: Sequence[str], chart: str, tables: Sequence[Table], logs: Sequence[Log] = ()
) -> str:
    """Return the page of *chart*, an SVG document; its style becomes that of the page."""
    style_element = _STYLE.search(chart)
    style = render(
        "pictures/chart.css.j2", filters={}, light=LIGHT, dark=DARK, chart=style_element[1] if style_element else ""
    )
    return render(
        "pictures/chart.html.j2",
        filters={},
        title=title,
        heading=heading,
        words=words,
        chart=_STYLE.sub("", chart, count=1),
        tables=[table for table in tables if table.rows],
        logs=logs,
        style=style,
        policy=content_security_policy(style),
    )
