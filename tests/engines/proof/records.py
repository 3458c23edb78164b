"""Records that containers write about themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """The data of a stage's container, and when it ran, in seconds since the computer was started.

    Bytes that are not UTF-8 are surrogates, so that equal texts are equal bytes.
    """

    started: float
    ended: float
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    files: Mapping[str, str]
    """The content of the image's folder, by path."""
    key: str | None
    """The content of the file that $KEY_FILE named."""


def read(folder: Path) -> dict[str, Seen]:
    """Return the record of each stage in *folder*."""
    return {entry.name: _seen(entry) for entry in sorted(folder.iterdir()) if (entry / "ended").exists()}


def _seen(folder: Path) -> Seen:
    arguments = sorted((folder / "arguments").iterdir(), key=lambda path: int(path.name))
    variables = _text(folder / "environment").split("\0")[:-1]
    files = (path for path in sorted((folder / "files").rglob("*")) if path.is_file())
    return Seen(
        started=float(_text(folder / "started")),
        ended=float(_text(folder / "ended")),
        arguments=tuple(_text(path) for path in arguments),
        environment=dict(variable.split("=", 1) for variable in variables),
        files={path.relative_to(folder / "files").as_posix(): _text(path) for path in files},
        key=_text(folder / "key") if (folder / "key").exists() else None,
    )


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")
