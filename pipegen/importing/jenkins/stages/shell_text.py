"""The text of commands: open quotes, variables that they set, and failures that a shell ignores."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Text that the shell does not read as commands, a comment, a group of commands, and a line break within a command.
_HIDDEN = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")
# Text of which only quotes can be open at the end: a group of the match is the closing quote.
_QUOTED = re.compile(r"\\.|(?<!\S)#[^\n]*|'[^']*(')?|\"(?:\\.|[^\"\\])*(\")?", re.DOTALL)
_GROUP = re.compile(r"\$?\([^()]*\)|\[\[ [^\n]*? \]\]")
_CONTINUED = re.compile(r"(?<=[&|])[ \t]*\n")
# The end of a command that others follow, and the last words of compound commands.
_SEPARATOR = re.compile(r"[;\n]|(?<![&>])&(?![&>])")
_ENDS = frozenset({"fi", "done", "esac", "}"})
# The value of a variable, and a command after it, for which alone the variable is set.
_VALUE = (
    r"(?:\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|[^\s;&|()'\"\\])*"
    r"(?P<command>[ \t]+[^\s;&|#)])?"
)
_DECLARES = r"(?:export|local|readonly|declare|typeset)\s"
_REPEATS = re.compile(r"\b(?:for|while|until)\b")
# A command that removes files, with its words; `git clean` may remove any.
_REMOVING = re.compile(
    r"(?:^|[;&|({]|\b(?:then|do|else|sudo)\b)[ \t]*(?:rm(?P<words>[ \t][^\n;&|)}]*)|git[ \t]+clean\b)", re.MULTILINE
)
# The start of a path in the workspace.
_HERE = r"(?:\./|\"?\$\{?WORKSPACE\}?\"?/)"
_REMOVES_ALL = re.compile(
    rf"(?:sudo[ \t]+)?(?:rm[ \t]+-[rRf]+[ \t]+{_HERE}?\*(?:[ \t]+{_HERE}?\.\S*\*)*|git[ \t]+clean[ \t]+-[dfx]+)"
)


def open_quote(text: str) -> str:
    """Return the quote that is open at the end of the commands *text*; "" outside quotes."""
    quote = ""
    for match in _QUOTED.finditer(text):
        quote = match[0][0] if match[0][0] in "'\"" and match.lastindex is None else ""
    return quote


def has_open_quote(text: str) -> bool:
    """Return whether a quote is open at the end of a line of the commands *text*, except the last."""
    return any(match[0][0] in "'\"" and "\n" in match[0] for match in _QUOTED.finditer(text))


def setting_of(text: str, name: str) -> int | None:
    """Return the offset from which *name* may have a value that the commands *text* set; None if they set none.

    That is the start if the commands may be in a loop. In *text*, Groovy inserts the variable where it is `${name-}`.
    """
    if name not in text:
        return None
    own = rf"(?:\"?\$\{{?{name}\b-?\}}?\"?|'\$\{{{name}-\}}')(?:[\s;&|)]|\Z)"
    assigned = re.compile(
        rf"(?:^|[;&|({{]|\b(?:then|do|else)\b|(?P<declares>{_DECLARES}))[ \t]*(?:\w+=[^\s;&|'\"]*[ \t]+)?"
        rf"{name}\+?=(?!{own}){_VALUE}",
        re.MULTILINE,
    )
    ends = [match.end() for match in assigned.finditer(text) if match["declares"] or not match["command"]]
    named = re.search(rf"\b(?:for|unset)[ \t]+{name}\b|\bread\b[^;\n|&]*\b{name}\b", text)
    if named is not None:
        ends.append(named.end())
    return None if not ends else 0 if _REPEATS.search(text, 0, min(ends)) else min(ends)


def removes_all(text: str) -> bool:
    """Return whether the command *text* only removes the files of the workspace."""
    return _REMOVES_ALL.fullmatch(text) is not None


def removed_paths(text: str) -> Iterator[str]:
    """Yield the paths that the commands *text* remove; "" stands for any path."""
    for match in _REMOVING.finditer(text):
        words = re.sub(r"['\"]", "", match["words"] or "*").split()
        yield from (re.sub(rf"^{_HERE}", "", word) for word in words if not word.startswith("-"))


def may_fail_unnoticed(text: str) -> bool:
    """Return whether a shell that stops at errors continues after a failure of the last of the commands *text*.

    It does after `a && b` if the first part fails, and after `! a`. A step `sh` of its own fails then.
    """
    last = _last_command(text)
    if re.split(r"\s", last, maxsplit=1)[0] in _ENDS:
        return "&&" in text
    return last.startswith("! ") or "&&" in last.rpartition("||")[2]


def _last_command(text: str) -> str:
    """Return the last of the commands *text*, with one letter for all that is in quotes and parentheses."""
    bare = _HIDDEN.sub("x", _COMMENT.sub("", _HIDDEN.sub(_without_signs, text)))
    while (outer := _GROUP.sub("x", bare)) != bare:
        bare = outer
    lines = _CONTINUED.sub(" ", bare.strip()).split("\n")
    document = next((line for line in lines if "<<" in line), lines[-1])
    return _SEPARATOR.split(document.rstrip("; "))[-1].strip()


def _without_signs(match: re.Match[str]) -> str:
    return re.sub(r"[#()&|;]", "x", match[0])
