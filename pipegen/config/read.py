"""Reads YAML text to the tree with ruamel.yaml."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, ScalarEvent
from ruamel.yaml.reader import ReaderError

from pipegen.config.ignores import MARK, read_ignores
from pipegen.config.yaml.compose import Composer
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Node

try:
    from ruamel.yaml.cyaml import CParser as CParser  # type: ignore[attr-defined]  # noqa: PLC0414 - tests replace it
except ImportError:  # on a platform without a build of it
    CParser = None

C = TypeVar("C", bound=Composer)

# The C parser follows YAML 1.1, and may differ in: tabs, three line breaks, a byte order mark, blanks before a carriage
# return, a comment directly after the "|" or ">" of a block, an anchor or alias with more than letters, digits, "_" and
# "-" in its name, and a tag with a third "!". As YAML says, it accepts tabs in and after the text of a line; the Python
# parser refuses them in and after plain texts.
_DIFFERING = "\u0085\u2028\u2029\ufeff"
_BLANKS = "^ +\r"
_TABS = "^[ \t]*\t|[:?-][ \t]*\t(?![ \t]*(?:#|\r|\n|\\Z))"
_COMMENTS = "#(?:(?<=[|>]#)|(?<=[|>][-+1-9]#)|(?<=[|>][-+1-9]{2}#))"
_NAMES = "[&*!](?<![^\\s,{[].)(?:(?<=[&*])[\\w-]+[^\\s\\w,\\]}-]|(?<=!)\\S*!\\S*!)"

# A colon inside a plain text, as in `node:22`. The C parser refuses it in braces and brackets, and YAML 1.2 allows it:
# a character for private use stands for it.
_INNER_COLON = r"(?<=[^\s,\[\]{}'\"]):(?=[^\s,\[\]{}])"
_COLON = "\ue000"

# The number of characters that the Python parser reads in about a second.
_LONG = 1_000_000


def read(file: SourceFile, report: Report, *, first_key: str = "") -> Node:
    """Return the tree of *file*; raise `Stopped` after a syntax error or if the file is empty.

    *first_key* is the key that a file other than a config begins with, "" for a config. Anchors, aliases and merge keys
    are resolved: the tree has the repeated values, with the spans of the anchors.
    """
    composer = composed(file, report, Composer)
    if composer.root is None:
        is_empty = not file.text.strip()
        config_hint = 'run "pipegen init" for a first config'
        if not is_empty:
            config_hint = f'begin the config with "pipelines:", or {config_hint}'
        report.add(
            codes.EMPTY_FILE,
            "the file is empty" if is_empty else "the file has only comments",
            at=Span(file, 0, 0),
            hint=f'begin the file with "{first_key}:"' if first_key else config_hint,
        )
        raise Stopped
    if MARK in file.text:
        read_ignores(file, composer.root, _texts(file), report)
    return composer.root


def composed(file: SourceFile, report: Report, kind: type[C]) -> C:
    """Return a composer of *kind* with the documents of *file*; raise `Stopped` after a syntax error."""
    try:
        return _compose_fast(file, report, kind) or _compose_slow(file, report, kind)
    except MarkedYAMLError as error:
        from pipegen.config.yaml.syntax import report_syntax  # noqa: PLC0415 - only for a syntax error

        report_syntax(error, file, report)
        raise Stopped from None
    except ReaderError as error:
        _report_character(error, file, report)
        raise Stopped from None


def _texts(file: SourceFile) -> list[Span]:
    """Return the spans of the scalars of *file*, in order: the text between them may contain comments."""
    try:
        events = list(fast_events(file) or _events(file))
    except (YAMLError, ValueError):  # an error of the C parser only: the Python parser has read the file
        events = list(_events(file))
    return [_text(event, file) for event in events if isinstance(event, ScalarEvent)]


def _text(event: ScalarEvent, file: SourceFile) -> Span:
    """Return the span of a scalar's text; of a block scalar, without its header, which may have a comment."""
    start, end = event.start_mark.index, event.end_mark.index
    head = file.text.find("\n", start, end) if event.style in ("|", ">") else -1
    return Span(file, max(start, head), end)


def fast_events(file: SourceFile) -> Iterable[Any] | None:
    """Return the events of the C parser; None if it is missing or may read *file* differently."""
    if CParser is None or _differs(file.text):
        return None
    events = iter(CParser(file.text).get_event, None)
    # Searching for a character is nearly free; searching for a pattern takes as long as parsing part of the text.
    names = (
        [match.start() for match in re.finditer(_NAMES, file.text)] if any(mark in file.text for mark in "&*!") else []
    )
    return _unless_named(list(events), names) if names else events


def _events_without_colons(file: SourceFile) -> Iterable[Any] | None:
    """Return the events of the C parser, which reads *file* without its colons inside plain texts, and has them again.

    Return None if there are none, or if it may read *file* differently.
    """
    text = re.sub(_INNER_COLON, _COLON, file.text)
    if text == file.text or _COLON in file.text:
        return None
    events = fast_events(SourceFile(file.path, text))
    return map(_with_colons, events) if events is not None else None


def _with_colons(event: Any) -> Any:
    """Return *event* with its colons; raise `ValueError` if one is in a name, which YAML reads in another way."""
    if _COLON in (getattr(event, "anchor", None) or "") or _COLON in (getattr(event, "tag", None) or ""):
        raise ValueError
    if isinstance(event, ScalarEvent) and _COLON in event.value:
        event.value = event.value.replace(_COLON, ":")
    return event


def _unless_named(events: list[Any], positions: list[int]) -> list[Any] | None:
    """Return *events* if none of the *positions* is in an anchor, an alias or a tag: they are in texts and comments.

    Both parsers agree on all before the first such name that they read differently, so they agree on where it is.
    """
    for event in events:
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            at = bisect_left(positions, event.start_mark.index)
            if at < len(positions) and positions[at] <= event.end_mark.index:
                return None
    return events


def _differs(text: str) -> bool:
    """Return whether the C parser may read *text* differently, other than the names of anchors, aliases and tags."""
    return any(character in text for character in _DIFFERING) or (
        (" \r" in text and re.search(_BLANKS, text, re.MULTILINE) is not None)
        or ("\t" in text and re.search(_TABS, text, re.MULTILINE) is not None)
        or ("#" in text and re.search(_COMMENTS, text) is not None)
    )


def _compose_fast(file: SourceFile, report: Report, kind: type[C]) -> C | None:
    """Return the result of the C parser; None after an error, which the Python parser explains better.

    With the Python parser alone, compiling 1,000 stages takes 2.9 times as many instructions.

    A long file gets the explanation of the C parser: the Python parser would take seconds.
    """
    last_error: Exception | None = None
    for read_events in (fast_events, _events_without_colons):
        own_report = Report()
        composer = kind(file, own_report)
        try:
            events = read_events(file)
            if events is None:
                continue
            composer.compose(events)
        except (YAMLError, ValueError) as error:
            last_error = error
        except Stopped:
            report.take(own_report)
            raise
        else:
            report.take(own_report)
            return composer
    if isinstance(last_error, MarkedYAMLError) and len(file.text) > _LONG:
        raise last_error
    return None


def _compose_slow(file: SourceFile, report: Report, kind: type[C]) -> C:
    """Return the result of the Python parser."""
    composer = kind(file, report)
    composer.compose(_events(file))
    return composer


def _events(file: SourceFile) -> Iterator[Any]:
    try:
        yield from YAML(typ="safe", pure=True).parse(file.text)
    except (YAMLError, ValueError, AssertionError) as error:  # the last for an unknown %YAML line
        if isinstance(error, MarkedYAMLError) and error.problem is None:
            raise MarkedYAMLError(problem=error.context, problem_mark=error.context_mark) from error
        if isinstance(error, MarkedYAMLError | ReaderError):
            raise
        raise MarkedYAMLError(problem=str(error)) from error


def _report_character(error: ReaderError, file: SourceFile, report: Report) -> None:
    character = error.character if isinstance(error.character, int) else ord(str(error.character)[:1] or "\0")
    start = error.position
    if character == 0:
        report.add(
            codes.NUL_CHARACTER,
            "the file contains a NUL character",
            at=Span(file, start, start + 1),
            hint="remove it; if the editor shows none, the file is UTF-16: save it as UTF-8",
        )
        return
    report.add(
        codes.YAML_SYNTAX,
        f"the character U+{character:04X} is not allowed in YAML",
        at=Span(file, start, start + 1),
        hint=f'write it as an escape in double quotes: "\\u{character:04x}"',
    )
