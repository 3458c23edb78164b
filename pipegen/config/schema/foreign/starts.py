"""Hints for keys that say how a stage starts: manually, with a delay, or after failures."""

from __future__ import annotations

from pipegen.config.schema.foreign.model import Use, elsewhere, instead, texts
from pipegen.config.schema.foreign.values import stage_name
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Sequence as List
from pipegen.source.tree import child, written_text


def run_condition(use: Use) -> str | None:
    """Return the hint for GitLab's words for `when`; None for other text."""
    word = written_text(use.value)
    match word:
        case "manual":
            return "remove it" if "approve" in use.siblings else 'write "approve: { optional: true }" instead'
        case "always" | "on_failure":
            return _at_the_end(use, "always" if word == "always" else "failed")
        case "delayed":
            start_in = use.siblings.get("start_in")
            return instead({"approve": {"delay": start_in if start_in is not None else "30 minutes"}})
        case "on_success":
            return "remove it: a stage runs if the stages before it succeed"
        case "never":
            return "remove the stage"
    return None


def final_status(use: Use) -> str:
    """Return the hint for the results after which a stage of Woodpecker runs."""
    results = set(texts(use.value))
    if results == {"success"}:
        return "remove it: a stage runs if the stages before it succeed"
    condition = Use(use.path[:-1], use.tree_paths)
    return _at_the_end(condition, "failed" if results == {"failure"} else "always")


def start_in(use: Use) -> str:
    """Return the hint for the delay of a job."""
    is_delayed = "when" in use.siblings
    return 'remove it: the hint for "when" covers it' if is_delayed else instead({"approve": {"delay": use.value}})


def _at_the_end(use: Use, status: str) -> str:
    """Return the hint to name the stage in `finally`, for this *status* of the pipeline."""
    name, pipeline = stage_name(use), use.pipeline
    if not pipeline or not name:
        return 'name the stage in "finally"'
    body = use.tree_paths.node(pipeline)
    node = child(body, "finally")
    if isinstance(node, List) and status != "always":
        return f'write "finally" as a map, and name the stage in its list "{status}"'
    is_list = status == "always" and not isinstance(node, Map)
    return elsewhere(use, pipeline, {"finally": [name] if is_list else {status: [name]}})
