"""What is likely a secret by what it is given to, and by its letters: no mere word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from pipegen.lint.tokens import EXAMPLES, Secret

_NAME = re.compile(
    r"(?:.*[_.-])?(?:password|passwd|passphrase|secret|token|(?:api|access|secret|private|auth)[_-]?key)", re.IGNORECASE
)
_VALUE = r"[\"']?(?P<value>[^\s\"'`;|&<>(),]+)"
_GIVEN = (
    # NAME=value, --name=value, "name": "value"
    re.compile(rf"(?<![\w$-])(?:--)?(?P<name>[A-Za-z_][\w-]*)[\"']?(?:=|\s*:\s+|\s*:(?=[\"'])){_VALUE}"),
    # --name value
    re.compile(rf"(?<!\S)--(?P<name>[A-Za-z][\w-]*)\s+{_VALUE}"),
    # curl --user name:value
    re.compile(r"\bcurl\b[^\n;|&]*?\s(?:-u|--user)[= ]?\s*[\"']?[^\s:\"'$]+:(?P<value>[^\s\"'`;|&<>(),]+)"),
    # docker login -p value
    re.compile(rf"\b(?:docker|podman|buildah|helm|oras|crane)\b[^\n;|&]*?\slogin\b[^\n;|&]*?\s-p[= ]?\s*{_VALUE}"),
    # scheme://name:value@host
    re.compile(r"://[^\s/:@$\"']+:(?P<value>[^\s/@$\"']+)@"),
    re.compile(rf"(?i)\bauthorization:\s*(?:bearer|basic|token)\s+{_VALUE}"),
)

_SHORTEST = 6
# Bits for each character. A word of eight different letters has 3.0, "hunter2" 2.8, "aaaa1111" 1.0.
_LEAST_ENTROPY = 2.5


def given(text: str) -> Iterator[Secret]:
    """Yield the values in the commands *text* that are given to names of secrets, and look like one."""
    for shape in _GIVEN:
        for found in shape.finditer(text):
            name = found.groupdict().get("name")
            if (name is None or is_name(name)) and is_likely(found["value"]):
                yield Secret(
                    found.start("value"), found.end("value"), f'the value of "{name}"' if name else "a password"
                )


def is_name(name: str) -> bool:
    """Return whether what is called *name* is a secret."""
    return _NAME.fullmatch(name) is not None


def is_likely(value: str) -> bool:
    """Return whether *value* is likely a secret: letters and digits in a mix that no word has, no variable, no path."""
    if len(value) < _SHORTEST or re.search(r"[\s${}<>*]|^[/.~]|://", value) or EXAMPLES.search(value):
        return False
    has_both = re.search(r"[A-Za-z]", value) and re.search(r"[0-9]", value)
    return bool(has_both) and _entropy(value) >= _LEAST_ENTROPY


def _entropy(text: str) -> float:
    shares = (number / len(text) for number in Counter(text).values())
    return -sum(share * log2(share) for share in shares)
