"""`pipegen run` with stages in images: real containers, all of which are removed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import until
from engines.containers import BASE, Containers
from engines.proof.execution import CONFIG
from engines.proof.worlds import repository
from engines.proof.yaml_text import yaml_text

pytestmark = pytest.mark.xdist_group("run-in-containers")

PORT = 8377
SERVE = f"mkdir /srv/w; echo served >/srv/w/x; exec httpd -f -p {PORT} -h /srv/w"
DOCKERFILE = f'FROM {BASE}\nARG WHO\nRUN echo "$WHO" >/who\n'
STAGES: dict[str, dict[str, object]] = {
    "make": {
        "image": BASE,
        "env": {"E": "x  y"},
        "script": ['test ! -e /usr; printf "%s %s" "$E" "$TOKEN" >made', "exit 0"],
        "secrets": {"TOKEN": "deploy-token"},
        "outputs": {"v": {"command": "cat made"}, "tag": {"command": "echo latest"}},
        "artifacts": ["made"],
    },
    "use": {
        "image": {"name": f"{BASE}:${{make.tag}}", "entrypoint": []},
        "script": ['test "${make.v}" = "$(cat made)"; test "$(wc -c <made)" -eq 17; cat made', "false"],
        "after": ['echo "after <${make.v}>"'],
    },
    "served": {
        "image": BASE,
        "services": [
            {
                "image": BASE,
                "alias": "web",
                "command": ["sh", "-c", SERVE],
                "ready": f"wget -q -O /dev/null http://web:{PORT}/x",
            }
        ],
        "script": [f"wget -q -O - http://web:{PORT}/x"],
    },
    "slow": {"image": BASE, "timeout": 2, "script": ["trap 'echo told; exit 0' TERM", 'sleep 60 & wait "$!"']},
    "built": {
        "directory": "folder",
        "image": {"dockerfile": "Dockerfile", "build_args": {"WHO": "it's me"}},
        "script": ["cat /who"],
    },
    "none": {"image": {"name": "localhost/pipegen-test/none", "pull": "never"}, "script": ["true"]},
}


def started(containers: Containers, folder: Path, stages: dict[str, dict[str, object]]) -> subprocess.Popen[str]:
    """Return a started run of *stages*."""
    arcs = [[name] for name in stages] + ([["make", "use"]] if "use" in stages else [])
    text = yaml_text(
        {"pipelines": {"p": {"stages": [{"name": name, **keys} for name, keys in stages.items()], "execution": arcs}}}
    )
    place = repository(folder / "repository", files={CONFIG: text, "folder/Dockerfile": DOCKERFILE})
    around = {
        "DOCKER": shutil.which("podman") or "podman",
        "PIPEGEN_NETWORK": "host",
        "DEPLOY_TOKEN": "s3cr3t value",
        "XDG_STATE_HOME": str(folder / "state"),
    }
    return subprocess.Popen(
        (sys.executable, "-c", "from pipegen.__main__ import main; main()", "run", CONFIG, "--isolated", "-j", "6"),
        cwd=place,
        env={**os.environ, **containers.environment, **around},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def logs(folder: Path) -> dict[str, str]:
    """Return the logs of stages."""
    return {path.stem: path.read_text("utf-8") for path in (folder / "state").rglob("*.log")}


def left(containers: Containers) -> list[str]:
    """Return the names of remaining containers of runs."""
    return [
        name for name in containers.docker("ps", "--all", "--format", "{{.Names}}").stdout.split() if "stage" in name
    ]


def left_images(containers: Containers) -> list[str]:
    """Return the names of remaining images that runs built; other tests have images in the same store."""
    names = containers.docker("images", "--format", "{{.Repository}}").stdout.split()
    return [name for name in names if re.match("localhost/pipegen-.*-stage", name)]


def test_stages_run_in_their_images(containers: Containers, tmp_path: Path) -> None:
    """With values, files, secrets and services; a timeout applies inside, and no container remains."""
    run = started(containers, tmp_path, STAGES)
    text, _ = run.communicate(timeout=120)
    values = logs(tmp_path)

    assert run.returncode == 1
    assert values["use"] == "x  y [masked]after <x  y [masked]>\n", text
    assert "use failed: exit status 1" in text
    assert values["served"].splitlines()[-1] == "served"
    assert values["built"].splitlines()[-1] == "it's me"
    assert left_images(containers) == []
    assert "slow failed: it took more than 2 s" in text
    assert "none failed: its container did not start" in text
    assert left(containers) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_containers(containers: Containers, tmp_path: Path, number: int) -> None:
    """Even if it cannot clean up itself."""
    run = started(containers, tmp_path, {"long": {"image": BASE, "script": ["echo on", "sleep 300"]}})
    until(lambda: "on\n" in logs(tmp_path).get("long", ""))
    assert len(left(containers)) == 1
    run.send_signal(number)
    run.communicate(timeout=60)

    until(lambda: left(containers) == [])
