"""Configs generated from data as JSON, which YAML readers accept."""

import json
import re

# Characters that JSON does not escape, and YAML reads as a line break or rejects.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_text(data: object) -> str:
    """Return *data* as YAML, for any text in it."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
