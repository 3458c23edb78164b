"""YAML scalars that mean the same in YAML 1.1 and 1.2."""

from __future__ import annotations

import json
import math
import re

from pipegen.bindings.expression import Constant

# A colon starts a value only before a blank or at the end.
_PLAIN = re.compile(r"[A-Za-z/](?:(?:[A-Za-z0-9_/.@+ -]|:(?! ))*[A-Za-z0-9_/.@+-])?")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+][0-9]+)?")
# Line breaks in YAML, and characters that YAML does not allow.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def plain_scalar(value: str | Constant) -> str:
    """Return *value* as a scalar on one line: text is unquoted if every reader reads it as text."""
    if isinstance(value, Constant):
        return _constant(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def _constant(constant: Constant) -> str:
    match constant.value:
        case None:
            return "null"
        case bool() as value:
            return "true" if value else "false"
        case int() as value:
            return str(value)
        case float() as value if math.isnan(value):
            return ".nan"
        case float() as value if math.isinf(value):
            return ".inf" if value > 0 else "-.inf"
        case value:
            return constant.text if _NUMBER.fullmatch(constant.text) else _float(value)


def _float(value: float) -> str:
    """Return *value* with a point, which YAML 1.1 requires in a float."""
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{exponent}{power}"
