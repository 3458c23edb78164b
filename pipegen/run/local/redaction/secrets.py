"""The secrets of stages, taken from variables of this machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Credential, CredentialKind, IdToken
from pipegen.run.local.redaction.encodings import SHORTEST
from pipegen.run.local.redaction.redactor import Redactor, is_redacted
from pipegen.shell.credentials import sources
from pipegen.source.text import Span
from pipegen.structs import Struct

_FILES = (CredentialKind.FILE, CredentialKind.SSH_KEY)


class SecretSources(Struct):
    """What secrets stand in: the variables *given*, by name; those of an env file before those around."""

    given: Mapping[str, str]

    def variables(self, credentials: Iterable[Credential], tokens: Iterable[IdToken] = ()) -> dict[str, str]:
        """Return the variables that *credentials* and *tokens* bind; what is missing is left out."""
        found = {}
        for credential in credentials:
            for variable, source in zip(credential.variables, sources(credential), strict=True):
                if source in self.given:
                    value = self.given[source]
                    found[variable] = str(Path(value).absolute()) if credential.kind in _FILES else value
        for token in tokens:
            if token.variable in self.given:
                found[token.variable] = self.given[token.variable]
        return found

    def files(self, credentials: Iterable[Credential]) -> tuple[str, ...]:
        """Return the paths of the files among *credentials*."""
        found = [one for one in credentials if one.kind in _FILES]
        return tuple(dict.fromkeys(self.variables(found).values()))

    def redactor(self, credentials: Iterable[Credential], tokens: Iterable[IdToken], *, also: str = "") -> Redactor:
        """Return what no log of a stage with *credentials* and *tokens* may show: values, contents, and *also*."""
        return Redactor((*self._texts(tuple(credentials), tuple(tokens)), also))

    def check(self, credentials: Iterable[Credential], tokens: Iterable[IdToken], report: Report) -> None:
        """Report what is missing."""
        for credential in credentials:
            for source in sources(credential):
                value = self.given.get(source)
                if not value:
                    what = "the path of a file" if credential.kind in _FILES else "the secret"
                    _report_missing(credential, f"no variable {source} holds it", f"{what} in {source}", report)
                elif credential.kind in _FILES and not Path(value).is_file():
                    _report_missing(credential, f"{source} names no file", f"the path of a file in {source}", report)
            shown = sources(credential)[-1]
            if credential.kind not in _FILES:
                self._check_length(f'the secret "{credential.id}"', shown, credential.span, report)
        for token in tokens:
            if not self.given.get(token.variable):
                report.add(
                    codes.MISSING_SECRET,
                    f'no engine vouches for a run on this machine, and no variable holds the token "{token.variable}"',
                    at=token.span,
                    hint=f"put a token in {token.variable}, in the environment or in a file for --env-file",
                )
            self._check_length(f'the token "{token.variable}"', token.variable, token.span, report)

    def _check_length(self, what: str, variable: str, span: Span, report: Report) -> None:
        if self.given.get(variable) and not is_redacted(self.given[variable]):
            report.add(
                codes.SHORT_SECRET,
                f"{what} has less than {SHORTEST} characters, and is not masked: logs show it where it is printed",
                at=span,
                hint=f"put a longer one in {variable}",
            )

    def _texts(self, credentials: tuple[Credential, ...], tokens: tuple[IdToken, ...]) -> Iterator[str]:
        plain = [one for one in credentials if one.kind not in _FILES]
        for credential in plain:
            # A name to log in with is no secret.
            hidden = credential.variables[-1:]
            values = self.variables((credential,))
            yield from (values[name] for name in hidden if name in values)
        yield from self.variables((), tokens).values()
        for path in self.files(credentials):
            if Path(path).is_file():
                yield Path(path).read_bytes().decode(errors="surrogateescape")


def _report_missing(credential: Credential, why: str, what: str, report: Report) -> None:
    report.add(
        codes.MISSING_SECRET,
        f'the secret "{credential.id}" is missing: {why}',
        at=credential.span,
        hint=f"put {what}, in the environment or in a file for --env-file",
    )
