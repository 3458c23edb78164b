"""Defaults of every target's settings: where images, charts and new versions go."""

REGISTRY = "docker-registry.wikimedia.org"
REPOSITORY = "wikimedia"
NAMESPACE = "ci"
CHARTS = "https://helm-charts.wikimedia.org/stable/"
# The newest published version of Blubber's BuildKit frontend when this was written:
# https://gitlab.wikimedia.org/repos/releng/blubber
FRONTEND = "docker-registry.wikimedia.org/repos/releng/blubber/buildkit:v1.5.0"
PROMOTE_REPOSITORY = "https://gerrit.wikimedia.org/r/operations/deployment-charts.git"
PROMOTE_BRANCH = "master"
PROMOTE_CREDENTIAL = "gerrit.pipelinebot"
