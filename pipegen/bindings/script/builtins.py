"""What the shells' own commands and variables evaluate: names of variables, numbers, and text with commands in it."""

from __future__ import annotations

import re

from pipegen.structs import Struct


class NameOperands(Struct):
    """How a builtin takes names of variables: all operands from number *first* on, if any.

    So are the words that *named* options take; *valued* options take other text. Options are letters.
    """

    first: int | None = 0
    named: str = ""
    valued: str = ""


# A name may have a subscript, which is worked out, and runs the commands in it.
NAMES: dict[str, NameOperands] = {
    "read": NameOperands(named="a", valued="dinNptu"),
    "mapfile": NameOperands(named="C", valued="dnOsuc"),
    "readarray": NameOperands(named="C", valued="dnOsuc"),
    "unset": NameOperands(),
    "getopts": NameOperands(first=1),
    "printf": NameOperands(first=None, named="v"),
    "wait": NameOperands(first=None, named="p"),
    "let": NameOperands(),
    # What completes command lines takes commands, and words that it expands again.
    "compgen": NameOperands(named="ACFGPSWX"),
    "complete": NameOperands(named="ACFGPSWX"),
    "compopt": NameOperands(),
    "bind": NameOperands(named="xfmqru"),
    "fc": NameOperands(named="e"),
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
# Variables whose values programs run as commands, or take for options or programs that do.
_RUN = """
    BROWSER CVS_RSH EDITOR EXINIT FCEDIT GIT_CONFIG_PARAMETERS GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_SSH GNUMAKEFLAGS
    LESS LESSCLOSE LESSOPEN MAKEFLAGS MFLAGS NODE_OPTIONS PAGER PERL5DB PERL5OPT RSYNC_CONNECT_PROG RUBYOPT SHELL
    SVN_SSH TAR_OPTIONS VIMINIT VISUAL npm_config_script_shell
"""
COMMAND_VARIABLES = frozenset(_RUN.split())
_COMMAND_VARIABLE = re.compile(r"GIT_CONFIG_VALUE_[0-9]+|[A-Z0-9_]*(?:_ASKPASS|EDITOR|PAGER|_RSH|_COMMAND)")


def is_command_variable(name: str) -> bool:
    """Return whether programs run the value of the variable *name*."""
    return name in COMMAND_VARIABLES or _COMMAND_VARIABLE.fullmatch(name) is not None
