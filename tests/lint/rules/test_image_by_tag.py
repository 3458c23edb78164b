"""Images with a tag are reported together."""

from __future__ import annotations

from lint.findings import diagnostics_of, stages

from pipegen.lint.rules.image_by_tag import check

DIGEST = "sha256:4b7ce07002c69e8f3d704a9c5d6fd3053be500b7f1c69fc0d80990c2ad8dd412"


def test_images_by_tag_are_one_diagnostic() -> None:
    """Each image is named once, at its first location; digests and unpinned images are left out."""
    text = stages(
        f"{{name: a, image: 'node:22', services: ['db:1', 'q:2@{DIGEST}'], script: [ls]}}",
        "{name: b, image: 'node:22', script: [ls]}",
        "{name: c, image: 'node:latest', script: [ls]}",
    )
    (diagnostic,) = diagnostics_of(check, text)

    assert diagnostic.message == 'images "node:22", "db:1" are pinned by a tag, which can move; a digest cannot'
    assert diagnostic.primary is not None
    assert [label.span.text.strip("'") for label in (diagnostic.primary, *diagnostic.related)] == ["node:22", "db:1"]


def test_digests_are_not_reported() -> None:
    """They are pinned."""
    assert (
        diagnostics_of(
            check, stages(f"{{name: a, image: 'node:22@{DIGEST}', script: [ls]}}", "{name: b, script: [ls]}")
        )
        == ()
    )
