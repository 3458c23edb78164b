"""The same data in other YAML: other quotes, block and flow style, aliases in place of repeated values."""

from __future__ import annotations

import json
import re
from random import Random

# Strings that YAML 1.1 and 1.2 both read as strings without quotes or indicators.
_PLAIN = re.compile(r"[a-z]+([ ./-][a-z]+)*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


class Rewording:
    """Writes data with a random style for each value, chosen by *dice*."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._anchors: dict[str, str] = {}

    def text(self, data: dict[str, object]) -> str:
        """Return *data* as YAML."""
        return self._block(data, 0).lstrip("\n")

    def _block(self, value: object, indent: int) -> str:
        """Return *value* in the form that follows a key or the dash of an item with the indentation *indent*."""
        alias = self._alias(value)
        if alias:
            return f" {alias}\n"
        mark, inner = self._anchor(value), " " * (indent + 2)
        if not isinstance(value, dict | list) or not value or self._dice.random() < 1 / 3:
            if isinstance(value, str) and self._dice.random() < 1 / 4 and re.fullmatch(r"\S(.|\n)*[^\s]", value):
                lines = "".join(f"{inner}{line}\n" if line else "\n" for line in value.split("\n"))
                return f" {mark}|-\n{lines}"
            return f" {mark}{self._flow(value)}\n"
        if isinstance(value, dict):
            entries = [f"{inner}{self._scalar(key)}:{self._block(entry, indent + 2)}" for key, entry in value.items()]
        else:
            entries = [f"{inner}-{self._block(entry, indent + 2)}" for entry in value]
        return f" {mark}".rstrip() + "\n" + "".join(entries)

    def _flow(self, value: object) -> str:
        """Return *value* on one line, without an anchor."""
        match value:
            case dict():
                return (
                    "{" + ", ".join(f"{self._scalar(key)}: {self._within(entry)}" for key, entry in value.items()) + "}"
                )
            case list():
                return "[" + ", ".join(map(self._within, value)) + "]"
            case str():
                return self._scalar(value)
        return json.dumps(value)

    def _within(self, value: object) -> str:
        return self._alias(value) or self._anchor(value) + self._flow(value)

    def _scalar(self, text: str) -> str:
        styles = [json.dumps(text, ensure_ascii=self._dice.random() < 1 / 2)]
        if "\n" not in text:
            styles.append("'" + text.replace("'", "''") + "'")
        if _PLAIN.fullmatch(text) and text not in _WORDS:
            styles.append(text)
        return self._dice.choice(styles)

    def _anchor(self, value: object) -> str:
        """Return the anchor of *value*, which is written next, if it has one."""
        if self._dice.random() < 1 / 2:
            return ""
        name = f"a{len(self._anchors)}"
        # Nested values are written before their parent ends: no alias may refer to a value that contains it.
        self._anchors[name] = json.dumps(value)
        return f"&{name} "

    def _alias(self, value: object) -> str:
        names = [name for name, known in self._anchors.items() if known == json.dumps(value)]
        return f"*{self._dice.choice(names)}" if names and self._dice.random() < 1 / 2 else ""
