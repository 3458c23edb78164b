"""Every shell script generated from real configs parses in all shells and passes the linter."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from engines import shells
from engines.proof import corpus
from engines.requirement import require
from ruamel.yaml import YAML

from pipegen.compiler import Analysed
from pipegen.diagnostics.report import Report
from pipegen.shell.images import with_named_images
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.plan_scripts import plan_scripts

_PIPEFAIL = re.compile(r"set -\w*o pipefail")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return each distinct script with one of its locations."""
    require(shells.available())
    return dict(_scripts(tmp_path_factory.mktemp("scripts")))


def _scripts(folder: Path) -> Iterator[tuple[str, str]]:
    for config in corpus.configs(folder):
        if config.analysed is not None:
            for place, script in (*_of_gitlab(config.analysed), *_of_jenkins(config.analysed)):
                yield script, f"{config.name}, {place}"


def _of_gitlab(analysed: Analysed) -> Iterator[tuple[str, str]]:
    """Yield the scripts of jobs, with extended jobs merged; GitLab joins before_script and script."""
    jobs: dict[str, Any] = YAML(typ="safe", pure=True).load(corpus.written(analysed, "gitlab").text)
    shared = jobs.get("default", {}).get("before_script", [])
    for name, job in jobs.items():
        extended = job.get("extends", []) if isinstance(job, dict) else []
        whole = {
            key: value
            for data in (*([extended] if isinstance(extended, str) else extended), name)
            if isinstance(jobs[data], dict)
            for key, value in jobs[data].items()
        }
        if "script" in whole and not name.startswith("."):
            yield f"job {name}", "\n".join([*whole.get("before_script", shared), *whole["script"]])


def _of_jenkins(analysed: Analysed) -> Iterator[tuple[str, str]]:
    """Yield the scripts of stages, and those that remove shared resources."""
    for plan in analysed.plans:
        scripts = plan_scripts(with_named_images(plan), JenkinsSettings(), Report())
        for stage, script in scripts.scripts.items():
            yield f"stage {stage}", "\n".join(line for command in script.commands for line in command.lines)
        yield f"end of {plan.name}", "\n".join(line for command in scripts.teardown for line in command.lines)


def test_the_corpus_has_enough_distinct_scripts(scripts: dict[str, str]) -> None:
    """Similar configs share scripts, so there are fewer than stages."""
    assert len(scripts) >= (400 if corpus.CORPUS.is_dir() else 15)


def test_every_shell_parses_the_generated_scripts(scripts: dict[str, str]) -> None:
    """With the options that engines set; a stage that sets pipefail requires bash."""
    with ThreadPoolExecutor() as pool:
        pairs = pool.map(
            lambda script: shells.check(f"set -e\n{script}\n", needs_bash=_PIPEFAIL.search(script) is not None), scripts
        )

    assert {scripts[script]: errors for script, errors in zip(scripts, pairs, strict=True) if errors} == {}
