"""Images without a pinned version."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.unpinned_image import check


@pytest.mark.parametrize(
    ("image", "is_tested"),
    [
        ("node", True),
        ("node:latest", True),
        ("node:LATEST", True),
        ("nginx:latest-alpine", True),
        ("rust:nightly-slim", True),
        ("app:main", True),
        ("localhost:5000/app", True),
        ("node:22", False),
        ("node:22-slim", False),
        ("maven:3.9-eclipse-temurin-21", False),
        ("debian:trixie-slim", False),
        ("app:maintenance", False),
        ("app:development-kit-2", False),
        ("node@sha256:0123", False),
        ("node:latest@sha256:0123", False),
        ("localhost:5000/app:1.0", False),
        ("${setup.project}", False),
        ("node:${inputs.version}", False),
        ("${inputs.version}:latest", True),
    ],
)
def test_unpinned_images_are_reported(image: str, is_tested: bool) -> None:  # noqa: FBT001 - a table
    """They have no tag, or a tag that follows a branch or a channel."""
    head = "inputs: {version: '22'}\n"

    assert bool(findings(check, stages(f"{{name: a, image: '{image}', script: [ls]}}", head=head))) is is_tested


def test_services_and_images_that_are_not_pulled() -> None:
    """Services are images, too; an image that is never pulled cannot change."""
    text = stages(
        "{name: a, image: {name: built-here, pull: never}, services: [redis, 'postgres:16'], script: [ls]}",
    )

    assert findings(check, text) == [(4, "redis")]


def test_images_outside_stages() -> None:
    """They are in settings of targets, in inline Blubber files and in raw keys for GitLab."""
    settings = "targets: {gitlab: {tools: {helm: helm, git: $GIT}, frontend: 'b:main'}, jenkins: {frontend: b}}\n"
    text = stages(
        "{name: a, blubberfile: {version: v4, base: node, variants: {v: {base: 'd:a-nightly'}, w: {}}}, build: v}",
        "{name: b, script: [ls], raw: {gitlab: {image: {name: app}, services: [db, {name: 'q:1'}]}}}",
        head=settings,
    )

    names = [word.strip("'") for _, word in findings(check, text)]

    assert names == ["helm", "b:main", "b", "node", "d:a-nightly", "app", "db"]
