"""Shell builtins and variables whose text the shell evaluates: variable names, numbers, and code."""

from __future__ import annotations

import re

from pipegen.structs import Struct


class NameOperands(Struct):
    """The variable names that a builtin takes: all operands from number *first* on, None for none.

    Arguments of *named* options are names too; *valued* options take other text. Options are letters.
    """

    first: int | None = 0
    named: str = ""
    valued: str = ""


# A name may have a subscript, which is evaluated, and can run commands.
NAMES: dict[str, NameOperands] = {
    "read": NameOperands(named="a", valued="dinNptu"),
    "mapfile": NameOperands(named="C", valued="dnOsuc"),
    "readarray": NameOperands(named="C", valued="dnOsuc"),
    "unset": NameOperands(),
    "getopts": NameOperands(first=1),
    "printf": NameOperands(first=None, named="v"),
    "wait": NameOperands(first=None, named="p"),
    "let": NameOperands(),
    # Builtins for completion take commands, and words that they expand again.
    "compgen": NameOperands(named="ACFGPSWX"),
    "complete": NameOperands(named="ACFGPSWX"),
    "compopt": NameOperands(),
    "bind": NameOperands(named="xfmqru"),
    "fc": NameOperands(named="e"),
}
# The first argument of these may be a value that is an option with a name: `-va[…]`.
OPTION_READERS = {"printf", "wait"}
TESTS = {"test", "["}
NAME_TESTS = {"-v", "-R"}
# Builtins that read into an array.
ARRAY_READERS = {"mapfile", "readarray"}
# Builtins that declare variables.
DECLARERS = {"declare", "typeset", "local", "export", "readonly"}
# Variables whose values bash always evaluates as numbers, and variables that it expands.
_NUMBERS = (
    "BASHPID BASH_MONOSECONDS BASH_SUBSHELL EPOCHREALTIME EPOCHSECONDS HISTCMD LINENO OPTIND RANDOM SECONDS SRANDOM"
)
_EXPANDED = "BASH_ALIASES BASH_CMDS BASH_ENV PROMPT_COMMAND PS0 PS1 PS2 PS4"
EVALUATED_VARIABLES = frozenset([*_NUMBERS.split(), *_EXPANDED.split()])
# Arrays of bash; `declare` expands a value of one.
_ARRAYS = """
    BASH_ARGC BASH_ARGV BASH_LINENO BASH_REMATCH BASH_SOURCE COMPREPLY COMP_WORDS COPROC DIRSTACK FUNCNAME GROUPS
    MAPFILE PIPESTATUS
"""
ARRAY_VARIABLES = frozenset(_ARRAYS.split())
# An interactive shell expands this variable; many scripts use the name for something else.
INTERACTIVE_VARIABLE = "ENV"
# Variables whose values programs run as commands, or take as options or programs that run commands.
_RUN = """
    BROWSER CVS_RSH EDITOR EXINIT FCEDIT GIT_CONFIG_PARAMETERS GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_SSH GNUMAKEFLAGS
    LESS LESSCLOSE LESSOPEN MAKEFLAGS MFLAGS NODE_OPTIONS PAGER PERL5DB PERL5OPT RSYNC_CONNECT_PROG RUBYOPT SHELL
    SVN_SSH TAR_OPTIONS VIMINIT VISUAL npm_config_script_shell
"""
COMMAND_VARIABLES = frozenset(_RUN.split())
_COMMAND_VARIABLE = r"GIT_CONFIG_VALUE_[0-9]+|[A-Z0-9_]*(?:_ASKPASS|EDITOR|PAGER|_RSH|_COMMAND)"


def is_command_variable(name: str) -> bool:
    """Return whether programs run the value of the variable *name*."""
    return name in COMMAND_VARIABLES or re.fullmatch(_COMMAND_VARIABLE, name) is not None
