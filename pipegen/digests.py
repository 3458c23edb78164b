"""Digests, by which names and files are told apart."""

from hashlib import sha256


def digest_of(text: str, digits: int) -> str:
    """Return the first *digits*, hexadecimal, of the SHA-256 of *text*."""
    return sha256(text.encode()).hexdigest()[:digits]
