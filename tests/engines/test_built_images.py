"""Images that GitLab's helpers build from Dockerfiles, with real containers and a registry."""

from collections.abc import Callable, Mapping
from pathlib import Path

from engines import gitlab_local
from engines.containers import BASE, Containers
from engines.gitlab_local import Result
from engines.requirement import require
from targets.gitlab.compiled import compiled

CONFIG = """\
pipelines:
  p:
    defaults:
      image: { dockerfile: ci/Dockerfile, context: ci, build_args: { WORD: "it's $ok" } }
    stages:
      - { name: a, script: [echo a] }
      - { name: b, script: [echo b] }
      - { name: bad, image: { dockerfile: bad/Dockerfile }, script: [echo bad] }
    execution: [[a], [b], [bad]]
"""
FILES = {
    "ci/Dockerfile": f'FROM {BASE}\nARG WORD\nCOPY file /file\nRUN printf "%s\\n" "$WORD" >/word\n',
    "ci/file": "from the context\n",
    "bad/Dockerfile": f"FROM {BASE}\nRUN false\n",
}


def test_the_image_of_stages_is_in_the_registry(
    repository: Callable[[Mapping[str, str | bytes]], Path], containers: Containers, tmp_path: Path
) -> None:
    """Its stages start after it; those of an image that cannot be built do not."""
    require(gitlab_local.available())

    pipeline = gitlab_local.run(
        repository(FILES),
        compiled(CONFIG).text,
        workdir=tmp_path,
        project="built/images",
        variables=containers.gitlab_variables("built/images"),
        env=containers.environment,
    )
    (tag,) = containers.tags("built/images/pipegen")
    image = f"{containers.registry}/built/images/pipegen:{tag}"

    assert pipeline.results() == {
        "image ci/Dockerfile": Result.SUCCESS,
        "a": Result.SUCCESS,
        "b": Result.SUCCESS,
        "image bad/Dockerfile": Result.FAILED,
        "bad": Result.SKIPPED,
    }
    assert tag.endswith("-ci-dockerfile")
    assert containers.docker("run", "--rm", image, "cat", "/word", "/file").stdout == "it's $ok\nfrom the context\n"
