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
    """Templates as code, kept where Python keeps that of modules: to compile them takes longer than all the rest.

    As there, nothing is said where nothing can be written. What is kept holds for one text of a template, one Python,
    one Jinja2, and one state of this module, which says how templates are read.
    """

    def __init__(self, template: Path) -> None:
        made_by = [Path(module).stat().st_mtime_ns for module in (compiler.__file__, __file__)]
        name = f"%s.{sys.implementation.cache_tag}-{crc32(repr(made_by).encode()):08x}.pyc"
        super().__init__(str(Path(cache_from_source(str(template))).parent), name)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Let *bucket* hold what was kept, if something was."""
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what *bucket* holds."""
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):
            Path(self.directory).mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def render(name: str, /, *, filters: Mapping[str, Callable[..., object]], **context: object) -> str:
    """Return the shipped template *name* (`jenkins/Jenkinsfile.j2`) filled with *context*, where user text belongs."""
    template = folder("templates").joinpath(name)
    environment = Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=_is_markup,  # noqa: S701 -- what is rendered is no HTML elsewhere; the filters quote for its language
        bytecode_cache=_Compiled(template) if isinstance(template, Path) else None,
    )
    environment.filters.update(filters)
    return environment.get_template(name).render(context)


def _is_markup(name: str | None) -> bool:
    """Return whether what template *name* makes is markup; for other languages filters quote."""
    return name is not None and name.endswith((".html.j2", ".svg.j2"))


def _source(name: str) -> str | None:
    """Return the text of template *name*, None when there is no such file (Jinja2 then raises TemplateNotFound)."""
    template = folder("templates").joinpath(name)
    return template.read_text(encoding="utf-8") if template.is_file() else None
