"""Services of GitLab get the variables of their job; those of a config get only their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages
from yaml_data import yaml_data

VARIABLES = "DB_HOST: db, POSTGRES_PASSWORD: test, MYSQL_USER: app, MONGO_INITDB_DATABASE: data, DOCKER_DRIVER: vfs"


@pytest.mark.parametrize(
    ("image", "env"),
    [
        ("postgres:16", {"POSTGRES_PASSWORD": "test"}),
        ("registry.example.org/mirror/postgis:16-3@sha256:abc", {"POSTGRES_PASSWORD": "test"}),
        ("mariadb", {"MYSQL_USER": "app"}),
        ("mongo:7", {"MONGO_INITDB_DATABASE": "data"}),
        ("docker:28-dind", {"DOCKER_DRIVER": "vfs"}),
    ],
)
def test_a_service_gets_the_variables_that_its_image_reads(image: str, env: dict[str, str], tmp_path: Path) -> None:
    """The generated job sets them, so that its service needs no other variables."""
    result, report = from_text(
        f"unit: {{ script: [t], services: ['{image}'], variables: {{ {VARIABLES} }} }}\n", tmp_path
    )
    (stage,) = yaml_data(result.text)["pipelines"]["ci"]["stages"]
    (service,) = yaml_data(result.generated[-1].text)["unit"]["services"]

    assert messages(report) == ""
    assert stage["services"] == [{"image": image, "env": env}]
    assert len(stage["env"]) == 5
    assert "variables" not in service


def test_a_variable_with_the_value_of_the_image_is_only_that_of_the_job(tmp_path: Path) -> None:
    """Daemons put their certificates there by default: https://hub.docker.com/_/docker."""
    keys = "script: [t], services: [docker:28-dind], variables: { DOCKER_TLS_CERTDIR: /certs }"
    result, _ = from_text(f"unit: {{ {keys} }}\n", tmp_path)

    assert "services: [docker:28-dind]" in result.text
    assert "env: { DOCKER_TLS_CERTDIR: /certs }" in result.text


@pytest.mark.parametrize(
    ("image", "is_reference"),
    [("postgres", True), ("redis", True), ("docker:dind", True), ("broker", False), ("$IMAGE", False)],
)
def test_variables_that_no_service_reads_stay_references(image: str, tmp_path: Path, *, is_reference: bool) -> None:
    """The image that a variable names is not known, and may read all."""
    variables = "HOST: db, URL: 'http://$HOST/$TOKEN'"
    source = f"unit: {{ script: [t], services: ['{image}'], variables: {{ {variables} }} }}\n"
    result, _ = from_text(source, tmp_path)

    assert "URL: http://${HOST}/${TOKEN}" in result.text
    assert ("raw" not in result.text) is is_reference


def test_a_value_that_only_the_run_knows_is_that_of_the_job(tmp_path: Path) -> None:
    """The env of a service is constant."""
    variables = "POSTGRES_USER: app, POSTGRES_PASSWORD: $SECRET"
    result, _ = from_text(f"unit: {{ script: [t], services: [postgres], variables: {{ {variables} }} }}\n", tmp_path)
    job = yaml_data(result.generated[-1].text)["unit"]

    assert "services: [{ image: postgres, env: { POSTGRES_USER: app } }]" in result.text
    assert job["variables"] == {"POSTGRES_USER": "app", "POSTGRES_PASSWORD": "$SECRET"}
