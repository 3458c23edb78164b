"""An expanded config is valid for the schema."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pipegen.compiler import expand
from pipegen.config.schema.file import known_keys, pipelines_schema
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import plain

_STAGE = ("pipelines", "*", "stages", 0)
_INNER = sorted({"$each", "$in", "$merge", "$with", "A"}.union(*known_keys().values()))
_VALUES: st.SearchStrategy[object] = st.recursive(
    st.sampled_from([None, None, True, 0, 3, "", "5", "text", "${.stage}", ["a"]]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(_INNER), inner, max_size=3),
    max_leaves=5,
)
_EXAMPLES = {
    key: examples
    for key, value in pipelines_schema()["$defs"]["stage"]["properties"].items()
    if key not in {"name", "extends"} and (examples := value.get("examples"))
}
_KEYS = [key for key in known_keys()[_STAGE] if key not in {"name", "extends"}]
_PARTS = st.dictionaries(st.sampled_from(_KEYS), _VALUES | st.none(), max_size=3)
_WHOLE = st.fixed_dictionaries({}, optional={key: st.sampled_from(each) for key, each in _EXAMPLES.items()})


@pytest.mark.slow
@settings(deadline=None)
@given(defaults=_WHOLE | _PARTS, template=_PARTS, own=_PARTS)
def test_an_expanded_config_is_valid_or_reported(
    defaults: dict[str, object], template: dict[str, object], own: dict[str, object]
) -> None:
    """A config is either valid or has an error."""
    stage = {"name": "a", "extends": "t", **own}
    config = {"templates": {"t": template}, "pipelines": {"p": {"defaults": defaults, "stages": [stage]}}}
    report = Report()
    try:
        tree = expand(SourceFile("pipegen.yaml", json.dumps(config)), report)
    except Stopped:
        assert report.has_errors()
        return

    assert Draft202012Validator(dict(pipelines_schema())).is_valid(plain(tree))
