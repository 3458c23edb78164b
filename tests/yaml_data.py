"""Data of YAML texts, read by libyaml: about ten times as fast as a parser in Python."""

from __future__ import annotations

from typing import Any

import yaml


def yaml_data(text: str) -> Any:
    """Return the data of the YAML *text*, in the types of YAML 1.1, as GitLab reads it."""
    return yaml.load(text, yaml.CSafeLoader)
