"""What secrets look like: tokens of well-known shapes, and values that are likely no mere words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from pipegen.structs import Struct

# The shapes are those that the services document, or that their tokens begin with.
_SHAPES = {
    "a private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    "an AWS access key": r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b",
    "a GitHub token": r"\b(?:gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b",
    "a GitLab token": r"\bgl(?:pat|ptt|cbt|rt|dt|oas|soat|ft|imt|agent|ffct)-[A-Za-z0-9_-]{20,}",
    "a Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    "a Slack webhook": r"\bhooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{20,}",
    "a Google API key": r"\bAIza[A-Za-z0-9_-]{35}\b",
    "an npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "a PyPI token": r"\bpypi-AgE[A-Za-z0-9_-]{50,}",
    "a Stripe key": r"\b[rs]k_live_[A-Za-z0-9]{20,}",
    "a SendGrid key": r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
    "a Docker Hub token": r"\bdckr_pat_[A-Za-z0-9_-]{27}",
    "a Hugging Face token": r"\bhf_[A-Za-z]{34}\b",
    "a DigitalOcean token": r"\bdo[op]_v1_[a-f0-9]{64}\b",
    "a Vault token": r"\bhvs\.[A-Za-z0-9_-]{24,}",
    "an age key": r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}",
    "a JSON web token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
}
_TOKEN = re.compile("|".join(f"(?P<k{place}>{shape})" for place, shape in enumerate(_SHAPES.values())))
_KINDS = tuple(_SHAPES)
# One of these stands in each token. They are looked for first: that takes a hundredth of the time.
_MARKS = (
    *("PRIVATE KEY", "AKIA", "ASIA", "ghp_", "gho_", "ghr_", "ghs_", "ghu_", "github_pat_", "xox", "hooks.slack."),
    *("glpat-", "glptt-", "glcbt-", "glrt-", "gldt-", "gloas-", "glsoat-", "glft-", "glimt-", "glagent-", "glffct-"),
    *("AIza", "npm_", "pypi-", "k_live_", "SG.", "dckr_pat_", "hf_", "_v1_", "hvs.", "AGE-SECRET", "eyJ"),
)

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

_EXAMPLES = re.compile(
    r"example|change|placeholder|dummy|sample|fake|mock|your|test|xxx|\*\*\*|\.\.\.|todo|redacted", re.IGNORECASE
)
_SHORTEST = 6
# Bits for each character. A word of eight different letters has 3.0, "hunter2" 2.8, "aaaa1111" 1.0.
_LEAST_ENTROPY = 2.5


class Secret(Struct):
    """A stretch of a text that looks like a secret, and what it is taken for."""

    start: int
    end: int
    what: str


def tokens(text: str) -> Iterator[Secret]:
    """Yield the tokens of well-known shapes in *text*."""
    for found in _TOKEN.finditer(text) if any(mark in text for mark in _MARKS) else ():
        if found.lastgroup is not None and not _EXAMPLES.search(found[0]):
            yield Secret(found.start(), found.end(), _KINDS[int(found.lastgroup[1:])])


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
    if len(value) < _SHORTEST or re.search(r"[\s${}<>*]|^[/.~]|://", value) or _EXAMPLES.search(value):
        return False
    has_both = re.search(r"[A-Za-z]", value) and re.search(r"[0-9]", value)
    return bool(has_both) and _entropy(value) >= _LEAST_ENTROPY


def _entropy(text: str) -> float:
    shares = (number / len(text) for number in Counter(text).values())
    return -sum(share * log2(share) for share in shares)
