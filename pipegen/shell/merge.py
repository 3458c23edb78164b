"""Copying the content of a folder over existing files."""

from __future__ import annotations

# `cp` opens an existing file for writing, which follows a link. `find` yields a folder before its content.
_REMOVE_LINKS = 'for f; do f=$0${f#"$1"}; [ ! -L "$f" ] || rm -f -- "$f"; done'


def merge_folder(source: str, target: str, options: str = "-RP") -> tuple[str, ...]:
    """Return the commands that copy the content of the folder *source* into the folder *target*.

    A link below *target* in the place of a file or folder is replaced, not followed. Both folders are shell words that
    end with `/.`; *options* are those of `cp`.
    """
    return (f"find {source} -exec sh -c '{_REMOVE_LINKS}' {target} {source} {{}} +", f"cp {options} {source} {target}")
