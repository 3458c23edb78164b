"""YAML readers for reading back the output of our writer."""

from collections.abc import Callable
from typing import Any

import yaml
from ruamel.yaml import YAML


def _ruamel(version: tuple[int, int]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        return reader.load(text)

    return read


def _libyaml(text: str) -> Any:
    return yaml.load(text, Loader=yaml.CSafeLoader)


READERS: dict[str, Callable[[str], Any]] = {
    "PyYAML": yaml.safe_load,
    "ruamel 1.1": _ruamel((1, 1)),
    "ruamel 1.2": _ruamel((1, 2)),
    # The library inside Ruby's Psych, with which GitLab reads YAML.
    **({"libyaml": _libyaml} if yaml.__with_libyaml__ else {}),
}


def read_everywhere(text: str) -> dict[str, Any]:
    """Return the result of each reader for *text*."""
    return {name: read(text) for name, read in READERS.items()}
