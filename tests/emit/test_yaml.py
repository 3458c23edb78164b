"""Layout of the YAML writer."""

import time
from collections.abc import Mapping
from textwrap import dedent

import pytest

from pipegen.emit.yaml import Commented, Data, Flow, Folded, Value, write


def _lines(text: str) -> str:
    return dedent(text).removeprefix("\n")


def test_separates_top_level_entries_by_blank_lines() -> None:
    """The header is also followed by one."""
    written = write({"stages": Flow(["step 1", "step 2"]), "lint": {"retry": 1}}, ["Generated.", "", "Do not edit."])

    assert written == _lines("""
        # Generated.
        #
        # Do not edit.

        stages: [step 1, step 2]

        lint:
          retry: 1
        """)


def test_writes_a_dense_document() -> None:
    """Without `spaced`, there are no blank lines."""
    assert write({"a": 1, "b": {"c": 2}}, spaced=False) == "a: 1\nb:\n  c: 2\n"


def test_indents_sequences_under_their_key() -> None:
    """Items are indented by two, and the content of an item starts on the line of its dash."""
    written = write({"include": [{"local": "a.yml", "rules": [{"if": "$CI"}]}, ["x", ["deep"]], [{"k": "v"}]]})

    assert written == _lines("""
        include:
          - local: a.yml
            rules:
              - if: $CI
          - - x
            - - deep
          - - k: v
        """)


def test_writes_flow_style() -> None:
    """Maps have spaces inside their braces; sequences have none inside their brackets."""
    needs = [Flow({"job": "a, b", "artifacts": True}), Flow(["x:y", {"z": []}, ""]), Flow({}), Flow([])]

    assert write({"needs": needs}) == _lines("""
        needs:
          - { job: "a, b", artifacts: true }
          - [x:y, { z: [] }, ""]
          - {}
          - []
        """)


def test_writes_several_lines_as_a_literal_block() -> None:
    """The block header states how the text begins and ends, and blank lines have no spaces."""
    written = write({"a": "x\n\ny\n", "b": ["x\ny", "  x\ny\n"], "c": "x\ny\n\n", "d": "end"})

    assert written == (
        "a: |\n  x\n\n  y\n"  # one newline at the end
        "\n"
        "b:\n  - |-\n    x\n    y\n  - |2\n      x\n    y\n"  # none; a first line with blanks
        "\n"
        "c: |+\n  x\n  y\n\n"  # two newlines: the blank line is text
        "d: end\n"
    )


def test_folds_a_long_command() -> None:
    """Each part is on its own line; a single part or parts with unusual spaces are on one line."""
    script = [Folded(("helm install x", "--set a=b", "--wait")), Folded(("alone",)), Folded((" odd", "#end"))]

    assert write({"script": script}) == _lines("""
        script:
          - >-
            helm install x
            --set a=b
            --wait
          - alone
          - " odd #end"
        """)


def test_writes_comments_above_and_beside() -> None:
    """A comment is above its entry at the same depth, or two spaces after the entry's first line."""
    script: list[Value] = [
        "make",
        Commented("mkdir out", above="outputs\n\nmore"),
        Commented("a\nb\n", beside="block"),
        Commented({"k": "v"}, above="map"),
        {"k": Commented("v", above="first key")},
    ]
    written = write({"job": Commented({"script": script}, above="the job", beside="here")})

    assert written == _lines("""
        # the job
        job:  # here
          script:
            - make
            # outputs
            #
            # more
            - mkdir out
            - |  # block
              a
              b
            # map
            - k: v
            -
              # first key
              k: v
        """)


def test_escapes_line_breaks_in_comments() -> None:
    """A comment must not become an entry."""
    written = write({"a": Commented(1, above="x\u2028b: 2\r\x85c: 3", beside="y\nd: 4")}, ["z\re: 5"])

    assert written == "# z\\re: 5\n\n# x\\u2028b: 2\\r\\x85c: 3\na: 1  # y\\nd: 4\n"


@pytest.mark.parametrize(
    ("document", "written"),
    [({}, "{}\n"), ([], "[]\n"), ({"a": {}, "b": []}, "a: {}\n\nb: []\n"), ([{}, []], "- {}\n\n- []\n")],
)
def test_writes_empty_collections(document: Mapping[str, Value] | list[Value], written: str) -> None:
    """They are in flow style, because block style cannot express them."""
    assert write(document) == written


def test_writes_the_same_object_twice() -> None:
    """A repeated object is written again, without anchors."""
    shared: Data = {"tags": ["a"]}

    assert write({"a": shared, "b": shared}) == "a:\n  tags:\n    - a\n\nb:\n  tags:\n    - a\n"


def test_writes_a_big_document_fast() -> None:
    """10,000 jobs take well under a second."""
    document: dict[str, Value] = {
        f"job {job}": {
            "stage": "step 1",
            "needs": [Flow({"job": f"job {job - index}", "artifacts": True}) for index in range(4)],
            "script": ["make dist", f'printf %s "$v{job}" > .pipegen/outputs/{job}', "for x in a b; do\n  y\ndone\n"],
        }
        for job in range(10_000)
    }
    start = time.process_time()
    write(document)

    assert time.process_time() - start < 2  # 0.3 s on an idle machine
