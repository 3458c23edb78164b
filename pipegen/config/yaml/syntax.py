"""YAML syntax errors in plain words."""

from __future__ import annotations

import re

from ruamel.yaml.error import MarkedYAMLError

from pipegen.config.yaml.likely_mistakes import likely_mistake, other_blank, quoted, unquoted_command
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile, Span
from pipegen.structs import Struct

# `key: value` in block style, possibly after dashes; the value is not a comment, anchor, tag or block scalar.
_KEY_WITH_VALUE = re.compile(
    r"(?P<indent>[ -]*)(?P<key>[^\s#:\"'][^:#]*):[ ]+"
    r"(?P<value>\"[^\"]*\"|'[^']*'|\[[^\[\]]*\]|\{[^{}]*\}|[^\s#&!|>{\[\"'][^#]*?)\s*(?:#.*)?"
)


class _Words(Struct):
    """The parser's message, ours, and a hint; *at_start* if the mistake is where the construct begins."""

    theirs: str
    ours: str
    hint: str
    at_start: bool = False


_QUOTE = "put the value in quotes"
_PROBLEMS = (
    # Only the Python parser refuses it; a block may begin so in YAML.
    _Words("more indented follow up line", "the block begins with a line of blanks", "remove the blanks"),
    _Words("cannot start any token", "this character cannot begin a value", _QUOTE),
    _Words(
        "mapping values are not allowed",
        'a ":" is not allowed here',
        'check the indentation, or quote a value that holds ": "',
    ),
    _Words(
        "sequence entries are not allowed",
        'a "-" is not allowed here',
        "begin the list on a new line, or put the value in quotes",
    ),
    _Words(
        "could not find expected ':'",
        'a key without ":"',
        'check the indentation; text over several lines needs quotes or "|"',
        at_start=True,
    ),
    _Words(
        "expected <block end>",
        "the indentation does not fit the lines above",
        "line up the keys of one map, and the dashes of one list",
    ),
    _Words(
        "unexpected end of stream",
        "a quote is not closed",
        'close it, or write the text as a block with "|"',
        at_start=True,
    ),
    _Words(
        "unexpected document separator",
        "a quote is not closed",
        'close it, or write the text as a block with "|"',
        at_start=True,
    ),
    _Words(
        "expected ',' or",
        "a list or map on one line is not closed",
        "check its commas, brackets and braces; a text with one of them needs quotes",
    ),
    _Words(
        "but found '<stream end>'", "the file ends before a list or map on one line is closed", 'close it: "]" or "}"'
    ),
    _Words("expected the node content", "this character cannot begin a value", _QUOTE),
    _Words("unknown escape", "an unknown escape in double quotes", "use single quotes, or double the backslash"),
    _Words("expected escape sequence", "an unfinished escape in double quotes", "write all its digits"),
    _Words(
        "expected alphabetic or numeric",
        'a value cannot begin with "&" or "*", unless with an anchor',
        _QUOTE,
        at_start=True,
    ),
    _Words(
        "expected chomping or indentation",
        "text on the line where a block begins",
        "begin the text on the next line, indented, or put it in quotes",
    ),
    _Words(
        "expected a comment or a line break",
        "text on the line where a block begins",
        "begin the text on the next line, indented, or put it in quotes",
    ),
    _Words("mapping keys are not allowed", 'a "?" is not allowed here', _QUOTE),
    _Words("expected URI", 'a value cannot begin with "!", unless with a tag', _QUOTE, at_start=True),
    _Words("document start", "text that is not part of the map above", "remove it, or indent it"),
    _Words("version minor part", "only YAML 1.1 and 1.2 are read", "remove the %YAML line"),
    _Words("incompatible YAML", "only YAML 1.1 and 1.2 are read", "remove the %YAML line"),
)

# The construct that the parser names, and our label for its start.
_CONSTRUCTS = (
    ("flow sequence", "the list begins here"),
    ("flow mapping", "the map begins here"),
    ("block sequence", "the list begins here"),
    ("block mapping", "the map begins here"),
    ("quoted scalar", "the text begins here"),
    ("block scalar", "the block begins here"),
)


def report_syntax(error: MarkedYAMLError, file: SourceFile, report: Report) -> None:
    """Report a syntax error at its location, with the start of its construct if the parser names it."""
    offset = min(error.problem_mark.index if error.problem_mark else 0, len(file.text))
    if _may_have_value(error.problem or "", offset, file) and _report_value_and_mapping(offset, file, report):
        return
    start = error.context_mark.index if error.context_mark is not None else offset
    if mistake := other_blank(offset, file) or unquoted_command(error.problem or "", start, offset, file):
        report.add(codes.YAML_SYNTAX, mistake.message, at=mistake.span, hint=mistake.hint)
        return
    if file.text[max(offset - 1, 0) : offset + 1] == "${":
        _report_unquoted(offset - 1, file, report)
        return
    if file.text[offset : offset + 1] != "\t" and (mistake := likely_mistake(error.problem or "", start, offset, file)):
        report.add(codes.YAML_SYNTAX, mistake.message, at=mistake.span, hint=mistake.hint)
        return
    words = _words(error.problem or "", offset, file)
    if words.hint == _QUOTE and (value := _value_at(start if words.at_start else offset, file)) is not None:
        report.add(codes.YAML_SYNTAX, words.ours, at=value, hint=f"{_QUOTE}: {quoted(value.text)}")
        return
    if words.at_start:
        report.add(codes.YAML_SYNTAX, words.ours, at=_character(file, start), hint=words.hint)
        return
    label = next((ours for theirs, ours in _CONSTRUCTS if theirs in (error.context or "")), "")
    also = [Label(_character(file, start), label)] if start < offset and label else []
    report.add(codes.YAML_SYNTAX, words.ours, at=_character(file, offset), related=also, hint=words.hint or None)


def _value_at(offset: int, file: SourceFile) -> Span | None:
    """Return the rest of the line at *offset* if a value of a key or of a list begins there."""
    line = file.position(offset).line
    begin = file.line_starts[line - 1]
    if not re.fullmatch(r" *(- +|[\w.-]+: +)+", file.text[begin:offset]):
        return None
    text = re.split(r"\s+#|\s*$", file.line(line)[offset - begin :], maxsplit=1)[0]
    return Span(file, offset, offset + len(text))


def _character(file: SourceFile, offset: int) -> Span:
    """Return the span of the character at *offset*; empty at the end of the file."""
    return Span(file, offset, min(offset + 1, len(file.text)))


def _report_unquoted(start: int, file: SourceFile, report: Report) -> None:
    """Report an unquoted reference in a list or map on one line, where its brace begins a map."""
    text = re.split(r"[\[{,] *|: +|^ *- +", _line_before(start, file))[-1]
    begin = start - len(text)
    item = re.compile(r"(?:\$\{[^{}\n]*\}?|[^][{},\n])*").match(file.text, begin)
    if item is None or any(quote in item[0] for quote in "'\""):
        begin, item = start, re.compile(r"\$\{[^{}\n]*\}?").match(file.text, start)
    written = item[0].rstrip() if item else "${"
    report.add(
        codes.YAML_SYNTAX,
        "a reference in a list or map on one line needs quotes around the whole text",
        at=Span(file, begin, begin + len(written)),
        hint=f"put the text in quotes: {quoted(written)}",
    )


def _words(problem: str, offset: int, file: SourceFile) -> _Words:
    if file.text[offset : offset + 1] == "\t":
        return _Words("", "a tab where YAML allows only spaces", "use spaces instead")
    words = next((words for words in _PROBLEMS if words.theirs in problem), None)
    return words or _Words("", f"invalid YAML: {problem}" if problem else "invalid YAML", "")


def _line_before(offset: int, file: SourceFile) -> str:
    """Return the text before *offset* on its line."""
    return file.text[file.line_starts[file.position(offset).line - 1] : offset]


def _may_have_value(problem: str, offset: int, file: SourceFile) -> bool:
    if "expected <block end>" in problem:
        return not _line_before(offset, file).strip()
    return "mapping values are not allowed" in problem


def _report_value_and_mapping(offset: int, file: SourceFile, report: Report) -> bool:
    """Report a map indented under a key that already has a value; return whether that is the error."""
    line = file.position(offset).line
    below = file.line(line)
    above = next((number for number in range(line - 1, 0, -1) if file.line(number).split("#")[0].strip()), None)
    filled = _KEY_WITH_VALUE.fullmatch(file.line(above)) if above else None
    indent = len(below) - len(below.lstrip())
    nested = re.match(r"[^\s:][^:]*(?=:(?:\s|$))", below[indent:])
    if above is None or filled is None or nested is None or indent <= len(filled["indent"]):
        return False
    start, key, value = file.line_starts[above - 1], filled["key"].strip(), filled["value"]
    remove = f'remove "{value}" to give "{key}" the keys below'
    line_up = f'line up "{nested[0]}" with "{key}"'
    if value in {"true", "false"}:
        hint = f"{remove}, or {line_up}"
    else:
        hint = line_up if key == "name" else f"{line_up}, or {remove}"
    report.add(
        codes.VALUE_AND_MAPPING,
        f'"{key}" has the value "{value}", so it cannot have keys below it',
        at=Span(file, file.line_starts[line - 1] + indent, file.line_starts[line - 1] + indent + nested.end()),
        label=f'indented under "{key}"',
        related=[Label(Span(file, start + filled.start("value"), start + filled.end("value")), "its value")],
        hint=hint,
    )
    return True
