"""Configs made from data: JSON, which YAML reads as it is meant."""

import json
import re

# What YAML takes for a line break or for no text, and JSON leaves as it stands.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_text(data: object) -> str:
    """Return *data* as YAML, whatever its texts hold."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
