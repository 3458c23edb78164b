"""Caches of stages, by the step of the plugin jobcacher."""

from __future__ import annotations

import re

from engines.sized import built

# From the plugin: `ArbitraryFileCache.createCacheBaseName` makes the name of an archive of the path and of `cacheName`
# alone, and the hash of `cacheValidityDecidingFile` is stored beside the archive.
_ARCHIVE = r"arbitraryFileCache\(path: '([^']*)'.*?(?:cacheName: (.*?))?\)(?=[],]|$)"


def archives(*caches: str) -> list[tuple[str, str]]:
    """Return the path and the name of each of *caches*, one for each stage."""
    stages = ", ".join(
        f"{{ name: s{position}, script: [./test], cache: {cache} }}" for position, cache in enumerate(caches)
    )
    text = built(f"pipelines: {{ p: {{ stages: [{stages}] }} }}\n", "scripted").text
    return re.findall(_ARCHIVE, text, flags=re.MULTILINE)


def test_keys_of_other_files_are_other_caches() -> None:
    """Two stages that cache the same folder by their own lock files do not overwrite each other's archive."""
    first, second = archives(
        "{ paths: [.npm/], key: { files: [a/lock] } }",
        "{ paths: [.npm/], key: { files: [b/lock] } }",
    )

    assert first[0] == second[0] == ".npm"
    assert first[1] != second[1]


def test_a_key_of_files_differs_from_its_prefix() -> None:
    """The plugin would restore the archive of the files for a key that names none, whatever they contain."""
    plain, of_files, computed = archives(
        "{ paths: [.npm/], key: npm }",
        "{ paths: [.npm/], key: { files: [lock], prefix: npm } }",
        "{ paths: [.npm/], key: { files: [lock], prefix: 'npm${setup.branch}' } }",
    )

    assert plain == (".npm", "'npm'")
    assert re.fullmatch("'npm-[0-9a-f]{8}'", of_files[1])
    assert computed == (".npm", "cacheKey(\"npm${env.PIPEGEN_BRANCH ?: ''}\")")


def test_the_same_key_is_the_same_cache() -> None:
    """Caches of other folders need no name."""
    shared = "{ paths: [.npm/], key: { files: [lock] } }"
    first, second, other = archives(shared, shared, "{ paths: [.pip/], key: { files: [requirements.txt] } }")

    assert first == second == (".npm", "")
    assert other == (".pip", "")
