"""The one Jinja2 environment."""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from zlib import crc32

from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, StrictUndefined, compiler
from jinja2.bccache import Bucket

from pipegen.assets import folder


class _Compiled(FileSystemBytecodeCache):
    """A cache of compiled templates in `__pycache__`: compiling them takes longer than rendering.

    As for modules, a cache that cannot be written is skipped silently. An entry is valid for one text of a template and
    one version of Python, Jinja2 and this module, which sets the options of the environment.
    """

    def __init__(self, template: Path) -> None:
        versions = [Path(module).stat().st_mtime_ns for module in (compiler.__file__, __file__)]
        name = f"%s.{sys.implementation.cache_tag}-{crc32(repr(versions).encode()):08x}.pyc"
        super().__init__(str(Path(cache_from_source(str(template))).parent), name)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the cached code into *bucket*, if there is any."""
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the code in *bucket* to the cache."""
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):
            Path(self.directory).mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def render(name: str, /, *, filters: Mapping[str, Callable[..., object]], **context: object) -> str:
    """Return the shipped template *name* (`jenkins/Jenkinsfile.j2`) rendered with *context*, which has user text."""
    template = folder("templates").joinpath(name)
    environment = Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=_is_markup,  # noqa: S701 -- only for markup; filters quote for other languages
        bytecode_cache=_Compiled(template) if isinstance(template, Path) else None,
    )
    environment.filters.update(filters)
    return environment.get_template(name).render(context)


def _is_markup(name: str | None) -> bool:
    """Return whether the template *name* renders markup; for other languages, filters quote."""
    return name is not None and name.endswith((".html.j2", ".svg.j2"))


def _source(name: str) -> str | None:
    """Return the text of template *name*; None if there is no such file (Jinja2 then raises TemplateNotFound)."""
    template = folder("templates").joinpath(name)
    return template.read_text(encoding="utf-8") if template.is_file() else None
