"""Commands of imported jobs stay the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from importing.samples import from_text, messages
from ruamel.yaml import YAML

from pipegen.importing.gitlab.proof import prove


@pytest.mark.parametrize(
    ("command", "in_config"),
    [
        (r'echo "\${a.b}"', r'echo "\${a.b}"'),
        (r"echo '\${a.b}'", r"echo '\$${a.b}'"),
        (r"""echo "\${a.b}" '$${a.b}'""", r"""echo "\${a.b}" '$$${a.b}'"""),
        ("make # ${a.b}", "make # ${a.b}"),
        ("echo '${a.b}'", "echo '$${a.b}'"),
    ],
)
def test_text_like_a_reference_is_escaped_where_a_config_reads_it(command: str, in_config: str, tmp_path: Path) -> None:
    """After a backslash, `$${` is an escape only where the backslash is text."""
    result, report = from_text(json.dumps({"a": {"script": ["make"]}, "d": {"script": [command]}}), tmp_path)

    proof = prove(result)
    assert proof is not None
    assert (messages(report), proof.differences) == ("", ())
    assert YAML(typ="safe").load(result.text)["pipelines"]["ci"]["stages"][1]["script"] == [in_config]
