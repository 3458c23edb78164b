"""The layout of what the YAML writer writes."""

import time
from collections.abc import Mapping
from textwrap import dedent

import pytest

from pipegen.emit.yaml import Commented, Data, Flow, Folded, Value, write


def _lines(text: str) -> str:
    return dedent(text).removeprefix("\n")


def test_separates_top_entries_by_blank_lines() -> None:
    """A header, then each entry of the document, a blank line between each two."""
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
    """A document that is not spaced has no blank lines of its own."""
    assert write({"a": 1, "b": {"c": 2}}, spaced=False) == "a: 1\nb:\n  c: 2\n"


def test_indents_sequences_under_their_key() -> None:
    """Items stand two deeper than the key; what is inside an item shares the line of the dash."""
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


def test_writes_needs_in_flow_style() -> None:
    """A mapping in flow style has blanks inside its braces, a sequence none inside its brackets."""
    needs = [Flow({"job": "a, b", "artifacts": True}), Flow(["x:y", {"z": []}, ""]), Flow({}), Flow([])]

    assert write({"needs": needs}) == _lines("""
        needs:
          - { job: "a, b", artifacts: true }
          - [x:y, { z: [] }, ""]
          - {}
          - []
        """)


def test_writes_several_lines_as_a_literal_block() -> None:
    """A block says how its text begins and ends, and blank lines in it carry no blanks."""
    written = write({"a": "x\n\ny\n", "b": ["x\ny", "  x\ny\n"], "c": "x\ny\n\n", "d": "end"})

    assert written == (
        "a: |\n  x\n\n  y\n"  # one newline at the end
        "\n"
        "b:\n  - |-\n    x\n    y\n  - |2\n      x\n    y\n"  # none; a first line with blanks
        "\n"
        "c: |+\n  x\n  y\n\n"  # two: the blank line is text
        "d: end\n"
    )


def test_folds_a_long_command() -> None:
    """The parts of a folded line stand below each other, one part alone or with odd blanks on one line."""
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
    """A comment stands at the depth of its entry, or two blanks behind the entry's first line."""
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


def test_lets_no_comment_become_an_entry() -> None:
    """Line breaks of any kind in a comment are written as escapes."""
    written = write({"a": Commented(1, above="x\u2028b: 2\r\x85c: 3", beside="y\nd: 4")}, ["z\re: 5"])

    assert written == "# z\\re: 5\n\n# x\\u2028b: 2\\r\\x85c: 3\na: 1  # y\\nd: 4\n"


@pytest.mark.parametrize(
    ("document", "written"),
    [({}, "{}\n"), ([], "[]\n"), ({"a": {}, "b": []}, "a: {}\n\nb: []\n"), ([{}, []], "- {}\n\n- []\n")],
)
def test_writes_empty_collections(document: Mapping[str, Value] | list[Value], written: str) -> None:
    """What is empty is written in flow style, as only that can say it."""
    assert write(document) == written


def test_writes_the_same_object_twice() -> None:
    """Data met again is written again: no anchors."""
    shared: Data = {"tags": ["a"]}

    assert write({"a": shared, "b": shared}) == "a:\n  tags:\n    - a\n\nb:\n  tags:\n    - a\n"


def test_writes_a_big_document_fast() -> None:
    """10,000 jobs take well under a second."""
    document: dict[str, Value] = {
        f"job {job}": {
            "stage": "step 1",
            "needs": [Flow({"job": f"job {job - place}", "artifacts": True}) for place in range(4)],
            "script": ["make dist", f'printf %s "$v{job}" > .pipegen/outputs/{job}', "for x in a b; do\n  y\ndone\n"],
        }
        for job in range(10_000)
    }
    start = time.process_time()
    write(document)

    assert time.process_time() - start < 2  # 0.3 s on a quiet machine
