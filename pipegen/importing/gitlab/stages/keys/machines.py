"""Images, services, and the tags of runners."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.gitlab.stages.keys.base import KeyContext, Translation, present
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.model.machine import DOCKER_CERTIFICATES, POSTGRES_IMAGES, last_part
from pipegen.source.tree import Entry, Mapping, Node, Scalar

_PULLS = ("always", "if-not-present", "never")
_DOCKER = re.compile(r"(?:^|/)docker(?:[:@]|$)|\bdind\b")
# The variables that images of services read, all that these do: https://hub.docker.com/_/docker and so on.
_READ_BY_DOCKER = r"DOCKER_(?:DRIVER|TLS_CERTDIR|TLS_SAN|RAMDISK|MIN_API_VERSION)|DOCKERD_\w+"
_READ_BY_POSTGRES = (
    r"POSTGRES_(?:(?:DB|USER|PASSWORD|INITDB_ARGS)(?:_FILE)?|INITDB_WALDIR|HOST_AUTH_METHOD)|PGDATA|PGPORT"
)
_READ_BY_MYSQL = (
    r"(?:MYSQL|MARIADB)_(?:(?:ALLOW_EMPTY_|RANDOM_)?(?:ROOT_)?PASSWORD(?:_FILE|_HASH)?|(?:DATABASE|ROOT_HOST|USER)(?:_FILE)?"
    r"|INITDB_\w+|ONETIME_PASSWORD|TCP_PORT)"
)
_READ_BY_IMAGES = {
    **dict.fromkeys(POSTGRES_IMAGES, re.compile(_READ_BY_POSTGRES)),
    **dict.fromkeys(("mysql", "mariadb"), re.compile(_READ_BY_MYSQL)),
    "mongo": re.compile(r"MONGO_INITDB_\w+"),
    **dict.fromkeys(("memcached", "redis", "valkey"), re.compile(r"(?!)")),
    "docker": re.compile(_READ_BY_DOCKER),
}
_ALIAS = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


def image(context: KeyContext) -> Translation:
    """Return the image of a job."""
    node = context.job.get("image")
    if node is None:
        return Translation()
    if isinstance(node, Scalar):
        return Translation({"image": context.texts.expanded(text_of(node))} if text_of(node) else {})
    entries = _known(node, ("name", "entrypoint", "pull_policy", "docker"), "image")
    name = context.texts.expanded(text_of(entries["name"])) if "name" in entries else ""
    if not name:
        raise UntranslatableError("the image has no name")
    value: dict[str, Data] = {"name": name}
    if "entrypoint" in entries:
        value["entrypoint"] = [word for word in texts_of(entries["entrypoint"]) if word]
    if "pull_policy" in entries:
        value["pull"] = _pull(entries["pull_policy"])
    if "docker" in entries:
        user = _known(entries["docker"], ("user",), "option of the image").get("user")
        value["user"] = context.texts.constant(text_of(user), "the user of an image")
    return Translation({"image": value if len(value) > 1 else name})


def services(context: KeyContext) -> Translation:
    """Return the services of a job."""
    items = flat_items(context.job.get("services"))
    return Translation({"services": [_service(item, context) for item in items]} if items else {})


def tags(context: KeyContext) -> Translation:
    """Return the tags of a job's runner as labels of its agent."""
    labels = [context.texts.constant(text, "a tag") for text in texts_of(context.job.get("tags")) if text]
    return Translation({"agent": labels[0] if len(labels) == 1 else list(labels)} if labels else {})


def read_by_services(job: SourceJob, names: Collection[str]) -> frozenset[str]:
    """Return those of *names* that services of *job* may read as variables; an unknown image may read all."""
    services = [*flat_items(job.get("services"))]
    return frozenset(name for name in names if any(_may_read(service, name) for service in services))


def _may_read(service: Node, name: str) -> bool:
    pattern = _read_by(service)
    return pattern is None or pattern.fullmatch(name) is not None


def _read_by(service: Node) -> re.Pattern[str] | None:
    """Return a pattern for the names of the variables that *service* reads, None if its image is not known."""
    image = text_of(service.get("name") if isinstance(service, Mapping) else service)
    name = "docker" if _DOCKER.search(image) else last_part(image)
    return _READ_BY_IMAGES.get(name)


def _service(node: Node, context: KeyContext) -> Data:
    if isinstance(node, Scalar):
        node = Mapping((Entry(Scalar("name", node.span), node),), node.span)
    entries = _known(node, ("name", "alias", "command", "variables"), "service")
    value: dict[str, Data] = {"image": context.texts.expanded(text_of(entries.get("name")))}
    if "alias" in entries:
        alias = text_of(entries["alias"])
        if not _ALIAS.fullmatch(alias):
            raise UntranslatableError(f'the alias "{alias}"')
        value["alias"] = alias
    own = {name: text_of(entry.value) for name, entry in present(entries.get("variables")).items()}
    env = _env_of_job(node, context) | {
        name: context.texts.constant(text, "a variable of a service") for name, text in own.items()
    }
    if env:
        value["env"] = env
    if "command" in entries:
        value["command"] = [context.texts.constant(word, "a command") for word in texts_of(entries["command"])]
    return value if len(value) > 1 else value["image"]


def _env_of_job(service: Node, context: KeyContext) -> dict[str, Data]:
    """Return the variables of the job that *service* reads, as services of a config get only their own ones."""
    pattern, constants = _read_by(service), context.texts.constants
    if pattern is None:
        return {}
    names = [name for name in context.job.variables if pattern.fullmatch(name) and name in constants]
    return {name: constants[name] for name in names if (name, constants[name]) != DOCKER_CERTIFICATES}


def _known(node: Node, keys: tuple[str, ...], use: str) -> dict[str, Node]:
    """Return the values of the map *node*; raise `UntranslatableError` if it has other keys."""
    if not isinstance(node, Mapping):
        raise UntranslatableError(f"the {use} is not a map")
    entries = present(node)
    for key in entries:
        if key not in keys:
            raise UntranslatableError(f'the key "{key}" of the {use}')
    return {key: entry.value for key, entry in entries.items()}


def _pull(node: Node) -> str:
    policies = texts_of(node)
    if len(policies) != 1 or policies[0] not in _PULLS:
        raise UntranslatableError(f"the pull policy {' or '.join(policies)}")
    return policies[0]
