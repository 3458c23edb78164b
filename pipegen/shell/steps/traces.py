"""What can be told of a user's commands by their text alone; where that is in doubt, the careful answer is given."""

from __future__ import annotations

import re

# What sets variables, functions and options, moves, or ends the shell; what does so under a name that only the run
# knows; and lists and negations, whose failure does not end a shell that has -e, but is the status of its last command.
_BUILTINS = (
    r"cd|pushd|popd|exit|exec|set|shopt|trap|\.|source|eval|return|unset|readonly|export|declare|typeset|local|"
    r"alias|unalias|hash|enable|command|builtin|read|mapfile|readarray|getopts|for|select|let|umask|ulimit|function|coproc"
)
# Where a command may begin: not behind the name of a program, as in `kubectl set image`.
_COMMAND_START = (
    r"""(?:^|[;&|(){}!`\\"']|\b(?:if|elif|while|until|then|else|do|time|command|builtin|in)\s"""
    r"""|\b[A-Za-z_]\w*=\S*\s|[<>]&?[ \t]*\S+\s)\s*"""
)
_TRACES = re.compile(
    rf"""
    {_COMMAND_START}(?:{_BUILTINS})(?:$|[\s;&|)}}`"'])
    | (?:^|[\s;&|(){{}}`])[A-Za-z_][A-Za-z0-9_]*(?:\[[^]]*\])?\+?=
    | \(\s*\) | \(\( | \$\{{[A-Za-z_][A-Za-z0-9_]*:?= | \bprintf\s+-v
    | (?:^|[;&|({{!`]|\b(?:then|do|else)\b)\s*"?\$
    | && | \|\| | (?:^|[\s;(])!\s
    """,
    re.MULTILINE | re.VERBOSE,
)
_NOUNSET = re.compile(rf"{_COMMAND_START}set\b[^\n;]*u", re.MULTILINE)
# Without one of these signs and words nothing above is there; to look for them takes a quarter of the time.
_SIGNS = re.compile(r"[=(){}!&|;`]")
_EXPANDED_FIRST = re.compile(r'^\s*"?\$', re.MULTILINE)
_WORDS = frozenset(_BUILTINS.replace("\\.", ".").split("|"))
_EXPANDED_NEXT = r'printf|(?:then|do|else)\s*"?\$'
_LIST = re.compile(r"[;\n]|(?<!&)&(?!&)")
# A line whose quotes are all closed, and that does not go on in the next one but between two words.
_CLOSED = re.compile(
    r"""(?:[^'"\\`$]|\\.|\$(?!['"])|'[^']*'|"(?:[^"\\`$]|\\.|\$(?!\())*")*?(?:(?<=[ \t])\\)?""",
)


def leaves_traces(text: str) -> bool:
    """Return whether commands of ours that come after *text* in its shell might tell."""
    words = text.replace('"', " ").replace("'", " ").replace("\\", " ").split()
    if not _SIGNS.search(text) and not _EXPANDED_FIRST.search(text) and _WORDS.isdisjoint(words):
        may_be_next = "printf" in text or "then" in text or "do" in text or "else" in text
        if not may_be_next or not re.search(_EXPANDED_NEXT, text):
            return False
    return _TRACES.search(text) is not None


def sets_nounset(text: str) -> bool:
    """Return whether *text* may have the shell refuse variables that are not set."""
    return "set" in text and _NOUNSET.search(text) is not None


def is_open_ended(text: str) -> bool:
    """Return whether *text* may hold several commands, so that one but the last may fail."""
    return _LIST.search(text) is not None


def indentable(text: str) -> tuple[str, ...]:
    """Return *text* in lines that may be indented; in one piece where a quote or a here-document may span lines."""
    if "\n" not in text or "<<" in text:
        return (text,)
    lines = text.split("\n")
    return tuple(lines) if all(map(_CLOSED.fullmatch, lines)) else (text,)
