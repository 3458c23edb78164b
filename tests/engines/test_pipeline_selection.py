"""Only the selected pipelines of a file run; one that publishes never runs by accident."""

from collections.abc import Callable, Mapping

import pytest
from engines import gitlab_local, jenkins_harness
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import DECLARATIVE, GITLAB_LOCAL, SCRIPTED, Engine, Execution, World, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

Run = Callable[[Engine, Mapping[str, str]], Execution]


def config(image: str) -> str:
    """Return the config: `test` runs a script, `publish` also installs a chart."""
    run = {"test": {"image": image, "env": {"STAGE": "unit"}}, "publish": {"image": image, "env": {"STAGE": "release"}}}
    release = {
        "name": "release",
        "run": run["publish"],
        "deploy": {"image": "image", "tag": "tag", "chart": {"name": "chart"}, "test": False},
    }
    pipelines = {
        "test": {"stages": [{"name": "unit", "run": run["test"]}]},
        "publish": {"stages": [release]},
    }
    return yaml_text({"pipelines": pipelines})


@pytest.fixture(scope="module")
def run(containers: Containers, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a function that executes the config on an engine with parameters."""
    folder = tmp_path_factory.mktemp("selection")
    repository = worlds.configured(folder / "repository", config(worlds.image(containers, folder)))

    def start(engine: Engine, parameters: Mapping[str, str]) -> Execution:
        require((gitlab_local if engine.target == "gitlab" else jenkins_harness).available())
        world = World(
            containers=containers,
            repository=repository,
            folder=tmp_path_factory.mktemp("world"),
            parameters=parameters,
        )
        return execute(engine, world)

    return start


@pytest.mark.parametrize(
    ("engine", "selected", "ran"),
    [
        *((engine, None, ("unit",)) for engine in (GITLAB_LOCAL, SCRIPTED, DECLARATIVE)),
        *((engine, "publish", ("release",)) for engine in (GITLAB_LOCAL, SCRIPTED, DECLARATIVE)),
        *((engine, "all", ("unit", "release")) for engine in (GITLAB_LOCAL, SCRIPTED)),
        (DECLARATIVE, "test,publish", ("unit", "release")),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else str(value),
)
def test_only_selected_pipelines_run(run: Run, engine: Engine, selected: str | None, ran: tuple[str, ...]) -> None:
    """By default, all but those with effects; otherwise exactly the named ones."""
    done = run(engine, {"PIPEGEN_PIPELINE": selected} if selected is not None else {})

    assert set(done.seen) == set(ran), done.log
    assert bool(done.charts) is ("release" in ran)
    assert {stage for stage, outcome in done.outcomes.items() if outcome == "success"} == {
        {"unit": "test: unit", "release": "publish: release"}[stage] for stage in ran
    }


def test_an_unknown_name_fails_on_jenkins(run: Run) -> None:
    """No stage runs, and the log lists the names."""
    done = run(SCRIPTED, {"PIPEGEN_PIPELINE": "tset"})

    assert not done.seen
    assert 'PIPEGEN_PIPELINE names "tset"; there are test, publish' in done.log


def test_an_unknown_name_creates_no_pipeline_on_gitlab(run: Run) -> None:
    """No job remains, so GitLab creates no pipeline."""
    done = run(GITLAB_LOCAL, {"PIPEGEN_PIPELINE": "tset"})

    assert not done.seen
    assert set(done.outcomes.values()) == {"skipped"}
