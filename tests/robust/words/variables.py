"""Variables with a meaning for shells, and all ways to assign a value."""

from __future__ import annotations

from collections.abc import Iterator

# The index of variables in bash's manual, the others in `compgen -v`, and those of dash and busybox.
_NAMES = """
    BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_COMPAT BASH_ENV
    BASH_EXECUTION_STRING BASH_LINENO BASH_LOADABLES_PATH BASH_MONOSECONDS BASH_REMATCH BASH_SOURCE BASH_SUBSHELL
    BASH_TRAPSIG BASH_VERSINFO BASH_VERSION BASH_XTRACEFD CDPATH CHILD_MAX COLUMNS COMPREPLY COMP_CWORD COMP_KEY
    COMP_LINE COMP_POINT COMP_TYPE COMP_WORDBREAKS COMP_WORDS COPROC DIRSTACK EMACS ENV EPOCHREALTIME EPOCHSECONDS
    EUID EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GLOBSORT GROUPS HISTCMD HISTCONTROL HISTFILE
    HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOME HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC INSIDE_EMACS
    LANG LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LINENO LINES MACHTYPE MAIL MAILCHECK MAILPATH
    MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS POSIXLY_CORRECT PPID PROMPT_COMMAND PROMPT_DIRTRIM PS0
    PS1 PS2 PS3 PS4 PWD RANDOM READLINE_ARGUMENT READLINE_LINE READLINE_MARK READLINE_POINT REPLY SECONDS SHELL
    SHELLOPTS SHLVL SRANDOM TERM TEXTDOMAIN TEXTDOMAINDIR TIMEFORMAT TMOUT TMPDIR UID TERM NLSPATH FUNCNEST
    histchars auto_resume _ n
"""
VARIABLES = tuple(_NAMES.split())
_USES = (
    "NAME={word}",
    "NAME={word} :",
    "NAME={word} true",
    "NAME={word} f",
    "NAME+={word}",
    "NAME=({word})",
    "NAME=([0]={word})",
    "NAME[0]={word}",
    "NAME[a]={word}",
    "NAME[{word}]=a",
    "export NAME={word}",
    "readonly NAME={word}",
    "declare NAME={word}",
    "declare -g NAME={word}",
    "typeset NAME={word}",
    "g() {{ local NAME={word}; }}; g",
    "g() {{ local NAME; NAME={word}; }}; g",
    "for NAME in {word}; do :; done",
    "for NAME in a {word}; do :; done",
    "select NAME in {word}; do :; done <<<1",
    "read NAME <<<{word}",
    "read -r x NAME <<<a\\ {word}",
    "read -a NAME <<<{word}",
    "read -d '' -r NAME <<<{word}",
    "read NAME <<E\n{word}\nE",
    "printf '%s\\n' {word} | read NAME",
    "printf '%s\\n' {word} | {{ read NAME; }}",
    "printf '%s\\n' {word} | while read NAME; do :; done",
    "{{ read NAME; }} <<<{word}",
    "while read NAME; do :; done <<<{word}",
    "while read NAME; do :; done < <(echo {word})",
    "g() {{ read NAME; }}; g <<<{word}",
    "printf -v NAME %s {word}",
    "mapfile NAME <<<{word}",
    "mapfile -t NAME <<<{word}",
    "readarray NAME <<<{word}",
    "set -- {word}; getopts :a NAME",
    "getopts {word} NAME -a",
    "getopts a NAME {word}",
    ": ${{NAME:={word}}}",
    ": ${{NAME={word}}}",
    "unset NAME; NAME={word}",
    "unset NAME; : ${{NAME:={word}}}",
    "NAME={word}; set -x; :",
    "NAME={word}; export NAME; bash -c :",
    "NAME={word} bash -c :",
    "NAME={word} bash -x -c :",
    "NAME={word} sh -c :",
    "NAME={word} sh -ic :",
    "NAME={word} bash -ic :",
    "NAME={word} bash --norc -i",
    "env NAME={word} sh -i",
    "env NAME={word} bash -c :",
    "NAME={word} dash -i",
    "export NAME={word}; busybox sh -i",
    "NAME={word}; set -i; :",
    "NAME={word}; echo 1 | (select x in a; do break; done)",
    "wait -p NAME {word}",
    "coproc NAME {{ echo {word}; }}",
    ": {{NAME}}>{word}",
    "declare -n NAME; NAME={word}",
    "declare -i NAME; NAME={word}",
)
# The declarations of a word in a script, and the assignment that follows.
_ATTRIBUTES = tuple(
    f"{declarer} -{attribute} NAME"
    for declarer in ("declare", "typeset")
    for attribute in ("i", "n", "a", "A", "ai", "ix", "u")
)


def assignments(word: str) -> Iterator[str]:
    """Yield commands that assign the value *word*: to each variable in each way."""
    for name in VARIABLES:
        yield from (use.format(word=word).replace("NAME", name) for use in _USES)


def attributed(word: str) -> Iterator[str]:
    """Yield commands that assign the value *word* to a variable declared with an attribute."""
    for attribute in _ATTRIBUTES:
        for use in _USES:
            yield f"{attribute}; {use.format(word=word)}".replace("NAME", "n")
            yield f"g() {{ {attribute.replace('declare', 'local')}; {use.format(word=word)}; }}; g".replace("NAME", "n")
