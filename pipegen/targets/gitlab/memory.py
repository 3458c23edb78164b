"""The memory that GitLab counts for a parsed file.

GitLab rejects a file with "The parsed YAML is too big" if the sizes of all its objects, keys and values alike, as
reported by Ruby's `ObjectSpace.memsize_of`, exceed the setting `max_yaml_size_bytes`: 2 MiB since GitLab 17.3
(gitlab-org/gitlab!160826; 1 MiB before), see `Gitlab::Utils::DeepSize`. Each file counts separately.

The sizes below were measured with Ruby 3.1 on the output of its YAML reader: a text of up to 23 bytes takes 40, a
longer one its bytes plus 41; a map of up to 8 entries takes 168, a larger one 96 plus 24 for each slot of a power of
two, plus its bins; a list of up to 3 items takes 40, a longer one 40 plus 8 for each slot of its capacity. Since 3.2,
Ruby stores texts of up to 615 bytes in slots of 40, 80, 160, 320 or 640 bytes with 25 bytes of overhead, and maps in
slots of 160. The estimate takes the larger size of both versions: never less than Ruby 3.1 counts, and up to half more.

Example: for small jobs with image, stage, one need, two lines of script and one artifact path, 247 bytes of text each,
Ruby 3.1 counts 1,338 bytes and this module 1,387, so 2 MiB hold 1,568 jobs or 1,513. GitLab 18.11 rejected a file of
equally large jobs between 1,400 and 1,500. So files use at most 90 % of the limit: 1,361 such jobs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from pipegen.emit.yaml import Commented, Flow, Folded, Value

Version: TypeAlias = "tuple[int, int]"

LIMIT = 2 * 1024 * 1024
# The version that introduced this default, and the previous default.
BIGGER_FILES: Version = (17, 3)
SMALLER_LIMIT = 1024 * 1024
# The part of the limit that a file may use, in percent.
BUDGET = 90

_SLOTS = (40, 80, 160, 320, 640)
_SLOT_OVERHEAD = 25
_TEXT_OVERHEAD = 41
_SHORT_TEXT = 23
_SHORT_MAP, _MAP = 8, 168
_LONG_MAP, _ENTRY, _MIN_CAPACITY = 216, 24, 32
# The maximum capacity of a map with bins of one byte, and of two.
_BINS = (128, 32_768)
_LIST, _SHORT_LIST, _ITEM, _GROWTH = 40, 3, 8, 17


class _Texts(dict[int, int]):
    """The maximum size of a text by its length, computed once for each length."""

    def __missing__(self, length: int) -> int:
        """Return the size of a text of *length* bytes."""
        slot = next((slot for slot in _SLOTS if length + _SLOT_OVERHEAD <= slot), 0)
        self[length] = max(slot, length + _TEXT_OVERHEAD if length > _SHORT_TEXT else 0)
        return self[length]


_TEXTS = _Texts()


def memory(*values: Value) -> int:
    """Return the bytes that GitLab counts for *values*, at most."""
    size = 0
    texts: list[str] = []
    pending: list[Value] = [*values]
    for value in pending:  # the loop appends nested values
        if type(value) is str:
            texts.append(value)
        elif type(value) is tuple or type(value) is list:
            size += _list(len(value))
            pending += value
        elif type(value) is Flow or type(value) is Commented:
            pending.append(value.value)
        elif type(value) is bool or value is None:
            pass
        elif type(value) is dict or isinstance(value, Mapping):
            size += _keys(tuple(value))
            pending += value.values()
        elif isinstance(value, str):
            texts.append(value)
        elif isinstance(value, Folded):
            texts.append(" ".join(value.lines))
        elif isinstance(value, Sequence):
            size += _list(len(value))
            pending += value
    return size + _texts(texts)


def _texts(texts: Sequence[str]) -> int:
    lengths = map(len, texts if all(map(str.isascii, texts)) else map(str.encode, texts))
    return sum(map(_TEXTS.__getitem__, lengths))


@lru_cache(maxsize=1_024)
def _keys(keys: tuple[str, ...]) -> int:
    """Return the size of a map with these *keys*, without its values; cached because many maps have the same keys."""
    return map_memory(len(keys)) + _texts(keys)


@lru_cache
def map_memory(entries: int) -> int:
    """Return the size of a map with this number of *entries*, without its keys and values."""
    if entries <= _SHORT_MAP:
        return _MAP
    capacity = max(_MIN_CAPACITY, 1 << (entries - 1).bit_length())
    width = 1 if capacity <= _BINS[0] else 2 if capacity <= _BINS[1] else 4
    return _LONG_MAP + _ENTRY * capacity + 2 * capacity * width


@lru_cache
def _list(items: int) -> int:
    capacity = _SHORT_LIST
    while capacity < items:
        capacity += max(capacity // 2 + 1, _GROWTH)
    return _LIST + (_ITEM * capacity if items > _SHORT_LIST else 0)
