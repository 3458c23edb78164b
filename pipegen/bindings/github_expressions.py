"""Hints for expressions of GitHub Actions, which are not references of a config."""

from __future__ import annotations

import re

# Expressions of GitHub Actions, between `${{` and `}}`, and what to write.
_GITHUB = {
    **dict.fromkeys(("github.ref_name", "github.head_ref"), "${setup.branch}"),
    "github.sha": "${setup.commit}",
    "github.repository": "${setup.project}",
    "github.actor": "${setup.actor}",
    "github.event_name": "${setup.event}",
    "github.run_number": "${setup.run}",
    "github.workspace": "$PWD",
}
_GITHUB_NAME = r"(?:(?:needs|steps)\.(?P<stage>[\w-]+)\.outputs|(?P<place>[\w-]+))\.(?P<name>[\w-]+)"
# Contexts of which only the values above have an equivalent: other words may be stages.
_CONTEXTS = ("github", "job", "jobs", "needs", "runner", "steps", "strategy")


def github_hint(body: str) -> str | None:
    """Return the hint for `${{body}}`, an expression of GitHub Actions; None if it has no certain equivalent."""
    expression = body.strip()
    name = re.fullmatch(_GITHUB_NAME, expression)
    if expression in _GITHUB:
        return f'write "{_GITHUB[expression]}"'
    if name is None or name["place"] in _CONTEXTS:
        return None
    if name["stage"]:
        return f'write "${{{name["stage"]}.{name["name"]}}}", and add "outputs: [{name["name"]}]" to that stage'
    written = {
        **dict.fromkeys(("env", "vars"), f'write "${name["name"]}"'),
        "secrets": f'write "${name["name"]}", and add "secrets: {{{name["name"]}: ID}}" with its ID to the stage',
    }
    return written.get(name["place"], f'write "${{{expression}}}"')
