"""YAML text to the tree; the door of ruamel.yaml for reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import ScalarEvent
from ruamel.yaml.reader import ReaderError

from pipegen.config.compose import Composer
from pipegen.config.ignores import MARK, read_ignores
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Node

try:
    from ruamel.yaml.cyaml import CParser as CParser  # type: ignore[attr-defined]  # noqa: PLC0414 - tests take it away
except ImportError:  # on a platform that has no build of it
    CParser = None

# What the parser in C, which follows YAML 1.1, may read otherwise: tabs, three line breaks, a mark at the start of the
# text, blanks before a carriage return, an anchor or alias with more than letters, digits, "_" and "-" in its name, and
# a tag with a third "!".
_DIFFERING = "\t\u0085\u2028\u2029\ufeff"
_BLANKS = re.compile("^ +\r", re.MULTILINE)
_NAMES = "[&*!](?<![^\\s,{[].)(?:(?<=[&*])[\\w-]+[^\\s\\w,\\]}-]|(?<=!)\\S*!\\S*!)"

# Characters that the parser in Python reads in a second.
_LONG = 1_000_000


def read(file: SourceFile, report: Report) -> Node:
    """Return the tree of *file*; raise `Stopped` when there is none.

    Anchors, aliases and merge keys are resolved: the tree holds what they
    stand for, with the places of the anchors.
    """
    try:
        composer = _fast(file, report) or _slow(file, report)
    except MarkedYAMLError as error:
        from pipegen.config.syntax import report_syntax  # noqa: PLC0415 - most configs are YAML

        report_syntax(error, file, report)
        raise Stopped from None
    except ReaderError as error:
        _report_character(error, file, report)
        raise Stopped from None
    if composer.root is None:
        report.add(
            codes.EMPTY_FILE,
            "the file is empty" if not file.text.strip() else "the file holds nothing but comments",
            at=Span(file, 0, 0),
            hint='a config begins with "pipelines:"; see "pipegen schema"',
        )
        raise Stopped
    if MARK in file.text:
        read_ignores(file, composer.root, _texts(file), report)
    return composer.root


def _texts(file: SourceFile) -> list[Span]:
    """Return where the scalars of *file* stand, in its order: whatever stands between them may be a comment."""
    try:
        events = list(fast_events(file) or _events(file))
    except (YAMLError, ValueError):  # what the parser in C finds wrong, the other one has read
        events = list(_events(file))
    return [_text(event, file) for event in events if isinstance(event, ScalarEvent)]


def _text(event: ScalarEvent, file: SourceFile) -> Span:
    """Return where the text of a scalar stands: of one in a block, below its head, which may hold a comment."""
    start, end = event.start_mark.index, event.end_mark.index
    head = file.text.find("\n", start, end) if event.style in ("|", ">") else -1
    return Span(file, max(start, head), end)


def fast_events(file: SourceFile) -> Iterator[Any] | None:
    """Return the events of a text that is read alike by the parser in C; None where only the other one may be asked."""
    return None if CParser is None or _differs(file.text) else iter(CParser(file.text).get_event, None)


def _differs(text: str) -> bool:
    """Return whether the parser in C may read *text* otherwise."""
    # To look for a character takes next to nothing, and for a pattern as long as to parse some of the text.
    return (
        any(character in text for character in _DIFFERING)
        or (" \r" in text and _BLANKS.search(text) is not None)
        or (any(mark in text for mark in "&*!") and re.search(_NAMES, text) is not None)
    )


def _fast(file: SourceFile, report: Report) -> Composer | None:
    """Return what the parser in C makes of *file*; None where it finds something wrong: the other one explains that.

    A long file gets the explanation of the parser in C, which is not as good: the other one would take seconds.
    """
    own = Report()
    composer = Composer(file, own)
    try:
        events = fast_events(file)
        if events is None:
            return None
        composer.compose(events)
    except (YAMLError, ValueError) as error:
        if isinstance(error, MarkedYAMLError) and len(file.text) > _LONG:
            raise
        return None
    except Stopped:
        report.take(own)
        raise
    report.take(own)
    return composer


def _slow(file: SourceFile, report: Report) -> Composer:
    """Return what the parser in Python makes of *file*."""
    composer = Composer(file, report)
    composer.compose(_events(file))
    return composer


def _events(file: SourceFile) -> Iterator[Any]:
    try:
        yield from YAML(typ="safe", pure=True).parse(file.text)
    except (YAMLError, ValueError, AssertionError) as error:  # the last for a %YAML line it does not know
        if isinstance(error, MarkedYAMLError | ReaderError):
            raise
        raise MarkedYAMLError(problem=str(error)) from error


def _report_character(error: ReaderError, file: SourceFile, report: Report) -> None:
    character = error.character if isinstance(error.character, int) else ord(str(error.character)[:1] or "\0")
    start = error.position
    if character == 0:
        report.add(
            codes.NUL_CHARACTER,
            "the file holds a NUL character",
            at=Span(file, start, start + 1),
            hint="remove it; if the editor shows none, the file is UTF-16: save it as UTF-8",
        )
        return
    report.add(
        codes.YAML_SYNTAX,
        f"the character U+{character:04X} may not stand in YAML",
        at=Span(file, start, start + 1),
        hint=f'write it as an escape in double quotes: "\\u{character:04x}"',
    )
