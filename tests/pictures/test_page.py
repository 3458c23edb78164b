"""A picture as a page; tests/engines/test_pictures.py looks at it in a browser."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from pictures.sample_pictures import HOSTILE, picture

from pipegen.pictures.chart import Table, render_chart
from pipegen.pictures.page import render_page, script_json


class Elements(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.own: dict[str, list[str]] = {"script": [], "style": []}
        self.policy = ""
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the element."""
        self.tags.append(tag)
        self.inside = tag
        if tag in self.own:
            self.own[tag].append("")
        values = dict(attrs)
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"] or ""

    def handle_data(self, data: str) -> None:
        """Record the text of a script or style."""
        if self.inside in self.own:
            self.own[self.inside][-1] += data

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - what the parser hands on
        """Mark the end of *tag*, after which text is not recorded."""
        self.inside = ""


def csp_hash(text: str) -> str:
    """Return the hash of *text* as in a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_only_the_pages_own_style_and_script() -> None:
    """The policy lists their hashes and denies network access."""
    page = Elements(render_page("pipegen.yaml", [picture()]))
    _, script = page.own["script"]

    assert page.policy.startswith("default-src 'none'; ")
    assert f"style-src {csp_hash(page.own['style'][0])};" in page.policy
    assert f"script-src {csp_hash(script)};" in page.policy
    assert "unsafe" not in page.policy


def test_the_page_loads_nothing_from_the_network() -> None:
    """The only URL in it is the SVG namespace."""
    text = render_page("pipegen.yaml", [picture()])

    assert set(re.findall(r"[a-z]+://[^\"')\s]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|<link(?! rel=\"icon\" href=\"data:,\")|<img|<iframe|\bfetch\(|XMLHttp", text)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_adds_no_elements(name: str) -> None:
    """Neither names nor details of a stage can add markup."""
    hostile = Elements(render_page(name, [picture(name, name, {"script": name, "description": name})]))
    plain = Elements(render_page("pipegen.yaml", [picture(detail={"script": "make"})]))

    assert hostile.tags == plain.tags
    data = json.loads(hostile.own["script"][0])
    assert (data[0]["name"], data[0]["stages"][1]["script"]) == (name, name)


def test_json_in_a_script_cannot_end_the_element() -> None:
    """Line separators are escaped too."""
    text = script_json(["</script>", "<!--", "-->", "\u2028", "&amp;"])

    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == ["</script>", "<!--", "-->", "\u2028", "&amp;"]


def test_several_pipelines_have_tabs() -> None:
    """A page with one pipeline has no tabs."""
    assert render_page("pipegen.yaml", [picture("one"), picture("two")]).count('role="tab"') == 2
    assert 'role="tab"' not in render_page("pipegen.yaml", [picture()])


def test_a_chart_page_has_tables_and_one_style() -> None:
    """The chart's style moves to the page, text is escaped, and empty tables are omitted."""
    chart = '<svg xmlns="http://www.w3.org/2000/svg"><style>.bar{fill:red}</style><rect class="bar"/></svg>'
    tables = (Table("Stages", ("Stage",), (("<b>unit</b>",),)), Table("Waits", ("For",), ()))
    text = render_chart(title="<i>t</i>", heading="A run", words=("a & b",), chart=chart, tables=tables)
    page = Elements(text)

    assert page.policy.startswith(f"default-src 'none'; style-src {csp_hash(page.own['style'][0])};")
    assert ".bar{fill:red}" in page.own["style"][0]
    assert page.tags.count("style") == page.tags.count("table") == page.tags.count("rect") == 1
    assert "&lt;b&gt;unit&lt;/b&gt;" in text
    assert "b" not in page.tags
