"""How much memory GitLab counts for a parsed file, before it takes or refuses it.

"The parsed YAML is too big" is said where the sizes of all objects of a file, keys and values alike, as Ruby's
`ObjectSpace.memsize_of` tells them, add up to more than the setting `max_yaml_size_bytes`: 2 MiB since GitLab 17.3
(gitlab-org/gitlab!160826; 1 MiB before), see `Gitlab::Utils::DeepSize`. Each file counts for itself.

The sizes below were measured with Ruby 3.1 on what its YAML reader returns: a text of up to 23 bytes takes 40, a longer
one 41 more than its bytes; a map of up to 8 entries 168, of more 96 and 24 for each place of a power of two, and its
bins; a list of up to 3 items 40, of more 40 and 8 for each place that it has grown to. Since 3.2, Ruby keeps texts of
up to 615 bytes in slots of 40, 80, 160, 320 or 640 bytes with 25 bytes of its own, and maps in slots of 160: of both
versions the larger size is taken. So the estimate is never below what Ruby 3.1 counts, and up to half above it.

Of small jobs with image, stage, one need, two lines of script and one path of artifacts, 247 bytes of text each, Ruby
3.1 counts 1,338 bytes and this module 1,387: 2 MiB are reached with 1,568 jobs, or 1,513. GitLab 18.11 refused a file
of jobs alike in size between 1,400 and 1,500. So 90 % of the limit are counted on: 1,361 such jobs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from pipegen.emit.yaml import Commented, Flow, Folded, Value

Version: TypeAlias = "tuple[int, int]"

LIMIT = 2 * 1024 * 1024
# The version since which that is the default, and what it was before.
BIGGER_FILES: Version = (17, 3)
SMALLER_LIMIT = 1024 * 1024
# What of the limit a file may take, in percent.
BUDGET = 90

_SLOTS = (40, 80, 160, 320, 640)
_OF_SLOT = 25
_OF_TEXT = 41
_SHORT_TEXT = 23
_SHORT_MAP, _MAP = 8, 168
_LONG_MAP, _ENTRY, _FEWEST = 216, 24, 32
# How many entries a map may have with bins of one byte, and of two.
_BINS = (128, 32_768)
_LIST, _SHORT_LIST, _ITEM, _GROWTH = 40, 3, 8, 17


class _Texts(dict[int, int]):
    """The bytes of texts by their length, at most, each worked out once."""

    def __missing__(self, length: int) -> int:
        """Return the bytes of a text of *length* bytes."""
        slot = next((slot for slot in _SLOTS if length + _OF_SLOT <= slot), 0)
        self[length] = max(slot, length + _OF_TEXT if length > _SHORT_TEXT else 0)
        return self[length]


_TEXTS = _Texts()


def memory(*values: Value) -> int:
    """Return the bytes that GitLab counts for *values*, at most."""
    size = 0
    texts: list[str] = []
    waiting: list[Value] = [*values]
    for value in waiting:  # what they hold is added meanwhile
        if type(value) is str:
            texts.append(value)
        elif type(value) is tuple or type(value) is list:
            size += _list(len(value))
            waiting += value
        elif type(value) is Flow or type(value) is Commented:
            waiting.append(value.value)
        elif type(value) is bool or value is None:
            pass
        elif type(value) is dict or isinstance(value, Mapping):
            size += _keys(tuple(value))
            waiting += value.values()
        elif isinstance(value, str):
            texts.append(value)
        elif isinstance(value, Folded):
            texts.append(" ".join(value.lines))
        elif isinstance(value, Sequence):
            size += _list(len(value))
            waiting += value
    return size + _texts(texts)


def _texts(texts: Sequence[str]) -> int:
    lengths = map(len, texts if all(map(str.isascii, texts)) else map(str.encode, texts))
    return sum(map(_TEXTS.__getitem__, lengths))


@lru_cache(maxsize=1_024)
def _keys(keys: tuple[str, ...]) -> int:
    """Return the bytes of a map with these *keys* beside its values, at most: many maps have the same."""
    return map_memory(len(keys)) + _texts(keys)


@lru_cache
def map_memory(entries: int) -> int:
    """Return the bytes of a map of so many *entries* beside these, at most."""
    if entries <= _SHORT_MAP:
        return _MAP
    places = max(_FEWEST, 1 << (entries - 1).bit_length())
    width = 1 if places <= _BINS[0] else 2 if places <= _BINS[1] else 4
    return _LONG_MAP + _ENTRY * places + 2 * places * width


@lru_cache
def _list(items: int) -> int:
    places = _SHORT_LIST
    while places < items:
        places += max(places // 2 + 1, _GROWTH)
    return _LIST + (_ITEM * places if items > _SHORT_LIST else 0)
