"""Patterns of the tokens that well-known services issue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from pipegen.structs import Struct

# The services document these patterns, or their tokens begin with them.
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
_KINDS = tuple(_SHAPES)
# Each token contains one of these. To look for them first takes a hundredth of the time.
_MARKS = (
    *("PRIVATE KEY", "AKIA", "ASIA", "ghp_", "gho_", "ghr_", "ghs_", "ghu_", "github_pat_", "xox", "hooks.slack."),
    *("glpat-", "glptt-", "glcbt-", "glrt-", "gldt-", "gloas-", "glsoat-", "glft-", "glimt-", "glagent-", "glffct-"),
    *("AIza", "npm_", "pypi-", "k_live_", "SG.", "dckr_pat_", "hf_", "_v1_", "hvs.", "AGE-SECRET", "eyJ"),
)

_EXAMPLES = r"(?i)example|change|placeholder|dummy|sample|fake|mock|your|test|xxx|\*\*\*|\.\.\.|todo|redacted"


class Secret(Struct):
    """A part of a text that looks like a secret, and the kind of secret."""

    start: int
    end: int
    description: str


def tokens(text: str) -> Iterator[Secret]:
    """Yield the tokens of well-known services in *text*."""
    for match in _token().finditer(text) if any(mark in text for mark in _MARKS) else ():
        if match.lastgroup is not None and not is_example(match[0]):
            yield Secret(match.start(), match.end(), _KINDS[int(match.lastgroup[1:])])


def is_example(text: str) -> bool:
    """Return whether *text* looks like an example of a secret, and not like a secret."""
    return re.search(_EXAMPLES, text) is not None


@cache
def _token() -> re.Pattern[str]:
    """Return the expression for all patterns; to compile it takes longer than to look for their marks in a config."""
    return re.compile("|".join(f"(?P<k{number}>{shape})" for number, shape in enumerate(_SHAPES.values())))
