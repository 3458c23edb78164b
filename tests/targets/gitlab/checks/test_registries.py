"""Who jobs are to the registry that the settings name."""

import pytest
from targets.gitlab.compiled import compiled

PUBLISHED = "{ name: app, build: app, publish: { image: true } }"
SHARED = "{ name: app, build: app }, { name: use, run: { image: '${app.imageID}' } }"
BUILT = "{ name: app, build: app, run: true }"
OTHER = "registry: registry.example.org"


@pytest.mark.parametrize(
    ("stages", "settings", "is_told"),
    [
        (PUBLISHED, OTHER, True),
        (SHARED, OTHER, True),
        (SHARED, f"{OTHER}, images: local, tags: [shell]", False),
        (PUBLISHED, f"{OTHER}, registry_credential: login", False),
        (PUBLISHED, "images: registry", False),
        (BUILT, OTHER, False),
    ],
)
def test_a_job_token_is_for_the_own_registry(stages: str, settings: str, is_told: bool) -> None:  # noqa: FBT001
    """Where jobs push to another one without a credential, that is told at its name."""
    made = compiled(f"{{ pipelines: {{ p: {{ stages: [{stages}] }} }}, targets: {{ gitlab: {{ {settings} }} }} }}")

    assert (("PG670", "registry.example.org") in made.found()) == is_told
