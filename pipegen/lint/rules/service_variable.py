"""Variables in `env` of a stage that a service of it needs, which does not get them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.bindings.expression import Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.plan.model import Service
from pipegen.plan.model.machine import DOCKER_CERTIFICATES, POSTGRES_IMAGES, last_part
from pipegen.source.tree import Entry, Scalar, entries_of

# Variables of official images and images made from them: without one of these, a database does not start.
# https://hub.docker.com/_/postgres, https://hub.docker.com/_/mysql, https://hub.docker.com/_/mariadb
_POSTGRES = ("POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE", "POSTGRES_HOST_AUTH_METHOD")
_MYSQL = ("MYSQL_ROOT_PASSWORD", "MYSQL_ROOT_PASSWORD_FILE", "MYSQL_ALLOW_EMPTY_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD")
_MARIADB = (
    *("MARIADB_ROOT_PASSWORD", "MARIADB_ROOT_PASSWORD_FILE", "MARIADB_ROOT_PASSWORD_HASH"),
    *("MARIADB_ALLOW_EMPTY_ROOT_PASSWORD", "MARIADB_RANDOM_ROOT_PASSWORD"),
)
_NEEDED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(POSTGRES_IMAGES, _POSTGRES),
    "mysql": _MYSQL,
    "mariadb": (*_MARIADB, *_MYSQL),
    # The daemon has TLS on another port if the variable is not empty.
    "docker": DOCKER_CERTIFICATES[:1],
}
_DEFAULTS = dict([DOCKER_CERTIFICATES])


def check(config: CheckedConfig, report: Report) -> None:
    """Report services without a variable that they need and that the script of their stage gets."""
    for stage in config.stages():
        for service in stage.job.machine.services if stage.config.env is not None else ():
            for entry in _missed(service, stage):
                _report(service, entry, stage, report)


def _missed(service: Service, stage: CheckedStage) -> Iterator[Entry]:
    """Yield the first variable of *stage* that *service* needs, if it has no such variable."""
    needed = _NEEDED.get(_image_name(service.image), ())
    if needed and {name for name, _ in service.env}.isdisjoint(needed):
        entries = {entry.key.text: entry for entry in _variables(stage)}
        missed = [entries[name] for name in needed if name in entries and not _is_default(entries[name])]
        yield from missed[:1]


def _is_default(entry: Entry) -> bool:
    return isinstance(entry.value, Scalar) and _DEFAULTS.get(entry.key.text) == entry.value.text


def _variables(stage: CheckedStage) -> tuple[Entry, ...]:
    return entries_of(stage.config.env.node) if stage.config.env is not None else ()


def _image_name(image: Text) -> str:
    """Return the last part of the name *image*; a reference ends it, as a tag does."""
    return last_part("".join(part if isinstance(part, str) else ":" for part in image.parts))


def _report(service: Service, entry: Entry, stage: CheckedStage, report: Report) -> None:
    from pipegen.config.flow import flow  # noqa: PLC0415 - only for a warning

    name = entry.key.text
    prefix = f"{name.partition('_')[0]}_"
    similar = [other for other in _variables(stage) if other.key.text.startswith(prefix)]
    written = {other.key.text: other.value for other in (similar if name not in _DEFAULTS else [entry])}
    image = service.image.constant or service.image.span.text
    report.add(
        codes.SERVICE_VARIABLE,
        f'the service "{image}" does not get "{name}": "env" of a stage is for its script',
        at=service.span,
        related=[Label(entry.key.span)],
        hint=f'write "{flow({"image": image, "env": written})}"',
    )
