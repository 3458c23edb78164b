"""The words of other CI systems that their users write in a config, in one table; the guides list them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from pipegen.config.schema.foreign import gitlab_words, jenkins_words, other_words
from pipegen.config.schema.foreign.model import ForeignWord
from pipegen.config.schema.violation import Path

WORDS = (*gitlab_words.WORDS, *jenkins_words.WORDS, *other_words.WORDS)


def words_at(parent: Path, key: str) -> Sequence[ForeignWord]:
    """Return the words that *key* may be in a map at the pattern *parent*."""
    return _by_parent().get((parent, key), ())


@cache
def _by_parent() -> Mapping[tuple[Path, str], Sequence[ForeignWord]]:
    words: dict[tuple[Path, str], list[ForeignWord]] = {}
    for word in WORDS:
        for parent in word.parents:
            words.setdefault((parent, word.key), []).append(word)
    return words
