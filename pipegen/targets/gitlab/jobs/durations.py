"""Durations as GitLab reads them."""

from __future__ import annotations


def in_words(duration: int) -> str:
    """Return *duration*, in seconds, as text, the largest units first."""
    words = []
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)):
        count, duration = divmod(duration, length)
        if count:
            words.append(f"{count} {unit}{'s' if count > 1 else ''}")
    return " ".join(words)
