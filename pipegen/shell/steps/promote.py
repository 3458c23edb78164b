"""Proposing new versions in the repository of deployment charts."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.plan.model import Credential, CredentialKind, Promote, Promotion
from pipegen.shell.command import Command
from pipegen.shell.layout import indented, wrapped
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, VariableExpansion, Word, quote, shell_text, single_quoted
from pipegen.shell.words.items import arguments, each
from pipegen.shell.words.text import setup_word, word

_CHARTS = '"$pipegen/charts"'
_AUTHOR = (("user.name", "'pipeline bot'"), ("user.email", "pipeline-bot@localhost"))
_TOPIC = "%topic=pipeline-promote"


def promote(step: Promote, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    branch, repository = shell_text(lowering.host.promote_branch), shell_text(lowering.host.promote_repository)
    options = _credential_options(lowering.host.promote_credential)
    clone = (
        "git clone --quiet",
        *options,
        f"--branch {quote(branch)}",
        f"-- {quote(repository)}",
        f"{_CHARTS} </dev/null",
    )
    yield Command(wrapped(clone), "the deployment charts")
    yield Command(
        tuple(
            f"git -C {_CHARTS} config {name} >/dev/null || git -C {_CHARTS} config {name} {value}"
            for name, value in _AUTHOR
        ),
        "an author, if git has none",
    )
    for chart in step.charts:
        yield Command(("(", f"  cd {_CHARTS}", *indented(each((chart,), lowering, _promote_chart)), ")"))


def _credential_options(credential: Credential | None) -> tuple[str, ...]:
    """Return git's settings for *credential*: the values stay in variables, never on a command line."""
    match credential:
        case None:
            return ()
        case Credential(kind=CredentialKind.SSH_KEY, variables=(key,)):
            setting = f'core.sshCommand=ssh -o IdentitiesOnly=yes -i "${key}"'
        case Credential(kind=CredentialKind.PASSWORD, variables=(username, password)):
            answer = f'printf "username=%s\\npassword=%s\\n" "${username}" "${password}"'
            setting = f"credential.helper=!f() {{ {answer}; }}; f"
        case Credential(variables=(password, *_)):
            setting = f'credential.helper=!f() {{ printf "password=%s\\n" "${password}"; }}; f'
    return (f"--config {single_quoted(setting)}",)


def _promote_chart(promotion: Promotion, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that propose one chart's new version on top of the branch."""
    branch = shell_text(lowering.host.promote_branch)
    chart, version = word(promotion.chart, lowering), word(promotion.version, lowering)
    loop_lines, environments = arguments(promotion.environments, lowering)
    update = ("./update_version/update_version.py", f"-s {quote(chart)}", f"-v {quote(version)}")
    return (
        f"git checkout --quiet --detach {quote((Literal('origin/'), *branch))}",
        *_environment_options(loop_lines),
        *wrapped((*update, *_environment_words(loop_lines, environments), "</dev/null")),
        "git add --all",
        "if git diff --cached --quiet; then",
        f"  printf '%s is at version %s already\\n' {quote(chart)} {quote(version)}",
        "else",
        *indented(_commit_commands(chart, version, lowering)),
        f"  git push --quiet origin {quote((Literal('HEAD:refs/for/'), *branch, Literal(_TOPIC)))} </dev/null",
        "fi",
    )


def _environment_options(loop_lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the commands that add `-e` before each environment whose name is a run-time value."""
    if not loop_lines:
        return ()
    return (
        *loop_lines,
        'for pipegen_environment in "$@"; do',
        '  set -- "$@" -e "$pipegen_environment"',
        "  shift",
        "done",
    )


def _environment_words(loop_lines: tuple[str, ...], words: list[str]) -> list[str]:
    return [environment if loop_lines and environment == '"$@"' else f"-e {environment}" for environment in words]


def _commit_commands(chart: Word, version: Word, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that commit, with the same change ID for all retries in a run."""
    run = shell_text(lowering.host.run_id)
    job = setup_word("logURL", lowering)
    messages: list[Word] = [
        (*chart, Literal(": pipeline bot promote")),
        (Literal("Promote "), *chart, Literal(" to version "), *version),
        *([(Literal("Job: "), *job)] if job else []),
        (Literal("Change-Id: I"), VariableExpansion("pipegen_change")),
    ]
    return (
        *wrapped(
            (
                f"pipegen_change=$(printf '%s\\n' {quote(run)} {quote(chart)} {quote(version)} |",
                "git hash-object --stdin)",
            )
        ),
        *wrapped(("git commit --quiet", *(f"--message {quote(message)}" for message in messages))),
    )
