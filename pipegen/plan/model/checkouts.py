"""How the repository is fetched."""

from __future__ import annotations

from enum import Enum

from pipegen.structs import Struct


class Submodules(Enum):
    """Which submodules are fetched: none, those of the repository, or also those of submodules."""

    NONE = "none"
    DIRECT = "direct"
    ALL = "all"


class FetchOptions(Struct, kw_only=True):
    """How the repository is fetched; `Plan.fetch` is None for the engine's default.

    *depth* None is the whole history. *submodule_depth* and *clone* None, and *path* "", are the engine's defaults.
    """

    depth: int | None
    submodules: Submodules
    tags: bool
    submodule_depth: int | None = None
    clone: bool | None = None
    path: str = ""


class StageFetch(Struct, kw_only=True):
    """How a stage fetches the repository where its pipeline does it differently.

    *depth* 0 is the whole history. None, and *path* "", are as in the pipeline, and there the engine's default.
    """

    is_skipped: bool = False
    depth: int | None = None
    submodules: Submodules | None = None
    tags: bool | None = None
    submodule_depth: int | None = None
    clone: bool | None = None
    path: str = ""
