"""Random edits of a config, similar to typos, bad merges and bugs of tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

Edit = Callable[[list[str], Random, Sequence[str]], list[str]]

# Replacements of a value: another type, a word of YAML 1.1, a reference, an indicator, a control character.
VALUES = (
    *("", "~", "null", "true", "no", "on", "0", "-1", "1e9999", "0x1F", "0o17", "1_000", "12:30:45", ".nan", "-.inf"),
    *("2001-01-01", "2001-01-01T00:00:00Z", "9" * 5000, "1." + "0" * 400, "[]", "{}", "[[]]", "[a, [b, [c]]]"),
    *("{a: 1}", "{? [a] : b}", "''", '""', "'it''s'", '"\\0"', '"\\ud800"', '"\\u2028"', "|", ">-", "|2", "- a", "&a"),
    *("*a", "&a [*a]", "!!python/object:os.system x", "!!binary aGk=", "!!set {a}", "!x y", "<<: *a", "@a", "`a`", "%"),
    *("${a.b}", "${.a}", "${setup.branch}", "${a.b|${c.d}}", "${", "$${a.b}", "${matrix.a}", "{$each: '${a.b}'}"),
    *("{$merge: [], $with: []}", "$[[ inputs.a ]]", "{{ a }}", "{% a %}", "x" * 65_536, "../../../etc/passwd", "-x"),
    *("\u202e\u2066", "\u2028", "\ufeff", "\x07", "\x00", "\u0000\ud7ff", "\U0001f4a9", "setup", "teardown", "<<"),
)
PIECES = (
    *(":", ": ", "-", "- ", "? ", '"', "'", "[", "]", "{", "}", ",", "#", " #", "|", ">", "|-\n", "&a ", "*a ", "<<: "),
    *("!x ", "%", "\\", "\n", "\n\n", "  ", "\t", "---\n", "...\n", "\r\n", "\r", "\x07", "\ufeff", "\u2028", "\x85"),
    *("${", "}", "$(", "`", "<<EOF\n", "$each: ", "extends: ", "when: ", "matrix: ", "script: ", "retry: ", "- name: "),
)


def edited(text: str, dice: Random, others: Sequence[str]) -> tuple[bytes, tuple[str, ...]]:
    """Return *text*, as bytes, after one to three edits, and their names; *others* are texts to insert from."""
    lines, values = text.splitlines(keepends=True), []
    for _ in range(dice.choice((1, 1, 2, 3))):
        edit = dice.choice(EDITS)
        lines = edit(lines, dice, others) if lines else lines
        values.append(edit.__name__.strip("_"))
    data = "".join(lines).encode("utf-8", "surrogatepass")
    if dice.random() < 1 / 25:
        data, values = _garbled(data, dice), [*values, "garbled"]
    return data, tuple(values)


def _dropped(lines: list[str], dice: Random, _: Sequence[str]) -> list[str]:
    at = dice.randrange(len(lines))
    return lines[:at] + lines[at + dice.choice((1, 1, 1, 4)) :]


def _repeated(lines: list[str], dice: Random, _: Sequence[str]) -> list[str]:
    start, at = dice.randrange(len(lines)), dice.randrange(len(lines))
    again = lines[start : start + dice.choice((1, 1, 3, 10))]
    return lines[: start + 1] + again + lines[start + 1 :] if dice.random() < 1 / 2 else lines[:at] + again + lines[at:]


def _retyped(lines: list[str], dice: Random, _: Sequence[str]) -> list[str]:
    """Replace the value of a key or an item, or rename a key."""
    at, value = dice.randrange(len(lines)), dice.choice(VALUES)
    line = lines[at].rstrip("\n")
    head, colon, rest = line.partition(": ") if ": " in line else line.partition(":")
    blanks = line[: len(line) - len(line.lstrip())]
    if colon and dice.random() < 3 / 4:
        line = f"{head}: {value}"
    elif colon:
        line = f"{blanks}{value}: {rest}"
    elif line.lstrip().startswith("- "):
        line = f"{blanks}- {value}"
    else:
        line = f"{blanks}{value}"
    return [*lines[:at], f"{line}\n", *lines[at + 1 :]]


def _reindented(lines: list[str], dice: Random, _: Sequence[str]) -> list[str]:
    start = dice.randrange(len(lines))
    end = start + dice.choice((1, 1, 3, len(lines)))
    change = dice.choice((-4, -2, -1, 1, 2, 4))
    moved = [" " * change + line if change > 0 else line[min(-change, _indent(line)) :] for line in lines[start:end]]
    return lines[:start] + moved + lines[end:]


def _swapped(lines: list[str], dice: Random, _: Sequence[str]) -> list[str]:
    number, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    swapped = list(lines)
    swapped[number], swapped[other] = lines[other], lines[number]
    return swapped


def _truncated(lines: list[str], dice: Random, _: Sequence[str]) -> list[str]:
    text = "".join(lines)
    return text[: dice.randrange(len(text) + 1)].splitlines(keepends=True)


def _spliced(lines: list[str], dice: Random, others: Sequence[str]) -> list[str]:
    other = dice.choice(others).splitlines(keepends=True)
    return lines[: dice.randrange(len(lines) + 1)] + other[dice.randrange(len(other) + 1) :]


def _pierced(lines: list[str], dice: Random, _: Sequence[str]) -> list[str]:
    """Replace up to three characters by text with a meaning in YAML or in the language."""
    text = "".join(lines)
    at = dice.randrange(len(text) + 1)
    return (text[:at] + dice.choice(PIECES) + text[at + dice.randrange(4) :]).splitlines(keepends=True)


def _renamed(lines: list[str], dice: Random, others: Sequence[str]) -> list[str]:
    """Replace a word by a word of this or another config."""
    words = "".join(lines).split()
    if not words:
        return lines
    old, new = dice.choice(words), dice.choice(dice.choice((words, dice.choice(others).split() or words)))
    return "".join(lines).replace(old, new, dice.choice((1, -1))).splitlines(keepends=True)


def _garbled(data: bytes, dice: Random) -> bytes:
    """Return *data* with a changed byte, in another encoding, or after a byte order mark."""
    mark = dice.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b""))
    if mark or not data:
        return mark + data
    at = dice.randrange(len(data))
    return data[:at] + bytes([dice.randrange(256)]) + data[at + dice.randrange(2) :]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


EDITS: tuple[Edit, ...] = (
    *(_dropped, _repeated, _retyped, _retyped, _reindented, _swapped),
    *(_truncated, _spliced, _pierced, _renamed),
)
