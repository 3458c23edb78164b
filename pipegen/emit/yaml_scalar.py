"""YAML scalars that readers of YAML 1.1 (PyYAML, Ruby's Psych) and of YAML 1.2 take for the same value.

Text is plain only where neither version, nor a reader's own extensions, see anything else in it.
"""

import math
import re
from typing import TypeAlias

Scalar: TypeAlias = str | bool | int | float | None

# What a document may not hold, and the line breaks that only one of the two versions knows (NEL, U+2028, U+2029).
# Python calls none of them printable, as most texts are all through.
_UNPRINTABLE = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"
_ESCAPED = rf"[\t\n{_UNPRINTABLE}]"
_FORBIDDEN_IN_BLOCK = rf"[{_UNPRINTABLE}]"

# Null, booleans, merge and value keys, infinities, and all that could be a number or a time somewhere: sexagesimal
# numbers and dates of YAML 1.1, octal ones of 1.2, underscores, Psych's thousands separators.
_RESOLVED = (
    r"(?=[-+.~=<0-9FNOTYfnoty])"  # most begin with none of these
    r"(?ai:(?:~|=|<<|y|n|yes|no|on|off|true|false|null|[-+]?\.(?:inf|nan)"
    r"|[-+]?(?:[0-9]|\.[0-9_e])[-+0-9a-fotxz_.,: ]*)\Z)"
)
# A colon or a number sign only ends a plain scalar beside a blank; in flow style its own punctuation does as well.
# How one starts is looked at ahead: the rest goes through all of it.
_PLAIN_START = rf"(?!{_RESOLVED})(?!(?:---|\.\.\.)(?: |\Z))(?=[^ \-?:,\[\]{{}}#&*!|>'\"%@`]|-(?! |\Z))"
_PLAIN_REST = r"(?:[^:#{0}]++|:(?! |\Z)|(?<! )#)*(?<! )\Z"
_PLAIN = re.compile(_PLAIN_START + _PLAIN_REST.format(rf"\t\n{_UNPRINTABLE}"))
_PLAIN_IN_FLOW = re.compile(_PLAIN_START + _PLAIN_REST.format(rf",?\[\]{{}}\t\n{_UNPRINTABLE}"))
_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
# A literal block finds its indentation by its first line, unless that is stated.
_STARTS_BLANK = re.compile(r"\n*[ \t]")
# Readers look for the colon of a key in 1,024 characters.
_LONGEST_SIMPLE_KEY = 1_000


def write_scalar(value: Scalar, *, in_flow: bool) -> str:
    """Return *value* on one line, as it stands in block style or *in_flow*."""
    if isinstance(value, str):
        return write_text_in_flow(value) if in_flow else write_text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _write_float(value) if isinstance(value, float) else str(value)


def write_text(text: str) -> str:
    """Return *text* on one line in block style: plain where that is safe."""
    return text if _PLAIN.match(text) else _quoted(text)


def write_text_in_flow(text: str) -> str:
    """Return *text* in flow style: plain where that is safe."""
    return text if _PLAIN_IN_FLOW.match(text) else _quoted(text)


def _quoted(text: str) -> str:
    """Return *text* on one line, in the quotes that need the fewest escapes."""
    if _has_escapes(text):
        backslashes_doubled = text.replace("\\", "\\\\")
        return '"{}"'.format(escape(backslashes_doubled.replace('"', '\\"')))
    if '"' in text or "\\" in text:
        return "'{}'".format(text.replace("'", "''"))
    return f'"{text}"'


def write_key(text: str, *, in_flow: bool, indent: str = "") -> str:
    """Return *text* as a key with its colon; one too long to be a simple key opens with `? `."""
    written = write_text_in_flow(text) if in_flow else write_text(text)
    if text == "<<":
        # Psych merges what stands under this key even when it is quoted, unless a tag calls it a string.
        written = f"!!str {written}"
    if len(written) <= _LONGEST_SIMPLE_KEY:
        return f"{written}:"
    return f"? {written} :" if in_flow else f"? {written}\n{indent}:"


def literal_block(text: str, start: str) -> str | None:
    """Return *text* as a literal block whose lines begin with *start*, a line break too; None where none can hold it.

    Text of one line needs none.
    """
    if "\n" not in text or not text.strip(" \t\n"):
        return None
    if not text.replace("\n", "").isprintable() and re.search(_FORBIDDEN_IN_BLOCK, text):
        return None
    indentation = "2" if _STARTS_BLANK.match(text) else ""
    chomping = "-" if text[-1] != "\n" else "+" if text[-2:] == "\n\n" else ""
    lines = [f"{start}{line}" if line else "\n" for line in text.removesuffix("\n").split("\n")]
    return f"|{indentation}{chomping}{''.join(lines)}"


def is_foldable(lines: tuple[str, ...]) -> bool:
    """Return whether *lines*, folded in a block, read back as themselves with one space between each two."""
    return all(line.strip(" \t") == line != "" and not _has_escapes(line) for line in lines)


def _has_escapes(text: str) -> bool:
    return not text.isprintable() and re.search(_ESCAPED, text) is not None


def escape(text: str) -> str:
    """Return *text* with every character that cannot stand on a line of its own replaced by its escape."""
    return re.sub(_ESCAPED, _escape_character, text) if _has_escapes(text) else text


def _escape_character(match: re.Match[str]) -> str:
    """Return the escape of the one character in *match*."""
    code = ord(match[0])
    return _ESCAPES.get(match[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")  # noqa: PLR2004


def _write_float(number: float) -> str:
    """Return *number* with the point that YAML 1.1 asks for."""
    if math.isnan(number):
        return ".nan"
    if math.isinf(number):
        return ".inf" if number > 0 else "-.inf"
    mantissa, exponent, power = repr(number).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{exponent}{power}"
