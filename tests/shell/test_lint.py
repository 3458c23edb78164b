"""Checks of generated scripts with shells and shellcheck."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from engines.requirement import require
from shell.world import HOSTILE, LOGIN, host, plan_of, script_of, text_of

from pipegen.plan.model import Credential, CredentialKind
from pipegen.shell.host import Images
from pipegen.source.text import SourceFile, Span

# SC2016: a user's `$` in single quotes is intended. SC1003: so is a backslash before the quote. SC2034: a loop need not
# use all the names that it binds. SC2153: the engine has names like ours in upper case.
EXPLAINED = "SC2016,SC1003,SC2034,SC2153"
CHECKS = {
    "dash": ("dash", "-n"),
    "bash": ("bash", "--posix", "-n"),
    "busybox": ("busybox", "sh", "-n"),
    "shellcheck": ("shellcheck", "--shell=sh", "--severity=style", f"--exclude={EXPLAINED}"),
}
SOURCE = {"name": "a", "build": "x", "run": {"tail": 9}}
NOWHERE = Span(SourceFile("p", ""), 0, 0)
NAMES = ("imageID", "imageLocalName", "output", "artifactURLs", "imageTags", "publishedImage")


def each(delimiter: str, names: object = "i", items: object = "${.i}") -> dict[str, object]:
    """Return a loop over the output of another stage."""
    return {"$each": names, "$in": "${a.output}", "$delimiter": delimiter, "$yield": items}


STEPS: dict[str, dict[str, object]] = {
    "plain": {},
    "constants": {"build": "v", "run": {"arguments": list(HOSTILE.values()), "env": {"A": HOSTILE["quotes"]}}},
    "values": {"build": "v", "run": {"tail": 3, "arguments": ["${a.output|it's}"], "env": {"A": "${a.output}${B}"}}},
    "lines": {"build": "v", "run": {"arguments": each("\n")}},
    "words": {"build": "v", "run": {"arguments": each("\n", ["k", "v"], "${.v}")}},
    "fields": {"build": "v", "run": {"arguments": each(",\n")}},
    "field words": {"build": "v", "run": {"arguments": each(",", ["k", "v"], "${.k}")}},
    "beyond ASCII": {"build": "v", "run": {"arguments": each("→,", ["k", "v"], "${.k}")}},
    "excludes": {"build": {"variant": "v", "excludes": ["*", "!x"], "imagePullPolicy": "${a.output}"}},
    "excludes of the run": {"build": {"variant": "v", "context": "${a.output}", "excludes": each("\n")}},
    "inline": {"blubberfile": {"version": "v4", "variants": {"v": {}}}, "build": "v"},
    "inline of the run": {
        "blubberfile": {"${a.output}": each("\n", "i", {"x": ["${.i}", each(",", "j", "${.j}")]})},
        "build": "v",
    },
    "copy": {"build": "v", "run": True, "copy": [{"source": "/x/", "destination": "y z", "archive": True}, "f"]},
    "copy of the run": {
        "build": "v",
        "run": True,
        "copy": each("\n", ["f", "t"], {"source": "${.f}", "destination": "${.t}", "archive": True}),
    },
    "copy from another": {"copy": [{"from": "${c.container}", "source": "${a.output}", "destination": "d"}]},
    "publish": {"build": "v", "publish": {"image": True}},
    "publish all": {"publish": {"image": {"id": "${c.imageID}", "name": "${a.output}", "tags": each("\n")}}},
    "promote": {"promote": [{"chart": "c", "environments": ["e", "${a.output}"], "version": "${a.output}"}]},
    "promote of the run": {
        "promote": each("\n", "i", {"chart": "${.i}", "environments": ["e"], "version": "1"}),
    },
    "deploy": {
        "deploy": {"image": "i", "tag": "${a.output}", "chart": {"name": "${a.output}", "version": "1"}, "timeout": 5}
    },
    "deploy all": {
        "deploy": {
            "image": "i",
            "tag": "t",
            "chart": {"name": "c"},
            "overrides": {"main_app": {"${a.output}": [1, "${a.output}"], "b": each("\n")}, "e": {"f": "${a.output}"}},
        }
    },
    "export": {"exports": {"e": "${a.output}${setup.logURL}"}},
    "trigger": {"trigger": {"name": "o", "parameters": {"A": "${a.output}"}}},
    "script": {
        "env": {"A": "${a.output|it's}", "B": "${B}"},
        "script": ["cd x", "echo '${a.output}' ${setup.tag}", "cat <<'END'\n${a.output}\nEND"],
        "outputs": {"v": {"command": "(echo a; echo b)"}, "w": {"file": "${a.output}"}},
        "artifacts": ["a/b", "*.xml"],
        "run": {"image": "${c.imageID}", "arguments": ["${.v}${.w}"]},
    },
    "image": {
        "image": "x:${a.output}",
        "services": ["redis", {"image": "example/db:1", "ready": "pg_isready -h db -U '${a.output}'"}],
        "env": {"A": "${a.output}"},
        "script": ["make"],
        "after": ["echo ${a.output} | cat", "cd /"],
    },
    "script that writes": {"script": ["make | tee log"], "outputs": ["v", "w.x"], "exports": {"e": "${.v}"}},
    "everything": {
        "build": "v",
        "run": {"tail": 2},
        "copy": [{"source": "/x", "destination": "${a.output}", "archive": True}],
        "publish": {"image": {"tags": ["${a.output}"]}},
    },
}
HOSTS = {
    "local": host(setup={"logURL": "$URL", "project": "$P", "timestamp": "$(date)", "tag": "$T"}.get),
    "registry": host(
        images=Images.REGISTRY,
        shares_daemon=False,
        login=LOGIN,
        archives_folders=True,
        setup={"project": "${P:-none}", "timestamp": "$(date | sed 's/ //')"}.get,
        after_values="$HOME/kept",
        expanded_variable=lambda job, name: f"V_{job.slug}_{name}",
        promote_credential=Credential(id="c", kind=CredentialKind.PASSWORD, variables=("U", "W"), span=NOWHERE),
    ),
    "shared": host(values="$HOME/values", promote_credential=None),
}


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("where", HOSTS)
def test_scripts_pass_shellcheck_and_syntax_checks(tmp_path: Path, check: str, where: str) -> None:
    """The only suppressed warnings are those explained above."""
    require(None if shutil.which(CHECKS[check][0]) else f"{CHECKS[check][0]} is not installed")
    paths = []
    for number, text in enumerate(dict.fromkeys(scripts(where))):
        path = tmp_path / f"{number}.sh"
        path.write_text(text, "utf-8", newline="")
        paths.append(str(path))
    commands = [[*CHECKS[check], *paths]] if check == "shellcheck" else [[*CHECKS[check], path] for path in paths]

    process = [subprocess.run(command, capture_output=True, check=False) for command in commands]

    assert [(done.stdout + done.stderr).decode() for done in process if done.returncode or done.stderr] == []


def scripts(where: str) -> Iterator[str]:
    """Yield the scripts of all jobs, after the options that every engine sets."""
    for number, (name, steps) in enumerate(STEPS.items()):
        texts = [f"${{t.{output_name}}}" for output_name in NAMES] if name == "everything" else []
        reader = {"name": "r", "build": "x", "run": {"arguments": texts}}
        stages = [SOURCE, {"name": "c", "build": "x", "run": True}, {"name": "t", **steps}, reader]
        plan = plan_of({"directory": "sub" if number % 2 else ".", "stages": stages})
        for job in plan.jobs:
            script = script_of(plan, job.stage, HOSTS[where])
            yield from (f"set -e\n{text_of(part)}" for part in (script, script.after) if part is not None)
