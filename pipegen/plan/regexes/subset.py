"""Regular expressions that all engines read alike: the common subset of RE2, Java and Python."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

from pipegen.structs import MutableStruct

_QUANTIFIER = r"[*+?]|\{([0-9]+)(,([0-9]*))?\}"
_MOST_REPEATS = 1000
_DEEPEST = 50
# Escapes of single characters and of ASCII character classes with the same meaning in all engines.
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_KINDS = "dDwW"
_BLANKS = r"\t\n\f\r "
_ANCHORS = {"A": "^", "z": "$"}
_SPECIAL = frozenset(r"\^$.|?*+()[]{}")
_SPECIAL_IN_CLASS = frozenset(r"\]^-[&~|$")
_SHOWN = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\f": r"\f"}
_GROUPS = {
    "(?=": "looks ahead",
    "(?!": "looks ahead",
    "(?<=": "looks behind",
    "(?<!": "looks behind",
    "(?>": "prevents backtracking",
    "(?P": "has a name",
    "(?<": "has a name",
}


# What Python accepts in a regular expression, and RE2 does not: https://github.com/google/re2/wiki/Syntax
_PART = r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:P.|<.|[a-zA-Z-]*.)|(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\+?|."
_NOT_IN_RE2 = r"\\[1-9ZuUN]|\(\?(?:P[=>]|<[=!]|[imsU-]*[^imsUP<:)-])|(?:[*+?]|\{[0-9,]+\})\+"

# What RE2 accepts, and Python does not, with what Python accepts in its place: anchors are repeated, among others.
_ONLY_IN_RE2 = (
    (r"\[\^?\]?(?:\\[^pPx]|[^\]\\])*\\[pPx](?:\\.|[^\]\\])*\]", "a"),
    (r"\\Q.*?(?:\\E|$)|\\x\{[0-9a-fA-F]+\}|\\[pP](?:\{\^?\w+\}|\w)|\\[CzbBA]|[$^]|\{,[0-9]+\}", "a"),
    (r"\(\?<(?=\w)", "(?P<"),
    (r"\(\?[imsU]*(?:-[imsU]+)?:", "(?:"),
    (r"\(\?[imsU]*(?:-[imsU]+)?\)", "(?:)"),
)
_PARTS = "|".join(f"(?P<part{number}>{part})" for number, (part, _) in enumerate(_ONLY_IN_RE2))
_UNCHANGED = r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]"


class RegexError(Exception):
    """A part of a regular expression, from *start* to *end*, that is invalid or that some engine lacks."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


@lru_cache(maxsize=1000)
def portable_regex(source: str) -> str:
    """Return *source* in the form that all engines read alike; raise `RegexError` if there is none."""
    flag = "(?i)" if source.startswith("(?i)") else ""
    reader = _Reader(source, len(flag))
    regex = reader.alternatives()
    if reader.at < len(source):
        raise RegexError('this ")" has no opening "("', reader.at, reader.at + 1)
    return flag + regex


def _unknown_to_re2(source: str) -> str:
    """Return a part of *source*, which Python accepts, that RE2 does not; empty if RE2 accepts all of it."""
    for token in (match[0] for match in re.finditer(_PART, source, re.DOTALL)):
        counts = re.fullmatch(_QUANTIFIER, token)
        is_too_often = counts is not None and any(int(count or 0) > _MOST_REPEATS for count in counts.group(1, 3))
        if is_too_often or re.match(_NOT_IN_RE2, token):
            return token
    return ""


def refused_by_re2(source: str) -> str:
    """Return why RE2 refuses *source*, "" if it accepts it, or only RE2 itself knows."""
    python = re.sub(rf"{_PARTS}|{_UNCHANGED}", _in_python, source, flags=re.DOTALL)
    if unknown := _unknown_to_re2(python):
        return f'it does not support "{unknown}"'
    try:
        with warnings.catch_warnings(action="ignore", category=FutureWarning):
            re.compile(python)
    except RecursionError:
        return "too many nested groups"
    except (re.error, OverflowError) as error:
        return str(error)
    return ""


def _in_python(match: re.Match[str]) -> str:
    """Return what Python accepts in place of a part that only RE2 accepts."""
    group = match.lastgroup
    return match[0] if group is None else _ONLY_IN_RE2[int(group.removeprefix("part"))][1]


class _Reader(MutableStruct):
    """Reads a regular expression from *at*.

    *repeats* is the product of nested repetition counts in the part read last.
    """

    source: str
    at: int
    depth: int = 0
    repeats: int = 1

    def alternatives(self) -> str:
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        return "|".join(parts)

    def _sequence(self) -> str:
        atoms = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            atoms.append(self._repeated())
        return "".join(atoms)

    def _repeated(self) -> str:
        start, previous = self.at, self.repeats
        self.repeats = 1
        atom, is_anchor = self._atom()
        quantifier = re.compile(_QUANTIFIER).match(self.source, self.at)
        if quantifier is None:
            self.repeats = max(self.repeats, previous)
            return atom
        if is_anchor:
            raise RegexError("an anchor cannot be repeated", start, quantifier.end())
        self._check_counts(quantifier)
        self.repeats = max(self.repeats, previous)
        self.at = quantifier.end()
        lazy = "?" if self._take("?") else ""
        if re.compile(_QUANTIFIER).match(self.source, self.at):
            raise RegexError("not every engine has this quantifier", quantifier.start(), self.at + 1)
        return f"{atom}{quantifier[0]}{lazy}"

    def _check_counts(self, quantifier: re.Match[str]) -> None:
        # Python refuses to convert thousands of digits.
        counts = [int(number[:9]) for number in (quantifier[1], quantifier[3]) if number]
        if any(count > _MOST_REPEATS for count in counts) or counts != sorted(counts):
            message = f"counts are in ascending order and at most {_MOST_REPEATS}"
            raise RegexError(message, quantifier.start(), quantifier.end())
        # RE2 multiplies nested counts (its RepetitionWalker).
        self.repeats *= max(1, *counts) if counts else 1
        if self.repeats > _MOST_REPEATS:
            message = f"nested counts multiply to more than {_MOST_REPEATS} repetitions"
            raise RegexError(message, quantifier.start(), quantifier.end())

    def _atom(self) -> tuple[str, bool]:
        """Return the next atom, and whether it is an anchor."""
        start, character = self.at, self.source[self.at]
        self.at += 1
        match character:
            case "(":
                return self._group(start), False
            case "[":
                return self._class(start), False
            case "\\":
                return self._escape(start)
            case "^" | "$":
                return character, True
            case ".":
                return character, False
            case "*" | "+" | "?":
                raise RegexError("there is nothing to repeat here", start, self.at)
            case "{" | "}":
                raise RegexError(f'write "\\{character}" for the character itself', start, self.at)
        return _literal(character, _SPECIAL), False

    def _group(self, start: int) -> str:
        opening = "("
        if self.source.startswith("?", self.at):
            if not self.source.startswith("?:", self.at):
                opening_text = next((text for text in _GROUPS if self.source.startswith(text, start)), None)
                reason = f"this group {_GROUPS[opening_text]}" if opening_text else "this group has options"
                raise RegexError(f"{reason}, which not every engine supports", start, self.at + 1)
            self.at += 2
            opening = "(?:"
        if self.depth == _DEEPEST:
            raise RegexError(f"more than {_DEEPEST} nested groups", start, start + 1)
        self.depth += 1
        body = self.alternatives()
        self.depth -= 1
        if not self._take(")"):
            raise RegexError('this "(" is never closed', start, start + 1)
        return f"{opening}{body})"

    def _escape(self, start: int) -> tuple[str, bool]:
        if self.source[self.at : self.at + 1] in ("s", "S"):
            sign = "^" if self.source[self.at] == "S" else ""
            self.at += 1
            return f"[{sign}{_BLANKS}]", False
        if self.source[self.at : self.at + 1] in _ANCHORS and self.at < len(self.source):
            self.at += 1
            return _ANCHORS[self.source[self.at - 1]], True
        kind, character = self._escaped(start)
        return (kind, False) if kind else (_literal(character, _SPECIAL), False)

    def _escaped(self, start: int) -> tuple[str, str]:
        """Return the character class of an escape, or else its character."""
        if self.at == len(self.source):
            raise RegexError('nothing follows this "\\"', start, self.at)
        letter = self.source[self.at]
        self.at += 1
        if letter in _KINDS:
            return f"\\{letter}", ""
        if letter in _CHARACTERS:
            return "", _CHARACTERS[letter]
        if letter == "x" and (code := re.compile("[0-9a-fA-F]{2}").match(self.source, self.at)):
            self.at = code.end()
            return "", chr(int(code[0], 16))
        if letter.isalnum():
            raise RegexError(f'not every engine reads "\\{letter}" alike', start, self.at)
        return "", letter

    def _class(self, start: int) -> str:
        sign = "^" if self._take("^") else ""
        members: list[str] = []
        while not (members and self.source.startswith("]", self.at)):
            if self.at >= len(self.source):
                raise RegexError('this "[" is never closed', start, start + 1)
            members.append(self._member())
        self.at += 1
        return f"[{sign}{''.join(members)}]"

    def _member(self) -> str:
        """Return the next character, range or character class of a bracket expression."""
        start = self.at
        if self.source.startswith("[:", start):
            raise RegexError("not every engine has named classes", start, start + 2)
        first, kind = self._class_character()
        if kind:
            return kind
        following = self.source[self.at : self.at + 2]
        if not following.startswith("-") or following in ("-", "-]"):
            return _literal(first, _SPECIAL_IN_CLASS)
        self.at += 1
        last, kind = self._class_character()
        if kind or last < first:
            raise RegexError("a range starts with the lower character", start, self.at)
        return f"{_literal(first, _SPECIAL_IN_CLASS)}-{_literal(last, _SPECIAL_IN_CLASS)}"

    def _class_character(self) -> tuple[str, str]:
        start, character = self.at, self.source[self.at]
        self.at += 1
        if character != "\\":
            return character, ""
        if self._take("s"):
            return "", _BLANKS
        kind, character = self._escaped(start)
        return character, kind

    def _take(self, text: str) -> bool:
        is_here = self.source.startswith(text, self.at)
        self.at += len(text) if is_here else 0
        return is_here


def _literal(character: str, special: frozenset[str]) -> str:
    if character in special:
        return f"\\{character}"
    return _SHOWN.get(character) or (f"\\x{ord(character):02x}" if ord(character) < ord(" ") else character)
