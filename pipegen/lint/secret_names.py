"""Values that are probably secrets, judged by the name they are assigned to and by their characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from pipegen.lint.tokens import Secret, is_example

_NAME = re.compile(
    r"(?:.*[_.-])?(?:password|passwd|passphrase|secret|token|(?:api|access|secret|private|auth)[_-]?key)", re.IGNORECASE
)
_VALUE = r"[\"']?(?P<value>[^\s\"'`;|&<>(),]+)"
_ASSIGNMENTS = (
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


def assigned_secrets(text: str) -> Iterator[Secret]:
    """Yield the values in the commands *text* that are assigned to names of secrets, and look like secrets."""
    for pattern in _ASSIGNMENTS:
        for match in pattern.finditer(text):
            name = match.groupdict().get("name")
            if (name is None or is_secret_name(name)) and is_likely_secret(match["value"]):
                yield Secret(
                    match.start("value"), match.end("value"), f'the value of "{name}"' if name else "a password"
                )


def is_secret_name(name: str) -> bool:
    """Return whether *name* is the name of a secret."""
    return _NAME.fullmatch(name) is not None


def is_likely_secret(value: str) -> bool:
    """Return whether *value* is probably a secret: a mix of letters and digits unlike a word, variable or path."""
    if len(value) < _SHORTEST or re.search(r"[\s${}<>*]|^[/.~]|://", value) or is_example(value):
        return False
    has_both = re.search(r"[A-Za-z]", value) and re.search(r"[0-9]", value)
    return bool(has_both) and _entropy(value) >= _LEAST_ENTROPY


def _entropy(text: str) -> float:
    shares = (count / len(text) for count in Counter(text).values())
    return -sum(share * log2(share) for share in shares)
