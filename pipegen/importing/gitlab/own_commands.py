"""The commands that pipegen itself adds to the script of a stage: they check the shell, and carry values and files."""

from __future__ import annotations

import re

from pipegen.shell.values.image_values import IMAGE_CHECK
from pipegen.targets.gitlab.jobs.values.shell_variables import BASH_COMMANDS

NO_PIPEFAIL = "set +o pipefail"
_CHECKS = frozenset({"true", NO_PIPEFAIL, *BASH_COMMANDS})
# A path below the folder that carries values and files, and a copy of a file to carry.
_CARRIED = r"""(?:\.pipegen/[^\s;"']+|'\.pipegen/[^'\n]+'|"\.pipegen/[^"\n]+")"""
_COPY = r'"\$pipegen/files[^\n]*'
_CARRYING = re.compile(
    rf"""
    (?:\#[^\n]*\n)?
    (?:
        pipegen=\$\(mktemp\ -d\)
        | trap\ '\{{\ trap\ ""\ HUP\ INT\ TERM;\ rm\ -rf\ "\$pipegen";[^\n]*\ EXIT\ntrap\ 'exit\ 143'\ HUP\ INT\ TERM
        | mkdir\ -p\ (?:{_CARRIED}|"\$pipegen/files")(?:\ntar\ -cf\ {_CARRIED}\ -C\ "\$pipegen/files"\ \.)?
        | if\ \[\ -e\ [^\n]+\ \];\ then\n(?:\ \ mkdir\ -p\ {_COPY}\n)?\ \ cp\ -RPp\ [^\n]+\ {_COPY}\nfi
        | tar\ -xf\ {_CARRIED}
        | if\ \[\ -e\ {_CARRIED}\ \];\ then\ tar\ -xf\ {_CARRIED};\ fi
        | rm\ -rf\ \.pipegen
        | printf\ %s\ [^\n]+\ >{_CARRIED}
        | sed\ -n\ s/\^\w+=//p\ \S+\ >{_CARRIED}
        | (?:mkdir\ -p\ \.pipegen/dotenv\nrm\ -f\ {_CARRIED}\n)?\[\ -z\ [^\n]+\ \]\ \|\|\ printf\ [^\n]+\ >>{_CARRIED}
        | case\ \$\(cat\ {_CARRIED}\)\ in\n[^\n]+;;\n[^\n]+\ >{_CARRIED}\ ;;\nesac
    )\n?
    """,
    re.VERBOSE,
)


def is_own(command: str) -> bool:
    """Return whether *command* is one that pipegen adds to a script."""
    patterns = (_CARRYING, IMAGE_CHECK)
    return command in _CHECKS or any(pattern.fullmatch(command) is not None for pattern in patterns)
