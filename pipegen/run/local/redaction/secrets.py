"""The secrets of stages, from environment variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Credential, CredentialKind, IdToken
from pipegen.run.local.redaction.redactor import SHORTEST, Redactor, is_redacted
from pipegen.shell.values.credentials import sources
from pipegen.source.text import Span
from pipegen.structs import Struct

_FILES = (CredentialKind.FILE, CredentialKind.SSH_KEY)


class SecretSources(Struct):
    """The sources of secrets: *environment* with the variables of an env file."""

    environment: Mapping[str, str]

    def variables(self, credentials: Iterable[Credential], tokens: Iterable[IdToken] = ()) -> dict[str, str]:
        """Return the variables of *credentials* and *tokens*, without missing ones."""
        variables = {}
        for credential in credentials:
            for variable, source in zip(credential.variables, sources(credential), strict=True):
                if source in self.environment:
                    value = self.environment[source]
                    variables[variable] = str(Path(value).absolute()) if credential.kind in _FILES else value
        for token in tokens:
            if token.variable in self.environment:
                variables[token.variable] = self.environment[token.variable]
        return variables

    def files(self, credentials: Iterable[Credential]) -> tuple[str, ...]:
        """Return the paths of the files among *credentials*."""
        file_credentials = [credential for credential in credentials if credential.kind in _FILES]
        return tuple(dict.fromkeys(self.variables(file_credentials).values()))

    def redactor(self, credentials: Iterable[Credential], tokens: Iterable[IdToken], *, also: str = "") -> Redactor:
        """Return a redactor for *credentials*, *tokens* and *also*: their values, and contents of files."""
        return Redactor((*self._texts(tuple(credentials), tuple(tokens)), also))

    def check(self, credentials: Iterable[Credential], tokens: Iterable[IdToken], report: Report) -> None:
        """Report missing and short secrets."""
        for credential in credentials:
            for source in sources(credential):
                value = self.environment.get(source)
                if not value:
                    expected = "the path of a file" if credential.kind in _FILES else "the secret"
                    _report_missing(credential, f"the variable {source} is not set", f"{expected} in {source}", report)
                elif credential.kind in _FILES and not Path(value).is_file():
                    _report_missing(
                        credential, f"{source} is not the path of a file", f"the path of a file in {source}", report
                    )
            variable = sources(credential)[-1]
            if credential.kind not in _FILES:
                self._check_length(f'the secret "{credential.id}"', variable, credential.span, report)
        for token in tokens:
            if not self.environment.get(token.variable):
                report.add(
                    codes.MISSING_SECRET,
                    f'a local run gets no tokens from an engine, and no variable contains the token "{token.variable}"',
                    at=token.span,
                    hint=f"put a token in {token.variable}, in the environment or in a file for --env-file",
                )
            self._check_length(f'the token "{token.variable}"', token.variable, token.span, report)

    def _check_length(self, secret: str, variable: str, span: Span, report: Report) -> None:
        if self.environment.get(variable) and not is_redacted(self.environment[variable]):
            report.add(
                codes.SHORT_SECRET,
                f"{secret} has fewer than {SHORTEST} characters, so it is not masked: logs show it if it is printed",
                at=span,
                hint=f"put a longer value in {variable}",
            )

    def _texts(self, credentials: tuple[Credential, ...], tokens: tuple[IdToken, ...]) -> Iterator[str]:
        plain = [one for one in credentials if one.kind not in _FILES]
        for credential in plain:
            # A user name is not a secret.
            hidden = credential.variables[-1:]
            values = self.variables((credential,))
            yield from (values[name] for name in hidden if name in values)
        yield from self.variables((), tokens).values()
        for path in self.files(credentials):
            if Path(path).is_file():
                yield Path(path).read_bytes().decode(errors="surrogateescape")


def _report_missing(credential: Credential, reason: str, expected: str, report: Report) -> None:
    report.add(
        codes.MISSING_SECRET,
        f'the secret "{credential.id}" is missing: {reason}',
        at=credential.span,
        hint=f"put {expected}, in the environment or in a file for --env-file",
    )
