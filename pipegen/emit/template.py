"""The one Jinja2 environment."""

from collections.abc import Callable, Mapping

from jinja2 import Environment, FunctionLoader, StrictUndefined

from pipegen.assets import folder


def render(name: str, /, *, filters: Mapping[str, Callable[..., object]], **context: object) -> str:
    """Return the shipped template *name* (`jenkins/Jenkinsfile.j2`) filled with *context*, where user text belongs."""
    environment = Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=_is_markup,  # noqa: S701 -- what is rendered is no HTML elsewhere; the filters quote for its language
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
