"""Redaction of secrets in output."""

from __future__ import annotations

import random
from base64 import b64encode, urlsafe_b64encode
from functools import partial
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from pipegen.run.files.no_follow import open_file
from pipegen.run.local.redaction.redactor import RedactedStream, Redactor

SECRET = 's3cret /+&"value'  # noqa: S105 - nobody's


@pytest.mark.parametrize(
    "shown",
    [
        SECRET,
        f"a{SECRET}b",
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        quote_plus(SECRET),
        b64encode(SECRET.encode()).decode(),
        b64encode(f"user:{SECRET}".encode()).decode(),
        b64encode(f"u:{SECRET}\n".encode()).decode(),
        urlsafe_b64encode(f"xx{SECRET}??>>".encode()).decode(),
        's3cret /+&\\"value',
        's3cret \\/+&\\"value',
    ],
)
def test_encoded_forms_of_a_secret_are_redacted(shown: str) -> None:
    """Plain, URL-encoded, in JSON, and in base64 with any text around it."""
    redacted = Redactor([SECRET]).redact(f"<{shown}>".encode()).decode()

    assert "[masked]" in redacted
    assert not any(part in redacted for part in ("cret", "value", b64encode(b"s3cret")[:6].decode()))


def test_lines_of_a_secret_are_redacted_separately() -> None:
    """Logs are processed by line, and a key has several lines."""
    redactor = Redactor(["-----BEGIN\nfirst line\r\nsecond line\nx\n"])

    assert redactor.redact(b"a first line\nsecond line\nx-ray\n") == b"a [masked]\n[masked]\nx-ray\n"


def test_short_values_are_not_redacted() -> None:
    """They occur in any log by chance, and redacting them would reveal them."""
    assert not Redactor(["abc", ""])
    assert Redactor(["abcd"]).redact(b"abc abcd") == b"abc [masked]"


@pytest.mark.parametrize("seed", range(20))
def test_a_stream_redacts_secrets_across_chunks(seed: int) -> None:
    """Chunks may end anywhere, and lines have any length; no other text is lost or changed."""
    chance = random.Random(seed)  # noqa: S311 - repeatable
    redactor = Redactor([SECRET, "another one"])
    text = "".join(
        chance.choice([SECRET, "another one", "plain ", "\n", "x" * chance.choice([1, 100_000])]) for _ in range(40)
    ).encode()
    stream, shown, index = RedactedStream(redactor), b"", 0
    while index < len(text):
        size = chance.choice([1, 7, 1000, 70_000])
        shown += stream.feed(text[index : index + size])
        index += size
    shown += stream.end()

    assert shown == redactor.redact(text)
    assert SECRET.encode() not in shown


def test_complete_lines_are_output_immediately() -> None:
    """Only an incomplete line is held back."""
    stream = RedactedStream(Redactor([SECRET]))

    assert stream.feed(b"one\ntw") == b"one\n"
    assert (stream.feed(b"o\n"), stream.end()) == (b"two\n", b"")


def test_overlapping_secrets_are_fully_redacted() -> None:
    """So is a secret that has another as its prefix."""
    redactor = Redactor(["overlapping-first", "first-and-second", "prefix", "prefix-of-it"])

    assert redactor.redact(b"<overlapping-first-and-second>") == b"<[masked]>"
    assert redactor.redact(b"<prefix-of-it> <prefix-of>") == b"<[masked]> <[masked]-of>"


def test_unrelated_base64_and_hashes_are_unchanged() -> None:
    """A commit hash looks similar to an encoded secret."""
    text = f"{b64encode(b'something else, and long').decode()} 3f786850e387550fdab836ed7e6dc881de23001b".encode()

    assert Redactor([SECRET, "hunter2-of-the-registry"]).redact(text) == text


def test_a_file_is_searched_across_chunk_boundaries(tmp_path: Path) -> None:
    """A secret is found at any offset."""
    path = tmp_path / "file"
    for before in (0, 65_530, 70_000, 140_000):
        path.write_bytes(b"x" * before + SECRET.encode() + b"\n")
        assert Redactor([SECRET]).hides_in(partial(open_file, tmp_path, "file"))
    path.write_bytes(b"x" * 70_000)
    assert not Redactor([SECRET]).hides_in(partial(open_file, tmp_path, "file"))
    assert not Redactor([]).hides_in(partial(open_file, tmp_path, "file"))
