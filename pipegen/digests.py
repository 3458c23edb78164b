"""Short SHA-256 digests that identify names and files."""

from hashlib import sha256


def digest_of(text: str, digits: int) -> str:
    """Return the first *digits* hexadecimal digits of the SHA-256 of *text*."""
    return sha256(text.encode()).hexdigest()[:digits]
