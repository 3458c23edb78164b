"""Blubberfile to Dockerfile: Blubber's BuildKit frontend, limited to the features that tests use.

Supported are `base`, `includes`, `lives.in`, `runs.environment`, `builder`/`builders` (custom commands), `copies` and
`entrypoint`. All other keys are rejected, so that no test relies on a missing feature.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

Config = Mapping[str, Any]

KNOWN = frozenset(("base", "includes", "lives", "runs", "builder", "builders", "copies", "entrypoint"))
JOINED = frozenset(("builders", "copies"))  # lists of a variant are added to those it includes
HOME = "/srv/app"


class InvalidBlubberfileError(Exception):
    """A blubberfile or variant that cannot be built."""


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """A Dockerfile, and environment variables of the image that a Dockerfile cannot express: values with newlines."""

    text: str
    environment: tuple[tuple[str, str], ...]


def convert(text: str, variant: str, base: str) -> Dockerfile:
    """Return *variant* of the blubberfile *text* as a Dockerfile; *base* replaces images of other registries."""
    variants = _variants(text)
    lines = [line for name in _stages(variants, variant) for line in _stage(name, _config(variants, name), base)]
    values = _environment(_config(variants, variant))
    return Dockerfile("\n".join(lines) + "\n", tuple((name, value) for name, value in values if "\n" in value))


def _variants(text: str) -> Mapping[str, Config]:
    """Return the variants of the blubberfile *text*, each merged with the common keys."""
    try:
        config = yaml.safe_load(text)
    except yaml.YAMLError as error:
        message = f"the blubberfile is not YAML: {error}"
        raise InvalidBlubberfileError(message) from error
    if not isinstance(config, dict) or config.get("version") not in ("v4", "v3"):
        raise InvalidBlubberfileError('a blubberfile says "version: v4"')
    variants = config.pop("variants", None)
    del config["version"]
    if not isinstance(variants, dict):
        raise InvalidBlubberfileError("a blubberfile has variants")
    return {str(name): _merged(config, variant or {}) for name, variant in variants.items()}


def _config(variants: Mapping[str, Config], name: str) -> Config:
    """Return variant *name* merged with its includes, its own keys last."""
    if name not in variants:
        message = f'variant "{name}" does not exist'
        raise InvalidBlubberfileError(message)
    config = variants[name]
    result: Config = {}
    for included in config.get("includes", ()):
        result = _merged(result, _config(variants, included))
    result = _merged(result, config)
    unknown = sorted(set(result) - KNOWN)
    if unknown:
        message = f'variant "{name}": this stand-in does not know {", ".join(unknown)}'
        raise InvalidBlubberfileError(message)
    return result


def _merged(lower: Config, upper: Config) -> Config:
    """Return *lower* overridden by *upper*."""
    result = dict(lower)
    for key, value in upper.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            result[key] = _merged(old, value)
        elif isinstance(old, list) and isinstance(value, list) and key in JOINED:
            result[key] = [*old, *(item for item in value if item not in old)]
        else:
            result[key] = value
    return result


def _stages(variants: Mapping[str, Config], name: str) -> tuple[str, ...]:
    """Return *name* after all variants that it copies from."""
    order: dict[str, None] = {}
    for copy in _copies(_config(variants, name)):
        if copy["from"] != "local":
            order |= dict.fromkeys(_stages(variants, copy["from"]))
    return (*order, name)


def _stage(name: str, config: Config, base: str) -> Iterator[str]:
    """Yield the instructions that build variant *name*."""
    home = config.get("lives", {}).get("in", HOME)
    yield f"FROM {_base(config.get('base', base), base)} AS {name}"
    yield f"LABEL blubber.variant={json.dumps(name)}"
    yield f"WORKDIR {home}"
    for key, value in _environment(config):
        if "\n" not in value:
            yield f"ENV {key}={_quoted(value)}"
    for builder in _builders(config):
        for item in builder.get("requirements", ()):
            yield _copy(_copy_config(item))
        yield f"RUN {_words(builder['command'])}"
    for copy in _copies(config):
        yield _copy(copy)
    if "entrypoint" in config:
        yield f"ENTRYPOINT {_words(config['entrypoint'])}"


def _base(image: str | None, base: str) -> str:
    """Return the base image: *image* if it is available without a network, otherwise *base*."""
    if image is None:
        return "scratch"
    return image if image.startswith(("localhost/", "127.0.0.1:")) else base


def _environment(config: Config) -> tuple[tuple[str, str], ...]:
    """Return the variables of the image."""
    return tuple((key, str(value)) for key, value in config.get("runs", {}).get("environment", {}).items())


def _builders(config: Config) -> tuple[Config, ...]:
    """Return the custom builders, the older `builder` first."""
    first = [config["builder"]] if "builder" in config else []
    return tuple(item.get("custom", item) for item in (*first, *config.get("builders", ())))


def _copies(config: Config) -> tuple[Config, ...]:
    """Return the copies of the variant, with short forms expanded."""
    return tuple(_copy_config(item) for item in config.get("copies", ()))


def _copy_config(item: str | Config) -> Config:
    """Return an item of `copies` or `requirements`; a single word is `local`, a variant or a file."""
    if isinstance(item, str):
        if item == "local":
            return {"from": "local", "source": ".", "destination": "."}
        if "." in item or "/" in item:
            return {"from": "local", "source": item, "destination": item}
        return {"from": item, "source": HOME, "destination": HOME}
    source = item.get("source", ".")
    return {"from": item.get("from", "local"), "source": source, "destination": item.get("destination", source)}


def _copy(copy: Config) -> str:
    """Return the COPY instruction of *copy*."""
    origin = "" if copy["from"] == "local" else f"--from={copy['from']} "
    return f"COPY {origin}{_words([copy['source'], copy['destination']])}"


def _words(command: object) -> str:
    """Return *command* in the exec form of an instruction; text is a command of one word."""
    words = command if isinstance(command, list) else [command]
    return json.dumps([str(word) for word in words], ensure_ascii=False)


def _quoted(value: str) -> str:
    """Return *value* in double quotes, without expansions."""
    for character in ("\\", '"', "$"):
        value = value.replace(character, f"\\{character}")
    return f'"{value}"'
