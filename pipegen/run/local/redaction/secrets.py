"""The secrets of stages, from environment variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.model import Credential, CredentialKind, IdToken, Job
from pipegen.run.local.redaction.redactor import SHORTEST, Redactor, is_redacted
from pipegen.shell.values.credentials import sources
from pipegen.source.text import Span
from pipegen.structs import Struct

_FILES = (CredentialKind.FILE, CredentialKind.SSH_KEY)


class _Problem(Struct):
    """A missing or short secret, which several stages may have."""

    code: Code
    message: str
    hint: str


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

    def redactor(self, credentials: Iterable[Credential], tokens: Iterable[IdToken], *, also: str) -> Redactor:
        """Return a redactor for *credentials*, *tokens* and *also*: their values, and contents of files."""
        return Redactor((*self._texts(tuple(credentials), tuple(tokens)), also))

    def check(self, stages: Iterable[tuple[Job, Iterable[Credential]]], report: Report) -> None:
        """Report each missing or short secret of *stages*, with the credentials of their scripts, once."""
        titles_by_problem: dict[_Problem, list[str]] = {}
        spans: dict[_Problem, Span] = {}
        for job, credentials in stages:
            for problem, span in self._problems(credentials, job.id_tokens):
                spans.setdefault(problem, span)
                titles = titles_by_problem.setdefault(problem, [])
                if job.title not in titles:
                    titles.append(job.title)
        for problem, titles in titles_by_problem.items():
            readers = f" (stages {listed(titles)})" if len(titles) > 1 else ""
            report.add(problem.code, problem.message + readers, at=spans[problem], hint=problem.hint)

    def _problems(
        self, credentials: Iterable[Credential], tokens: Iterable[IdToken]
    ) -> Iterator[tuple[_Problem, Span]]:
        """Yield the problems of the secrets of a stage, each with its location."""
        for credential in credentials:
            for source in sources(credential):
                if (problem := self._missing(credential, source)) is not None:
                    yield problem, credential.span
            if credential.kind not in _FILES:
                yield from self._short(f'the secret "{credential.id}"', sources(credential)[-1], credential.span)
        for token in tokens:
            if not self.environment.get(token.variable):
                message = (
                    f'a local run gets no tokens from an engine, and no variable contains the token "{token.variable}"'
                )
                hint = f"put a token in {token.variable}, in the environment or in a file for --env-file"
                yield _Problem(codes.MISSING_SECRET, message, hint), token.span
            yield from self._short(f'the token "{token.variable}"', token.variable, token.span)

    def _missing(self, credential: Credential, source: str) -> _Problem | None:
        """Return the problem if the variable *source* has no value for *credential*."""
        value = self.environment.get(source)
        if not value:
            reason = f"the variable {source} is not set"
        elif credential.kind in _FILES and not Path(value).is_file():
            reason = f"{source} is not the path of a file"
        else:
            return None
        expected = "the path of a file" if credential.kind in _FILES else "the secret"
        return _Problem(
            codes.MISSING_SECRET,
            f'the secret "{credential.id}" is missing: {reason}',
            f"put {expected} in {source}, in the environment or in a file for --env-file",
        )

    def _short(self, secret: str, variable: str, span: Span) -> Iterator[tuple[_Problem, Span]]:
        if self.environment.get(variable) and not is_redacted(self.environment[variable]):
            message = (
                f"{secret} has fewer than {SHORTEST} characters, so it is not masked: logs show it if it is printed"
            )
            yield _Problem(codes.SHORT_SECRET, message, f"put a longer value in {variable}"), span

    def _texts(self, credentials: tuple[Credential, ...], tokens: tuple[IdToken, ...]) -> Iterator[str]:
        plain = [credential for credential in credentials if credential.kind not in _FILES]
        for credential in plain:
            # A user name is not a secret.
            hidden = credential.variables[-1:]
            values = self.variables((credential,))
            yield from (values[name] for name in hidden if name in values)
        yield from self.variables((), tokens).values()
        for path in self.files(credentials):
            if Path(path).is_file():
                yield Path(path).read_bytes().decode(errors="surrogateescape")
