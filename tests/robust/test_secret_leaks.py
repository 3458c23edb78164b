"""A sample of secret_leaks.py, and proof that it would find a secret."""

from __future__ import annotations

import pytest
from robust.secret_leaks import SECRETS, scanned
from robust.secret_search import Scanner, disguises

from pipegen.run.local.redaction import redactor
from pipegen.run.local.redaction.redactor import Redactor

_RUNS = (
    (1, ("run", "--report", "run.json", "--report", "run.html", "--report", "run.xml")),
    (1, ("run", "--isolated")),
    (0, ("compile",)),
)


def test_no_secret_is_in_any_output_or_stored_file() -> None:
    """Logs, terminals, reports, journals, results, generated files."""
    scanner, wrong = scanned(_RUNS, is_whole=False)

    assert wrong == []
    assert scanner.scanned > 30
    assert scanner.forms > 150


def test_a_secret_that_is_not_redacted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """This proves that the scanner can fail: without redaction, it finds the secrets in logs and reports."""
    monkeypatch.setattr(redactor.Redactor, "_spans", lambda *_: iter(()))
    _, wrong = scanned(_RUNS[:1], is_whole=False)
    places = {words.rpartition(" in ")[2].rpartition(".")[2] for words in wrong}

    assert {words.partition(",")[0] for words in wrong} >= {*SECRETS} - {"PIPEGEN_REGISTRY_PASSWORD"}
    assert {"log", "html", "xml"} <= places


@pytest.mark.parametrize("name", SECRETS)
def test_each_form_of_a_secret_is_found_by_the_scanner(name: str) -> None:
    """The text around it makes no difference; text without a secret has no findings."""
    scanner = Scanner(SECRETS)

    assert scanner.leaks("nothing", b"nothing\n" * 99) == []
    for how, form in disguises(SECRETS[name]):
        assert any(words.startswith(name) for words in scanner.leaks("here", b'{"x": "' + form + b'"}')), how


@pytest.mark.parametrize("name", SECRETS)
def test_each_form_of_a_secret_is_redacted(name: str) -> None:
    """The text around it makes no difference."""
    scanner, redactor = Scanner(SECRETS), Redactor(SECRETS.values())
    for how, form in disguises(SECRETS[name]):
        for text in (form, b"x=" + form + b";", b"\xff" + form + b"\xff"):
            assert scanner.leaks(how, redactor.redact(text)) == []
