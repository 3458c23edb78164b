"""Stages that stop an environment: GitLab starts them long after the deployment, or after a failed one.

By then, the artifacts of other jobs may have expired, and the branch may be deleted
(https://docs.gitlab.com/ci/environments/#stopping-an-environment, `GIT_STRATEGY: none` there).
"""

from __future__ import annotations

import re

from pipegen.plan.model import Commands, Job, Plan
from pipegen.structs import replace
from pipegen.targets.gitlab.needs.awaited import read_stages

# Separators of shell words that may be file names.
_BETWEEN = r"[\s;&|()<>\"'`=,]+"
# A path that is not absolute, no option, and has no variable or URL scheme before its first slash.
_PATH = r"(?![-$/~])(?:\.{1,2}|[^$:/]*(?:/[^/].*|/))"
_FILE = (
    r"(?![-$/~])[^$:/]*\.(?:cfg|conf|env|gradle|ini|jar|js|json|lock|pl|py|rb|sh|sql|tf|tfvars|toml|ts|txt|xml|ya?ml)"
)
# Programs that read the folder in which they are started.
_PROGRAM = (
    r"ansible-playbook|ant|bazel|bundle|bun|cargo|cdk|cmake|composer|copilot|deno|docker-"
    r"compose|dotnet|earthly|eb|firebase|fly|flyctl|git|go|gradle|gradlew|grunt|gulp|"
    r"helmfile|helmsman|invoke|just|kamal|kapitan|kustomize|lein|make|mise|mix|mvn|mvnw|"
    r"netlify|nix|node|npm|npx|pipenv|pnpm|poetry|pulumi|python|python3|rake|ruby|sam|sbt|"
    r"serverless|skaffold|sls|sst|stack|task|terraform|terragrunt|tilt|tofu|tox|uv|vagrant|"
    r"vercel|waypoint|werf|wrangler|yarn"
)


def needs_checkout(job: Job) -> bool:
    """Return whether the script of *job* names a file of the repository, or a program that reads the current folder.

    Steps other than a script always need a checkout.
    """
    if job.directory != "." or not all(isinstance(step, Commands) for step in job.steps):
        return True
    commands = [step for step in job.steps if isinstance(step, Commands)]
    lines = [line for step in commands for line in step.lines]
    # "$" replaces each value.
    texts = [
        "".join(part if isinstance(part, str) else "$" for part in line.script.parts) for line in (*lines, *job.after)
    ]
    texts += [value.constant or "" for step in commands for _, value in step.env]
    words = (word for text in texts for word in re.split(_BETWEEN, text))
    return any(re.fullmatch(_PROGRAM, word) or re.fullmatch(_PATH, word) or re.fullmatch(_FILE, word) for word in words)


def with_stop_needs(job: Job, plan: Plan) -> Job:
    """Return *job*; if it stops an environment, the needs of its deployments replace needs on these.

    GitLab skips a manual job that needs a failed one.
    """
    if not job.deployment.stops_environment:
        return job
    read = read_stages(job)
    needs: dict[str, None] = {}
    for stage in job.needs:
        predecessor = plan.job(stage)
        environment = predecessor.deployment.environment
        is_deployment = environment is not None and environment.on_stop == job.stage and stage not in read
        needs |= dict.fromkeys(predecessor.needs if is_deployment else (stage,))
    return replace(job, needs=tuple(needs))
