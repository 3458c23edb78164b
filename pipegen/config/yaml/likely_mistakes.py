"""Likely mistakes behind YAML syntax errors, recognized by the lines around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.source.text import SourceFile, Span
from pipegen.structs import Struct

_WORD = r"[A-Za-z_][\w.-]*"
_BARE_WORD = re.compile(rf"(?P<indent> *)(?P<dash>-[ ]+)?(?P<word>{_WORD})[ ]*(?:#.*)?")
_KEY_WITHOUT_BLANK = re.compile(rf"(?P<indent> *)(?:-[ ]+)?(?P<text>(?P<key>{_WORD}):(?P<value>[^\s:/].*))")
_PAIR = re.compile(rf"{_WORD}: (?:[\w./*-]+|\[[^][{{}}]*\]|\{{[^][{{}}]*\}})")
# Another key on the line of a key: after its value and two blanks, or in place of a value.
_NEXT_KEY = re.compile(rf"(?<=[^ ])[ ]{{2,}}(?P<key>{_WORD}):(?:[ ]|\Z)")
_KEY_ALONE = re.compile(rf"(?P<key>{_WORD}):")
_BLOCK_KEY = re.compile(rf"[ -]*(?P<key>{_WORD}):[ ]+[|>][-+0-9]*[ ]*(?:#.*)?")
_VALUE = re.compile(rf"[ ]*(?:-[ ]+{_WORD}:[ ]+|-[ ]+|{_WORD}:[ ]+)(?P<value>[^\s#&!|>].*)")
_KEY = re.compile(rf"(?P<indent> *)(?P<key>{_WORD}):(?:[ ].*)?")
_ITEM = re.compile(rf"(?P<indent> *)(?P<dash>-[ ]+)(?P<key>{_WORD}):(?:[ ].*)?")
_OTHER_BLANK = re.compile(r" *(?P<blank>[^\S \t\r\n\v\f]|[\u200b\ufeff])")
_BLOCK_START = re.compile(r"[:-][ ]+(?:[&!]\S+[ ]+)?[|>][-+0-9]*[ ]*(?:#.*)?$")
# A test of the shell in brackets, which YAML reads as a list, and text after a closed list, map or quote.
_AFTER_BRACKET = re.compile(r"\[.*\][ ]+\S.*|\{.*\}[ ]+[^\s#}].*|\"[^\"]*\"[ ]*[^\s#].*|'[^']*'[ ]*[^\s#].*")


class Mistake(Struct):
    """A mistake, where it is, and the correction."""

    message: str
    span: Span
    hint: str


def likely_mistake(problem: str, start: int, offset: int, file: SourceFile) -> Mistake | None:
    """Return the mistake that causes the parser's *problem* at *offset*, in a construct that begins at *start*."""
    line = file.position(offset).line
    if "could not find expected ':'" in problem:
        begin = file.position(start).line
        return _text_outside_block(begin, file) or _unfinished_key(begin, file)
    if "document start" in problem:
        return _directive(line, file) or _text_above_keys(line, file)
    if "mapping values are not allowed" in problem:
        above = _above(line, file)
        return (
            (_unfinished_key(above, file) if above else None)
            or _colon_in_value(line, offset, file)
            or _text_above_keys(line, file)
        )
    # After a list, "||" looks like the sign of a block.
    if any(part in problem for part in ("expected <block end>", "expected ',' or", "expected chomping")):
        if "expected ',' or" in problem and (mistake := _unclosed(start, line, file)):
            return mistake
        return _text_after_value(line, file) or _misaligned_key(line, file)
    return None


def other_blank(offset: int, file: SourceFile) -> Mistake | None:
    """Return the first blank other than a space in the indentation of a line, up to that of *offset*.

    The text of a block may begin with any blank.
    """
    block: int | None = None
    for line in range(1, file.position(offset).line + 1):
        text = file.line(line)
        if block is not None and (not text.strip(" ") or _indent(text) > block):
            continue
        block = None
        if match := _OTHER_BLANK.match(text):
            return Mistake(
                f"the blank U+{ord(match['blank']):04X} where YAML allows only spaces",
                _span(line, match, "blank", file),
                "use spaces instead",
            )
        if not text.lstrip().startswith("#") and _BLOCK_START.search(text):
            block = _indent(text)
    return None


def unquoted_command(problem: str, start: int, offset: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if a command in a list on one line has a brace or bracket, which YAML reads as its own."""
    if not any(part in problem for part in ("end of stream", "document separator", "expected ',' or", "<stream end>")):
        return None
    for line in dict.fromkeys((file.position(start).line, file.position(offset).line)):
        match = _ONE_LINE_LIST.fullmatch(file.line(line).rstrip())
        item = _command_with_brace(match["items"]) if match else None
        if match is not None and item is not None:
            begin = file.line_starts[line - 1] + match.start("items") + item.start()
            command, mark = item[0].rstrip(), match["items"][item.start() - 1 : item.start()]
            if mark and mark in "'\"":
                span = Span(file, begin - 1, begin + len(command))
                return Mistake("a quote is not closed", span, f"close it: {mark}{command}{mark}")
            brace = next(sign for sign in command if sign in _BRACES)
            what = "a reference" if "${" in command else f'"{brace}"'
            return Mistake(
                f"{what} in a list on one line needs quotes around the whole item",
                Span(file, begin, begin + len(command)),
                f"put the item in quotes: {quoted(command)}",
            )
    return None


# A list on one line, items of it, and the signs with a meaning in it.
_ONE_LINE_LIST = re.compile(rf" *(?:- +)?(?:{_WORD}: +|- +)?\[ *(?P<items>.+?)\]?[ ]*(?:#.*)?")
_BRACES = frozenset("[]{}")
_ITEM_OF_LIST = re.compile(
    r"""(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?:[^\s,"'\[\]{}]|\b["'])(?:\$?\{[^{}]*\}|\[[^\[\]]*\]|"[^"]*"|'[^']*'|[^,\]])*"""
)


def _command_with_brace(items: str) -> re.Match[str] | None:
    """Return the first of *items* without quotes that contains a brace or a bracket."""
    commands = _ITEM_OF_LIST.finditer(items)
    return next((item for item in commands if not item["quoted"] and not _BRACES.isdisjoint(item[0])), None)


def quoted(text: str) -> str:
    """Return *text* in single quotes for YAML."""
    return "'" + text.replace("'", "''") + "'"


def _lines_above(line: int, file: SourceFile) -> Iterator[int]:
    """Yield the numbers of the lines above *line* that are not blank or comments, the nearest first."""
    return (number for number in range(line - 1, 0, -1) if file.line(number).split("#")[0].strip())


def _above(line: int, file: SourceFile) -> int | None:
    return next(_lines_above(line, file), None)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _span(line: int, match: re.Match[str], group: str, file: SourceFile) -> Span:
    start = file.line_starts[line - 1]
    return Span(file, start + match.start(group), start + match.end(group))


def _text_outside_block(line: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if *line* is the text of a block, but not indented."""
    above = _above(line, file)
    block = _BLOCK_KEY.fullmatch(file.line(above)) if above else None
    text = re.fullmatch(r" *(?P<text>.*)", file.line(line).rstrip())
    if block is None or text is None:
        return None
    return Mistake(
        f'the text of "{block["key"]}" is not indented',
        _span(line, text, "text", file),
        f'indent it by two spaces more than "{block["key"]}"',
    )


def _unfinished_key(line: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if the key on *line* has no colon, or no blank after it."""
    text = file.line(line).rstrip()
    if match := _KEY_WITHOUT_BLANK.fullmatch(text):
        return Mistake(
            f'"{match["text"]}" is text: a key ends in a colon and a blank',
            _span(line, match, "text", file),
            f'write "{match["key"]}: {match["value"]}"',
        )
    match = _BARE_WORD.fullmatch(text)
    below = next((number for number in range(line + 1, len(file.line_starts) + 1) if file.line(number).strip()), None)
    if match is None or below is None:
        return None
    if match["dash"]:
        is_key = _indent(file.line(below)) > len(match["indent"])
        written, missing = f"- name: {match['word']}", 'no key "name"'
    else:
        is_list = file.line(below).lstrip(" ").startswith("- ")
        is_key = _indent(file.line(below)) > len(match["indent"]) or is_list
        written, missing = f"{match['word']}:", "no colon"
    if not is_key:
        return None
    return Mistake(
        f'"{match["word"]}" has {missing}, but keys or items below it',
        _span(line, match, "word", file),
        f'write "{written}"',
    )


def _colon_in_value(line: int, offset: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if the value on *line* holds a colon and a blank at *offset*."""
    match = _VALUE.fullmatch(file.line(line).rstrip())
    if match is None or match.start("value") >= offset - file.line_starts[line - 1]:
        return None
    if mistake := _key_on_line(line, match, file):
        return mistake
    return Mistake(
        'the value holds a ":" and a blank, so it needs quotes',
        _span(line, match, "value", file),
        f"put it in quotes: {quoted(match['value'])}"
        + (f", or write {{{match['value']}}} for a map" if _PAIR.fullmatch(match["value"]) else ""),
    )


def _key_on_line(line: int, value: re.Match[str], file: SourceFile) -> Mistake | None:
    """Return the mistake if the *value* of a key on *line* ends in front of another key, or is only a key."""
    if file.line(line)[: value.start("value")].rstrip()[-1] != ":":
        return None
    if inner := _KEY_ALONE.fullmatch(value["value"]):
        advice = f'write "{inner[0]}" on the next line, indented by two spaces more than this line'
    elif inner := _NEXT_KEY.search(value["value"]):
        advice = f'begin a new line before "{inner["key"]}", or put the whole value in quotes: {quoted(value["value"])}'
    else:
        return None
    begin = file.line_starts[line - 1] + value.start("value")
    return Mistake(
        f'the key "{inner["key"]}" is on the line of another key',
        Span(file, begin + inner.start("key"), begin + inner.end("key")),
        advice,
    )


def _directive(line: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if the line above *line* begins with the sign of an instruction for YAML."""
    above = _above(line, file)
    match = re.match(r"(?P<sign>%)", file.line(above)) if above else None
    if above is None or match is None:
        return None
    return Mistake(
        'a line that begins with "%" is an instruction for YAML', _span(above, match, "sign", file), 'remove the "%"'
    )


def _text_above_keys(line: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if the line above the key on *line* is text, which YAML continues up to the key."""
    above = _above(line, file)
    text = re.match(r"\s*(?P<text>.*\S)", file.line(above)) if above else None
    if above is None or text is None or _indent(file.line(above)) != _indent(file.line(line)):
        return None
    return Mistake(
        "this line is neither a key nor a comment",
        _span(above, text, "text", file),
        'begin it with "#" to make it a comment, or write it as "KEY: VALUE"',
    )


def _unclosed(start: int, line: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if a list or map that begins at *start* should end on its line, above a key on *line*."""
    begin = file.position(start).line
    rest = file.text[start : file.line_starts[begin - 1] + len(file.line(begin))].split(" #")[0].rstrip()
    if begin == line or rest[1:].endswith((",", "[", "{", "]", "}")) or not rest[1:] or not _KEY.match(file.line(line)):
        return None
    what, sign = ("list", "]") if rest[0] == "[" else ("map", "}")
    return Mistake(
        f"a {what} on one line is not closed", Span(file, start, start + len(rest)), f"close it: {rest}{sign}"
    )


def _text_after_value(line: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if text follows a list, map or quoted text on *line*."""
    match = _VALUE.fullmatch(file.line(line).rstrip())
    if match is None or not _AFTER_BRACKET.fullmatch(match["value"]):
        return None
    if mistake := _key_on_line(line, match, file):
        return mistake
    begin = {"[": "a list", "{": "a map"}.get(match["value"][0], "quoted text")
    return Mistake(
        f"the value begins as {begin}, but text follows it",
        _span(line, match, "value", file),
        f"put the whole value in quotes: {quoted(match['value'])}",
    )


def _misaligned_key(line: int, file: SourceFile) -> Mistake | None:
    """Return the mistake if the key on *line* is aligned with the dash of the item above it, not with its keys."""
    match = _KEY.fullmatch(file.line(line))
    if match is None:
        return None
    indent = len(match["indent"])
    for above in _lines_above(line, file):
        item = _ITEM.fullmatch(file.line(above))
        if item is not None and len(item["indent"]) == indent and item["key"] == match["key"]:
            return Mistake(
                f'"{match["key"]}" begins another item of the list, but has no dash',
                _span(line, match, "key", file),
                f'write "- {file.line(line).strip()}", and indent the other keys of the item by two spaces more',
            )
        if item is not None and len(item["indent"]) == indent:
            return Mistake(
                f'"{match["key"]}" is aligned with a dash, not with the keys of its item',
                _span(line, match, "key", file),
                f'indent it by {len(item["dash"])} spaces more, like "{item["key"]}"',
            )
        if _indent(file.line(above)) <= indent:
            return None
    return None
