"""Properties of a user's commands, judged by their text alone; in doubt, the answer is the safe one."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Builtins that set variables, functions and options, change the directory, or end the shell. The pattern below also
# has commands whose name is a run-time value.
_BUILTINS = (
    r"cd|pushd|popd|exit|exec|set|shopt|trap|\.|source|eval|return|unset|readonly|export|declare|typeset|local|"
    r"alias|unalias|hash|enable|command|builtin|read|mapfile|readarray|getopts|for|select|let|umask|ulimit|function|coproc"
)
_AFTER_WORDS = (
    r"""\b(?:if|elif|while|until|then|else|do|time|command|builtin|in)\s"""
    r"""|[<>]&?[ \t]*(?:'[^']*'|"[^"]*"|[^\s'"])+\s"""
)
# Where a command may begin: not after the name of a program, as in `kubectl set image`, or after an option, as in
# `tar --exclude=.git .`.
_COMMAND_START = rf"""(?:^|[;&|(){{}}!`\\"']|{_AFTER_WORDS}|(?<![-./:@%+,])\b[A-Za-z_]\w*=\S*\s)\s*"""
# Where variables are set: not after an argument, as in `make -C "$dir" A=1`. Other variables follow the first.
_ASSIGNMENT_START = rf"(?:^|[;&|(){{}}!`\\]|{_AFTER_WORDS})\s*"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
# A value without commands, up to the next word.
_VALUE = r"""(?:[\w./:@%,+=~-]|\$\w++|\$\{\w+\}|'[^'\n]*'|"(?:[^"`\\$\n]|\$\w++|\$\{\w+\})*")*[ \t]+"""
# What follows the name and `=` of one of a few variables that only a program gets, as in `CGO_ENABLED=0 go build`.
_OF_A_PROGRAM = rf"{_VALUE}(?:{_NAME}={_VALUE}){{0,20}}(?!{_NAME}(?:\[|\+?=))(?:[A-Za-z/]|\.\S)"
# A dot alone is a folder, as in `docker build -t "$TAG" .`.
_TRACES = rf"""(?mx)
    {_COMMAND_START}(?!(?<=["'][ \t])\.[ \t]*(?:$|[-;&|()<>]))(?:{_BUILTINS})(?:$|[\s;&|)<>}}`"'])
    | {_ASSIGNMENT_START}{_NAME}(?:\[[^]]*\]|(?!={_OF_A_PROGRAM}))\+?=
    | \(\s*\) | \(\( | \$\{{[A-Za-z_][A-Za-z0-9_]*:?= | \bprintf\s+-v
    | (?:^|[;&|({{!`]|\b(?:then|do|else)\b)\s*"?\$
"""
_LIST_OR_NEGATION = re.compile(r"&&|\|\||(?:^|[\s;(])![\s(]", re.MULTILINE)
_NOUNSET = rf"{_COMMAND_START}set\b[^\n;]*u"
_SIGNALS = rf"{_COMMAND_START}(?:trap|exec)\b"
# Text without these signs and words does not match; to look for them takes a quarter of the time.
_SIGNS = frozenset("=(){}!&|;`")
_REDIRECTION = re.compile(r"[a-z.][<>]")
_EXPANDED_FIRST = re.compile(r'^\s*"?\$', re.MULTILINE)
_WORDS = frozenset(_BUILTINS.replace("\\.", ".").split("|"))
_EXPANDED_NEXT = r'printf|(?:then|do|else)\s*"?\$'
_LIST = re.compile(r"[;\n]|(?<!&)&(?!&)")
# A line whose quotes are all closed, and which continues on the next line only between two words.
# A command in quoted text has no other command in it, and neither a comment nor the pattern of a case.
_CLOSED = r"""(?x)
    (?:[^'"\\`$]|\\.|\$(?!['"])|'[^']*'
    | "(?:[^"\\`$]|\\.|\$(?!\()
        | \$\((?:(?!\bcase\b)[^'"\\`$()\#]|\$(?!['"(])|'[^']*'|"(?:[^"\\`$]|\\.|\$(?!\())*")*\)
      )*"
    )*?(?:(?<=[ \t])\\)?
"""
# Text whose quotes are all closed, without a sign outside them. Comments and here-documents may contain one quote.
_WITHOUT = (
    r"""(?![\s\S]*<<)(?:[^'"\\`$#{}]|(?<=[\w./:@%=-])#|\\.|\$(?!['"({{])|\$\{{\w+\}}|'[^']*'"""
    r"""|"(?:[^"\\`$]|\\.|\$(?![({{])|\$\{{\w+\}})*")*"""
)
_UNREDIRECTED, _UNPIPED, _SINGLE = _WITHOUT.format(">"), _WITHOUT.format("|"), _WITHOUT.format(";&\n")
_ONLY_COMMENTS = r"(?:[ \t]*(?:#.*)?(?:\n|$))*"
# The end of two lines of which the second belongs to a command that begins before it.
_PART_OF_COMMAND = r"(?:(?:&&|\|)[ \t]*(?:#.*)?\n\s*.*|\n\s*(?:(?:fi|else|elif|done|esac)\b|[)}]).*)\Z"
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")


def may_change_shell(text: str) -> bool:
    """Return whether *text* may change its shell in a way that affects later commands."""
    words = text.replace('"', " ").replace("'", " ").replace("\\", " ").split()
    has_signs = not _SIGNS.isdisjoint(text) or (("<" in text or ">" in text) and _REDIRECTION.search(text))
    if not has_signs and _WORDS.isdisjoint(words) and not ("$" in text and _EXPANDED_FIRST.search(text)):
        may_be_next = "printf" in text or "then" in text or "do" in text or "else" in text
        if not may_be_next or not re.search(_EXPANDED_NEXT, text):
            return False
    return re.search(_TRACES, text) is not None


def may_affect_followers(lines: Sequence[str]) -> bool:
    """Return whether *lines* may change their shell, or end with a failure that does not end it."""
    if any(map(may_change_shell, lines)):
        return True
    if not any(map(may_pass_failures, lines)):
        return False
    commands = [line for line in lines if not is_comment(line)]
    is_part = re.search(_PART_OF_COMMAND, "\n".join(commands[-2:])) is not None
    return any(map(may_pass_failures, commands if is_part else commands[-1:]))


def is_comment(text: str) -> bool:
    """Return whether *text* has no commands."""
    return re.fullmatch(_ONLY_COMMENTS, text) is not None


def may_pass_failures(text: str) -> bool:
    """Return whether *text* may have a list or a negation, whose failure ends no shell with -e.

    It is the status of the shell if they are its last command.
    """
    return ("&" in text or "|" in text or "!" in text) and _LIST_OR_NEGATION.search(text) is not None


def sets_nounset(text: str) -> bool:
    """Return whether *text* may set `nounset`."""
    return "set" in text and re.search(_NOUNSET, text, re.MULTILINE) is not None


def may_catch_signals(text: str) -> bool:
    """Return whether *text* may have a command with which its shell ends with status 0 when it is asked to stop."""
    return ("trap" in text or "exec" in text) and re.search(_SIGNALS, text, re.MULTILINE) is not None


def may_redirect(text: str) -> bool:
    """Return whether *text* may redirect its own output."""
    return ">" in text and re.fullmatch(_UNREDIRECTED, text) is None


def may_pipe(text: str) -> bool:
    """Return whether *text* may contain a pipeline."""
    return "|" in text and _PIPE.search(text) is not None and re.fullmatch(_UNPIPED, text) is None


def is_open_ended(text: str) -> bool:
    """Return whether *text* may contain several commands, so that one before the last may fail."""
    return _LIST.search(text) is not None and re.fullmatch(_SINGLE, text) is None


def indentable(text: str) -> tuple[str, ...]:
    """Return *text* in lines that may be indented; in one piece if a quote or here-document may span lines."""
    if "\n" not in text or "<<" in text:
        return (text,)
    lines = text.split("\n")
    return tuple(lines) if all(map(re.compile(_CLOSED).fullmatch, lines)) else (text,)
