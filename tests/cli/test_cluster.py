"""The cluster file and the machines that it defines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pipegen.assets import folder
from pipegen.diagnostics.report import Report, Stopped
from pipegen.fleet.reading.cluster import read_cluster
from pipegen.run.model import RunMachine


def test_machines_of_one_item_are_numbered(tmp_path: Path) -> None:
    """The default of `slots` is 1; other missing amounts have no limit."""
    path = tmp_path / "cluster.yaml"
    path.write_text(
        "machines:\n"
        "  - {name: linux, count: 2, slots: 4, cpu: 1.5, memory: 4Gi, labels: [linux, docker]}\n"
        "  - {name: mac, cpu: 500m, labels: macos}\n",
        encoding="utf-8",
    )

    assert read_cluster(path, Report()) == (
        *(
            RunMachine(name=name, slots=4, cpu=1500, memory=4 * 2**30, labels=("linux", "docker"))
            for name in ("linux-1", "linux-2")
        ),
        RunMachine(name="mac", slots=1, cpu=500, labels=("macos",)),
    )


def test_a_cluster_file_may_be_json(tmp_path: Path) -> None:
    """JSON is valid YAML."""
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"machines": [{"name": "m", "slots": 0x10}]}), encoding="utf-8")

    assert read_cluster(path, Report()) == (RunMachine(name="m", slots=16),)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("machines: []\n", {"PG204"}),
        ("- name: linux\n", {"PG202"}),
        ("machines: {linux: {slots: 4}}\n", {"PG202"}),
        ("machines: [{name: linux, slots: 0}]\n", {"PG204"}),
        ("machines: [{name: linux, memory: much}]\n", {"PG204"}),
        ("machines: [{name: a}, {name: a}]\nmachine: 1\n", {"PG201"}),
        ("machines: [{name: linux, count: 99999999999}]\n", {"PG204"}),
        ("", {"PG104"}),
        ("machines: [\n", {"PG102"}),
    ],
)
def test_invalid_cluster_files_are_reported(text: str, codes: set[str], tmp_path: Path) -> None:
    """There is no traceback, and no machines are returned."""
    path = tmp_path / "cluster.yaml"
    path.write_text(text, encoding="utf-8")
    report = Report()

    with pytest.raises(Stopped):
        read_cluster(path, report)
    assert {diagnostic.code.number for diagnostic in report.diagnostics()} == codes


def test_the_cluster_schema_and_its_examples_are_valid() -> None:
    """Every property has a description, and its examples and default match it."""
    schema = json.loads((folder("schemas") / "cluster.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    machine = schema["$defs"]["machine"]["properties"]
    parts = [schema["properties"]["machines"], *machine.values()]

    assert all("description" in part for part in parts)
    for part in parts:
        validator = Draft202012Validator({"$defs": schema["$defs"], **part})
        for value in [*part.get("examples", []), *([part["default"]] if "default" in part else [])]:
            assert list(validator.iter_errors(value)) == []
