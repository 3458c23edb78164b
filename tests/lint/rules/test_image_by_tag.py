"""Images that a tag names are told of in one go."""

from __future__ import annotations

from lint.findings import asked, stages

from pipegen.lint.rules.image_by_tag import check

DIGEST = "sha256:4b7ce07002c69e8f3d704a9c5d6fd3053be500b7f1c69fc0d80990c2ad8dd412"


def test_all_tags_are_one_note() -> None:
    """Each name once, at its first place; a digest, and what moves anyway, are no part of it."""
    text = stages(
        f"{{name: a, image: 'node:22', services: ['db:1', 'q:2@{DIGEST}'], script: [ls]}}",
        "{name: b, image: 'node:22', script: [ls]}",
        "{name: c, image: 'node:latest', script: [ls]}",
    )
    (found,) = asked(check, text)

    assert found.message == 'images "node:22", "db:1" are pinned by a tag, which can move; a digest cannot'
    assert found.primary is not None
    assert [label.span.text.strip("'") for label in (found.primary, *found.related)] == ["node:22", "db:1"]


def test_nothing_is_said_of_digests() -> None:
    """What is pinned is fine."""
    assert (
        asked(check, stages(f"{{name: a, image: 'node:22@{DIGEST}', script: [ls]}}", "{name: b, script: [ls]}")) == ()
    )
