"""The variables that hold credentials, for engines without a credential store."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipegen.diagnostics.codes import SECRET_SHADOWED
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Credential, CredentialKind

_NOT_IN_VARIABLES = r"[^A-Z0-9]"


def variable(credential: str) -> str:
    """Return the variable for the credential with the ID *credential*: the ID in capitals."""
    name = re.sub(_NOT_IN_VARIABLES, "_", credential.upper())
    return f"_{name}" if name[:1].isdigit() else name


def sources(credential: Credential) -> tuple[str, ...]:
    """Return the variables that hold *credential*."""
    name = variable(credential.id)
    return (f"{name}_USERNAME", f"{name}_PASSWORD") if credential.kind is CredentialKind.PASSWORD else (name,)


def check_distinct_sources(credentials: Iterable[Credential], report: Report) -> None:
    """Report *credentials* with different IDs that share a variable."""
    credentials_by_source: dict[str, Credential] = {}
    for credential in credentials:
        for source in sources(credential):
            first = credentials_by_source.setdefault(source, credential)
            if first.id != credential.id:
                report.add(
                    SECRET_SHADOWED,
                    f'the credentials "{first.id}" and "{credential.id}" would both come from "{source}"',
                    at=credential.span,
                    related=[Label(first.span, f'comes from "{source}"')],
                    hint="give one of them an ID that differs in letters or digits",
                )
