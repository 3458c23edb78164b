"""What the shells' own commands and variables evaluate: names of variables, numbers, and text with commands in it."""

from __future__ import annotations

from pipegen.structs import Struct


class Names(Struct):
    """How a builtin takes names of variables: all operands from number *first* on, if any.

    So are the words that *named* options take; *valued* options take other text. Options are letters.
    """

    first: int | None = 0
    named: str = ""
    valued: str = ""


# A name may have a subscript, which is worked out, and runs the commands in it.
NAMES: dict[str, Names] = {
    "read": Names(named="a", valued="dinNptu"),
    "mapfile": Names(named="C", valued="dnOsuc"),
    "readarray": Names(named="C", valued="dnOsuc"),
    "unset": Names(),
    "getopts": Names(first=1),
    "printf": Names(first=None, named="v"),
    "wait": Names(first=None, named="p"),
    "let": Names(),
    # What completes command lines takes commands, and words that it expands again.
    "compgen": Names(named="ACFGPSWX"),
    "complete": Names(named="ACFGPSWX"),
    "compopt": Names(),
    "bind": Names(named="xfmqru"),
    "fc": Names(named="e"),
}
# Of these, a value for an option's argument or an operand may be an option that takes a name: `-va[…]`.
OPTION_READERS = {"printf", "wait"}
TESTS = {"test", "["}
NAME_TESTS = {"-v", "-R"}
# What declares variables.
DECLARERS = {"declare", "typeset", "local", "export", "readonly"}
# Variables whose values bash works out as numbers, however they get one, and those that it expands.
_NUMBERS = (
    "BASHPID BASH_MONOSECONDS BASH_SUBSHELL EPOCHREALTIME EPOCHSECONDS HISTCMD LINENO OPTIND RANDOM SECONDS SRANDOM"
)
_EXPANDED = "BASH_ALIASES BASH_CMDS BASH_ENV PROMPT_COMMAND PS0 PS1 PS2 PS4"
EVALUATED_VARIABLES = frozenset([*_NUMBERS.split(), *_EXPANDED.split()])
# What a shell expands when it is interactive; a name that many give to something else.
INTERACTIVE_VARIABLE = "ENV"
# Variables whose values programs run as commands.
_RUN = """
    BROWSER CVS_RSH EDITOR FCEDIT GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR
    GIT_SSH_COMMAND GNUMAKEFLAGS LESSCLOSE LESSOPEN MAKEFLAGS MANPAGER PAGER RSYNC_RSH SVN_SSH VISUAL
"""
COMMAND_VARIABLES = frozenset(_RUN.split())
