"""Names that no parameter may have, since engines pass parameters to scripts as variables of the same name."""

from __future__ import annotations

import re

# Variables of engines, their tools and pipegen. Jenkins reads `path` as PATH: its variables ignore case.
_OTHERS = re.compile(
    r"(?:BUILD|BUILDKIT|CI|DOCKER|FF|GIT|GITLAB|HUDSON|JENKINS|PIPEGEN|RUNNER)_.*|BRANCH_(?:NAME|IS_PRIMARY)"
    r"|CHANGE_(?:ID|URL|TITLE|AUTHOR.*|TARGET|BRANCH|FORK)|JOB_(?:NAME|BASE_NAME|(?:DISPLAY_)?URL)"
    r"|NODE_(?:NAME|LABELS)|RUN_[A-Z]+_DISPLAY_URL|STAGE_NAME"
    r"|PIPEGEN|CI|DOCKER|HELM|EXECUTOR_NUMBER|TAG_(?:NAME|TIMESTAMP|UNIXTIME|DATE)|WORKSPACE(?:_TMP)?"
    r"|(?:HTTP|HTTPS|FTP|ALL|NO)_PROXY|HOME|HOSTNAME|LOGNAME|PATH|PWD|OLDPWD|SHELL|TERM|TMPDIR|TZ|USER",
    re.IGNORECASE,
)
# Variables that control shells, the loader and interpreters.
_CONTROLS = re.compile(
    r"_|IFS|ENV|CDPATH|LINENO|MAIL(?:CHECK|PATH)?|OPTARG|OPTIND|OPTERR|PS[0-4]|PPID|UID|EUID|FPATH|GLOBIGNORE"
    r"|BASH(?:OPTS|PID|_.*)?|SHELLOPTS|POSIXLY_CORRECT|LANG(?:UAGE)?|LC_.*|LD_.*|DYLD_.*|SSH_.*"
    r"|NODE_OPTIONS|PERL5(?:LIB|OPT)|PYTHON(?:HOME|PATH|STARTUP)|RUBY(?:LIB|OPT)|JAVA_TOOL_OPTIONS|MAKEFLAGS"
)


def is_reserved(name: str) -> bool:
    """Return whether *name* has a meaning for an engine, a shell or a program that scripts start."""
    return _OTHERS.fullmatch(name) is not None or _CONTROLS.fullmatch(name) is not None
