"""What stages wait for, keep for later runs and say to one engine alone, executed on all engines."""

from pathlib import Path

import pytest
from engines import gitlab_local, jenkins_harness
from engines.containers import Containers
from engines.gitlab_schema import check
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, SCRIPTED, Engine, Execution, World, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

pytestmark = pytest.mark.xdist_group("gates")

ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE}


def executed(name: str, containers: Containers, folder: Path, stages: list[dict[str, object]]) -> Execution:
    """Return what comes of *stages*, side by side, on the engine *name*."""
    engine: Engine = ENGINES[name]
    require((gitlab_local if engine.target == "gitlab" else jenkins_harness).available())
    arcs = [[stage["name"]] for stage in stages]
    text = yaml_text({"pipelines": {"gates": {"stages": stages, "execution": arcs}}})
    repository = worlds.repository(folder / "repository", files={CONFIG: text, "a.lock": "1\n"})
    done = execute(engine, World(containers=containers, repository=repository, folder=folder / "world"))
    if engine.target == "gitlab":
        assert check(done.text) == ()
    return done


@pytest.mark.parametrize("name", ENGINES)
def test_locks_caches_and_raw_keys(containers: Containers, tmp_path: Path, name: str) -> None:
    """Stages with a lock in common do not overlap; caches and raw keys change nothing else."""
    cache = [{"paths": [".cache/", "x"], "key": {"files": ["a.lock"], "prefix": "it's $5"}}, {"paths": [".y/"]}]
    stages: list[dict[str, object]] = [
        {"name": "one", "script": ["sleep 0.5"], "lock": "it's $5"},
        {"name": "two", "script": ["sleep 0.5"], "lock": "it's $5"},
        {"name": "other", "script": ["mkdir -p .cache; test -f a.lock"], "lock": "c", "cache": cache},
        {"name": "raw", "script": ["true"], "raw": {"gitlab": {"timeout": "1h"}, "jenkins": {"wrap": ["timestamps"]}}},
    ]
    done = executed(name, containers, tmp_path, stages)

    assert done.outcomes == dict.fromkeys(("one", "two", "other", "raw"), "success"), done.log
    if name == "gitlab":
        # gitlab-ci-local lets resource groups overlap.
        assert done.text.count("resource_group: it-s -5") == 2
        assert "timeout: 1h" in done.text
        return
    assert "Cache .cache  it-s--5" in done.log
    # Stages begin with waiting for the lock, so one of them ends at least half a second after the other.
    ends = sorted(done.times[stage][1] for stage in ("one", "two"))
    assert ends[1] - ends[0] >= 0.5
