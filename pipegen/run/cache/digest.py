"""What a stage does, as a digest: two stages with the same one, and the same inputs, have the same result."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pipegen.bindings.expression import Text
from pipegen.plan.model import Job
from pipegen.run.cache.record import described
from pipegen.run.here import artifacts
from pipegen.run.here.effects import effects
from pipegen.run.here.scripts import StageScript
from pipegen.structs import Struct

# Grows when scripts come to do something else although their text stays, or results are kept in another way.
FORMAT = 1

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Surroundings(Struct, kw_only=True):
    """What stages find around them.

    *environment* is that of the user, *variables* what scripts read besides; *tree* is where files are looked up whose
    contents count; in *mode* stands how stages run, for they leave other files in a tree of their own.
    """

    environment: Mapping[str, str]
    variables: Mapping[str, str]
    tree: Path
    mode: str


def digest(job: Job, script: StageScript, around: Surroundings) -> str | None:
    """Return the digest of what *job* does; None where it has to be done each time.

    That is so unless the stage says what its result depends on, and where the result is more than values and files.
    """
    if job.reuse is None or job.is_final or script.uses_containers or script.credentials or job.id_tokens:
        return None
    if any(effects((job,))):
        return None
    images = _images(job)
    told = {
        "format": FORMAT,
        "mode": around.mode,
        "machine": [platform.system(), platform.machine()],
        "images": [[str(part) for part in text.parts] for text in images],
        "entrypoint": job.machine.image.entrypoint if job.machine.image is not None else None,
        "directory": job.directory,
        "scripts": [script.main, script.after, script.is_bash],
        "variables": _read(script, around.variables, is_all=any(text.constant is None for text in images)),
        "env": [[name, around.environment.get(name)] for name in sorted(job.reuse.env)],
        "files": list(_files(around.tree, job.reuse.files)),
        "artifacts": [[one.path, one.travels] for one in job.artifacts],
        "exclude": list(job.keeping.exclude),
        "outputs": list(job.outputs),
    }
    return hashlib.sha256(json.dumps(told).encode(errors="surrogateescape")).hexdigest()


def _images(job: Job) -> tuple[Text, ...]:
    image = job.machine.image
    return (*((image.name,) if image is not None else ()), *(service.image for service in job.machine.services))


def _read(script: StageScript, variables: Mapping[str, str], *, is_all: bool) -> list[tuple[str, str]]:
    """Return those of *variables* that the scripts may read, or all of them, with their values."""
    words = set(_NAME.findall(f"{script.main}\n{script.after}"))
    return sorted((name, value) for name, value in variables.items() if is_all or name in words)


def _files(tree: Path, paths: tuple[str, ...]) -> Iterator[tuple[str, int, str, str | None]]:
    for name in artifacts.found(str(tree), paths):
        file = described(tree / name, name)
        yield (file.path, file.mode, file.digest, file.link)
