"""YAML scalars that parsers of YAML 1.1 (PyYAML, Ruby's Psych) and of YAML 1.2 read as the same value.

Text is plain only if no version, and no parser's extension, reads it as another type.
"""

import math
import re
from typing import TypeAlias

Scalar: TypeAlias = str | bool | int | float | None

# Characters that a document must not contain, line breaks of only one version (NEL, U+2028, U+2029), and those that
# change the direction of text, so that a reviewer sees them (CVE-2021-42574). Python considers none of them printable,
# so `isprintable` is a fast first test.
_UNPRINTABLE = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff"
_ESCAPED = rf"[\t\n{_UNPRINTABLE}]"
_FORBIDDEN_IN_BLOCK = rf"[{_UNPRINTABLE}]"

# Null, booleans, merge and value keys, infinities, and text that some parser reads as a number or time: sexagesimal
# numbers and dates of YAML 1.1, octal ones of 1.2, underscores, Psych's thousands separators.
_RESOLVED = (
    r"(?=[-+.~=<0-9FNOTYfnoty])"  # most begin with none of these
    r"(?ai:(?:~|=|<<|y|n|yes|no|on|off|true|false|null|[-+]?\.(?:inf|nan)"
    r"|[-+]?(?:[0-9]|\.[0-9_e])[-+0-9a-fotxz_.,: ]*)\Z)"
)
# A lookahead checks the start of a plain scalar; the rest of the pattern covers the whole text. A colon or number sign
# ends it only next to a blank; in flow style, its punctuation does as well.
_PLAIN = re.compile(
    rf"(?!{_RESOLVED})(?!(?:---|\.\.\.)(?: |\Z))(?=[^ \-?:,\[\]{{}}#&*!|>'\"%@`]|-(?! |\Z))"
    rf"(?:[^:#\t\n{_UNPRINTABLE}]++|:(?! |\Z)|(?<! )#)*(?<! )\Z"
)
_FLOW_PUNCTUATION = re.compile(r"[,?\[\]{}]")
_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
# A literal block takes its indentation from its first line unless it has an indicator.
_STARTS_BLANK = r"\n*[ \t]"
# Parsers require the colon of a simple key within 1,024 characters.
_LONGEST_SIMPLE_KEY = 1_000


def write_scalar(value: Scalar, *, in_flow: bool) -> str:
    """Return *value* on one line, for block style or *in_flow*."""
    if isinstance(value, str):
        return write_text_in_flow(value) if in_flow else write_text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _write_float(value) if isinstance(value, float) else str(value)


def write_text(text: str) -> str:
    """Return *text* on one line for block style: plain if that is safe."""
    return text if _PLAIN.match(text) else _quoted(text)


def write_text_in_flow(text: str) -> str:
    """Return *text* for flow style: plain if that is safe."""
    return text if _PLAIN.match(text) and not _FLOW_PUNCTUATION.search(text) else _quoted(text)


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
        # Psych merges the value of this key even if it is quoted, unless it has the tag of a string.
        written = f"!!str {written}"
    if len(written) <= _LONGEST_SIMPLE_KEY:
        return f"{written}:"
    return f"? {written} :" if in_flow else f"? {written}\n{indent}:"


def literal_block(text: str, start: str) -> str | None:
    """Return *text* as a literal block whose lines begin with *start* (with a line break); None if impossible.

    Text with one line needs no block.
    """
    if "\n" not in text or not text.strip(" \t\n"):
        return None
    if not text.replace("\n", "").isprintable() and re.search(_FORBIDDEN_IN_BLOCK, text):
        return None
    indentation = "2" if re.match(_STARTS_BLANK, text) else ""
    chomping = "-" if text[-1] != "\n" else "+" if text[-2:] == "\n\n" else ""
    lines = [f"{start}{line}" if line else "\n" for line in text.removesuffix("\n").split("\n")]
    return f"|{indentation}{chomping}{''.join(lines)}"


def is_foldable(lines: tuple[str, ...]) -> bool:
    """Return whether *lines*, folded in a block, are read back joined by single spaces."""
    return all(line.strip(" \t") == line != "" and not _has_escapes(line) for line in lines)


def _has_escapes(text: str) -> bool:
    return not text.isprintable() and re.search(_ESCAPED, text) is not None


def escape(text: str) -> str:
    """Return *text* with all characters that are not allowed within a line escaped."""
    return re.sub(_ESCAPED, _escape_character, text) if _has_escapes(text) else text


def _escape_character(match: re.Match[str]) -> str:
    """Return the escape of the one character in *match*."""
    code = ord(match[0])
    return _ESCAPES.get(match[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")  # noqa: PLR2004


def _write_float(number: float) -> str:
    """Return *number* with the decimal point that YAML 1.1 requires."""
    if math.isnan(number):
        return ".nan"
    if math.isinf(number):
        return ".inf" if number > 0 else "-.inf"
    mantissa, exponent, power = repr(number).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{exponent}{power}"
