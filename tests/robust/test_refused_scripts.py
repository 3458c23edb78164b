"""The measurement of rejected references."""

from __future__ import annotations

from robust.refused_scripts import reasons, scripts, with_references


def test_constants_become_references() -> None:
    """A URL, a version, a tag and the last component of a path, one at a time, outside comments."""
    pairs = list(with_references("get https://a.org/b 1.2.3 # 1.2\nrun image:v1 a/b.txt"))

    assert [(kind, line) for kind, _, line in pairs if kind != "path"] == [
        ("URL", "get ${s.v} 1.2.3 # 1.2"),
        ("version", "get https://a.org/b ${s.v} # 1.2"),
        ("tag", "run image:${s.v} a/b.txt"),
    ]
    assert [line for kind, _, line in pairs if kind == "path"] == [
        "get https://a.org/${s.v} 1.2.3 # 1.2",
        "run image:v1 a/${s.v}",
    ]


def test_scripts_are_found_anywhere() -> None:
    """A text is a script, as is a list of lines."""
    assert list(scripts([{"job": {"script": ["a", "b"]}}, {"after_script": "c"}])) == ["a\nb", "c"]


def test_a_rejected_reference_has_a_reason() -> None:
    """The code and the message of the diagnostic."""
    assert reasons("echo ${s.v}") == []
    assert reasons("sh -c 'a ${s.v}'") == ['PG318 "${s.v}" would become part of a program for sh']
