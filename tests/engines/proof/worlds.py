"""Repositories and images for the execution of configs."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from engines.containers import BASE, Containers
from engines.proof.execution import CONFIG

HERE = Path(__file__).parent
SEE = HERE / "see"
_DOCKERFILE = f'FROM {BASE}\nWORKDIR /srv/app\nCOPY . .\nENTRYPOINT ["sh", "see"]\n'
_AUTHOR = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "Test"), ("EMAIL", "test@example.org"), ("DATE", "2022-01-31T16:47:55Z"))
}
_UPDATE = """\
#!/usr/bin/env python3
import json, sys
with open("calls", "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
"""
# As in Gerrit, a push to refs/for/BRANCH creates a separate change.
_MAKE_CHANGES = """\
#!/bin/sh
while read -r old new ref; do
    git update-ref "refs/changes/$(git for-each-ref refs/changes | wc -l)" "$new"
    git update-ref -d "$ref"
done
"""


def repository(folder: Path, tree: Path | None = None, files: Mapping[str, str] | None = None) -> Path:
    """Initialize *folder* as a repository with one commit of the files in *tree*, *files*, and `see`; return it."""
    if tree is not None:
        shutil.copytree(tree, folder)
    for name, text in {**(files or {}), "see": SEE.read_text("utf-8")}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    _commit(folder, "main")
    return folder


def configured(folder: Path, config: str, **files: str) -> Path:
    """Initialize *folder* as a repository with *config*, and *files* below `act`; return it."""
    return repository(folder, files={CONFIG: config, **{f"act/{name}": text for name, text in files.items()}})


def charts(folder: Path) -> Path:
    """Initialize *folder* as a bare repository of deployment charts whose script records its calls; return it."""
    source = folder.with_name(f"{folder.name}-source")
    repository(source, files={"update_version/update_version.py": _UPDATE})
    subprocess.run(("git", "-C", str(source), "branch", "--quiet", "-m", "master"), check=True)
    subprocess.run(("git", "clone", "--quiet", "--bare", str(source), str(folder)), check=True)
    hook = folder / "hooks/post-receive"
    hook.write_text(_MAKE_CHANGES, encoding="utf-8")
    hook.chmod(0o755)
    return folder


def image(containers: Containers, folder: Path, **acts: str) -> str:
    """Return the ID of an image that runs `see`; *acts* are the actions of stages by name."""
    context = folder / "context"
    (context / "act").mkdir(parents=True)
    shutil.copy(SEE, context)
    for stage, text in acts.items():
        (context / "act" / stage).write_text(text, encoding="utf-8")
    (folder / "Dockerfile").write_text(_DOCKERFILE, encoding="utf-8")
    name = f"localhost/proof/{folder.name}"
    containers.docker("build", "--file", str(folder / "Dockerfile"), "--tag", name, str(context))
    result = containers.docker("image", "inspect", "--format", "{{.Id}}", name).stdout.strip()
    return result.removeprefix("sha256:")


def _commit(folder: Path, branch: str) -> None:
    environment = {**os.environ, **_AUTHOR, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    for command in (f"init --quiet --initial-branch={branch}", "add --all", "commit --quiet --message=all"):
        subprocess.run(("git", "-C", str(folder), *command.split()), env=environment, check=True)
