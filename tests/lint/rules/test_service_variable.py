"""Variables of a stage that its services need."""

from __future__ import annotations

import pytest
from lint.findings import diagnostics_of, findings, stages

from pipegen.lint.rules import service_variable


def read(services: str, env: str) -> list[str]:
    """Return the underlined text in a stage with *services* and *env*."""
    stage = f"{{name: a, image: 'python:3.12', services: [{services}], env: {{{env}}}, script: 'make test'}}"
    return [text for _, text in findings(service_variable.check, stages(stage))]


@pytest.mark.parametrize(
    ("services", "env", "expected"),
    [
        ("'postgres:16'", "POSTGRES_PASSWORD: x", ["postgres:16"]),
        ("postgres", "POSTGRES_HOST_AUTH_METHOD: trust", ["postgres"]),
        ("'registry.example.org:5000/postgis/postgis:16-3.4'", "POSTGRES_PASSWORD: x", ["postgis"]),
        ("'mysql:8'", "MYSQL_ROOT_PASSWORD: x", ["mysql:8"]),
        ("'mariadb:11'", "MYSQL_ROOT_PASSWORD: x", ["mariadb:11"]),
        ("'docker:27-dind'", "DOCKER_TLS_CERTDIR: ''", ["docker:27-dind"]),
        ("'docker:27-dind'", "DOCKER_TLS_CERTDIR: /certs", []),
        ("{image: 'postgres:16', env: {POSTGRES_PASSWORD: x}}", "POSTGRES_PASSWORD: x", []),
        ("{image: 'postgres:16', env: {POSTGRES_HOST_AUTH_METHOD: trust}}", "POSTGRES_PASSWORD: x", []),
        ("{image: 'postgres:16', env: {POSTGRES_PASSWORD: x}}", "POSTGRES_HOST: postgres, POSTGRES_DB: a", []),
        ("'postgres:16'", "DATABASE_URL: 'postgres://postgres'", []),
        ("'redis:7'", "POSTGRES_PASSWORD: x", []),
    ],
)
def test_a_service_without_a_variable_that_it_needs(services: str, env: str, expected: list[str]) -> None:
    """The entry points of these images end without a password; the daemon of Docker listens on another port."""
    assert [text in found for text, found in zip(expected, read(services, env), strict=True)] == [True] * len(expected)


def test_the_hint_has_the_variables_of_the_service() -> None:
    """Variables with the same prefix belong to the service, too."""
    stage = (
        "{name: a, image: 'python:3.12', services: ['postgres:16'], script: make, "
        "env: {POSTGRES_PASSWORD: x, POSTGRES_DB: shop, OTHER: y}}"
    )
    (diagnostic,) = diagnostics_of(service_variable.check, stages(stage))

    assert diagnostic.hint == 'write "{image: postgres:16, env: {POSTGRES_PASSWORD: x, POSTGRES_DB: shop}}"'


def test_variables_of_the_defaults() -> None:
    """Variables of the pipeline are in `env` of each stage."""
    stage = "{name: a, image: 'python:3.12', services: [postgres], script: make}"
    config = stages(stage, pipeline="defaults: {env: {POSTGRES_PASSWORD: x}}")

    assert [text for _, text in findings(service_variable.check, config)] == ["postgres"]
