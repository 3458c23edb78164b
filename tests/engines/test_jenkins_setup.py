"""Setup values on Jenkins, by the functions of a generated file."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from engines import jenkins_harness
from engines.requirement import require
from engines.sized import built

_CONFIG = 'pipelines: { p: { stages: [{ name: s, script: ["echo ${setup.project}"] }] } }\n'
_PROJECTS = {
    "https://git.example.org/group/service.git": "group/service",
    "https://git.example.org/r/group/service": "group/service",
    "https://git.example.org/group/service/": "group/service",
    "https://me@git.example.org:8443/group/sub/service.git/": "group/sub/service",
    "ssh://git@git.example.org:29418/group/service.git": "group/service",
    "git@git.example.org:group/service.git": "group/service",
    "git@git.example.org:/srv/service.git": "srv/service",
    "file:///a/b": "a/b",
    "file:///srv/git/b.git": "srv/git/b",
    "file://host/a/b.git": "a/b",
    "/srv/git/b.git": "srv/git/b",
    "../b": "../b",
}


def test_a_project_is_the_path_of_its_repository(
    repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """For any protocol, without leading and trailing slashes."""
    require(jenkins_harness.available())
    text = built(_CONFIG, "scripted").text
    expression = re.search(r'^env.PIPEGEN_PROJECT = "(.*)"$', text, re.MULTILINE)
    assert expression is not None
    function = f'def project(scm) {{ return "{expression[1]}" }}\n'
    script = function + "".join(
        f"echo '> ' + project([userRemoteConfigs: [[url: '{address}']]])\n" for address in _PROJECTS
    )
    done = jenkins_harness.run(script, repository({"pipegen.yaml": _CONFIG}), workdir=tmp_path / "work")

    assert [line[2:] for line in done.log.splitlines() if line.startswith("> ")] == list(_PROJECTS.values())
