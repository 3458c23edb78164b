"""Settings of Jenkins for the whole job apply in both styles: tools, properties, wrappers."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.proof.execution import CONFIG, Engine, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

SETTINGS = {
    "tools": {"maven": "Maven 3.9", "jdk": "21", "go": "1.22"},
    "discard": {"builds": 30},
    "timestamps": True,
    "options": [
        "disableResume",
        "overrideIndexTriggers(true)",
        "rateLimitBuilds(throttle: [count: 60, durationName: 'hour', userBoost: true])",
    ],
    "wrap": ["withEnv(['AROUND=it is'])", "catchError"],
    "libraries": ["ci-steps@v2"],
}
_PATH = "/usr/local/bin:/usr/bin:/bin"
SHOW = 'printf "<%s>\\n" "$AROUND" "$JAVA_HOME" "$MAVEN_HOME" "$GOROOT" "${PATH%%:/usr/local*}"'


@pytest.mark.parametrize("workspace", ["isolated", "shared"])
@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_job_settings_apply_to_all_stages(
    style: str, workspace: str, repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """Scripts find the tools, also in later stages."""
    require(jenkins_harness.available())
    own = {"tools": {"java": "17", "node": "22"}, "script": [SHOW, 'echo "$NODEJS_HOME"']}
    stages = [{"name": "first", "script": [SHOW]}, {"name": "second", "script": [SHOW]}, {"name": "own", **own}]
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"workspace": workspace, "stages": stages}}})})
    text = compiled(Engine(target="jenkins", style=style), checkout, SETTINGS)

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build", agent_env={"PATH": _PATH})

    assert jenkins_harness.validate({style: text}) == {style: ()} or style == "scripted"
    assert build.result == "SUCCESS", build.log
    shown = [line for line in build.log.splitlines() if line.startswith("<")]
    tools = ["/opt/tools/21", "/opt/tools/Maven 3.9", "/opt/tools/1.22"]
    path = ":".join(f"{tool}/bin" for tool in ("/opt/tools/1.22", "/opt/tools/21", "/opt/tools/Maven 3.9"))
    assert shown[:10] == [f"<{word}>" for word in ("it is", *tools, path)] * 2
    assert shown[11:14] == ["</opt/tools/17>", "</opt/tools/Maven 3.9>", "</opt/tools/1.22>"]
    assert "\n/opt/tools/22\n" in build.log


@pytest.mark.parametrize(
    ("around", "result"),
    [
        ("pipeline {{ agent any\noptions {{ ws('x') }}\n{0} }}", "SUCCESS"),
        ("pipeline {{ agent none\noptions {{ ws('x') }}\n{0} }}", "FAILURE"),
        ("ws('x') {{ node {{ sh 'true' }} }}", "FAILURE"),
        ("node {{ ws('x') {{ sh 'true' }} }}", "SUCCESS"),
    ],
)
def test_a_folder_step_in_options_needs_a_pipeline_agent(
    around: str, result: str, repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """As measured on Jenkins 2.479.3: a pipeline's agent is taken before its options."""
    require(jenkins_harness.available())
    text = around.format("stages { stage('s') { agent any\nsteps { sh 'true' } } }")

    build = jenkins_harness.run(text, repository({"x": ""}), workdir=tmp_path / "build")

    assert build.result == result, build.log
    assert result == "SUCCESS" or (build.error is not None and "MissingContextVariable" in build.error.type)
