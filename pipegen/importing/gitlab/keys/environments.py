"""Environments, and tokens for other services."""

from __future__ import annotations

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.keys.base import KeyContext, Translation, present, raw_data
from pipegen.importing.gitlab.tree import text_of, texts_of
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import Scalar


def environment(context: KeyContext) -> Translation:
    """Return the environment that a job deploys to; how it is stopped stays raw."""
    node = context.job.get("environment")
    if node is None:
        return Translation()
    if isinstance(node, Scalar):
        return Translation({"environment": context.texts.expanded(text_of(node))})
    entries = present(node)
    if "name" not in entries:
        raise UntranslatableError("the environment has no name")
    value: dict[str, Data] = {
        key: context.texts.expanded(text_of(entries[key].value)) for key in ("name", "url") if key in entries
    }
    is_start = "action" in entries and text_of(entries["action"].value) == "start"
    others = tuple(
        entry for key, entry in entries.items() if key not in ("name", "url") and not (key == "action" and is_start)
    )
    raw = {"environment": {entry.key.text: raw_data(entry.value) for entry in others}} if others else {}
    return Translation({"environment": value if len(value) > 1 else value["name"]}, raw, others)


def id_tokens(context: KeyContext) -> Translation:
    """Return the ID tokens of a job as secrets."""
    secrets: dict[str, Data] = {}
    for name, entry in present(context.job.get("id_tokens")).items():
        audience = present(entry.value)
        if set(audience) != {"aud"}:
            raise UntranslatableError("an ID token without an audience")
        texts = [context.texts.constant(text, "an audience") for text in texts_of(audience["aud"].value)]
        secrets[name] = {"id_token": texts[0] if len(texts) == 1 else list(texts)}
    return Translation({"secrets": secrets} if secrets else {})
