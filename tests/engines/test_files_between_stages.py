"""Files that a stage copies are in the checkout of later stages on all engines, without any reference."""

from pathlib import Path

import pytest
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import CONFIG, GITLAB, HERE, SCRIPTED, Engine, Execution, World, absent, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

ENGINES = {
    "gitlab": GITLAB,
    "scripted": SCRIPTED,
    "declarative": Engine(target="jenkins", interpreter="bash"),
    "here": HERE,
}
ODD = "odd [a-z] * ?{x,y}$z 'q' \"r\" \\ ü"
ACTS = {
    # Lines with names of folders.
    "name": "printf '%s\\n' 'at [run] * time $x' -dash",
    "make": f"""\
mkdir -p /out/tree/deep /out/odd
echo first >/out/plain
printf '#!/bin/sh\\n' >/out/tree/run
chmod 755 /out/tree/run
ln -s run /out/tree/link
printf hidden >/out/tree/.gitignore
printf '\\000\\377' >"/out/tree/deep/with blank"
printf odd >"/out/odd/{ODD.replace('"', chr(92) + '"').replace("$", chr(92) + "$")}"
""",
    "again": "mkdir -p /out; echo second >/out/plain; echo aside >/out/aside",
    "read": """\
[ -x made/tree/run ]
[ -L made/tree/link ]
""",
}
INLINE = {
    "version": "v4",
    "base": "example/base",
    "lives": {"in": "/srv/app"},
    "variants": {"read": {"copies": ["local"], "entrypoint": ["sh", "see"]}},
}


def config(image: str) -> str:
    """Return the config: `read` and `aside` build images of their checkout, and read no outputs."""
    copies = [
        {"source": "/out/plain", "destination": "made/plain.txt"},
        {"source": "/out/plain", "destination": "checked-in.txt"},
        {"source": "/out/tree", "destination": "made/tree"},
        {"source": "/out/tree/deep/", "destination": "made/with blanks/"},
        {"source": "/out/odd/", "destination": f"made/{ODD}"},
        "/out/odd",
    ]
    at_run_time = {
        "$each": "line",
        "$in": "${name.output}",
        "$yield": {"source": "/out/plain", "destination": "made/run/${.line}/file"},
    }
    stages = [
        {"name": "name", "run": {"image": image, "env": {"STAGE": "name"}, "tail": 9}},
        {
            "name": "make",
            "run": {"image": image, "env": {"STAGE": "make"}},
            "copy": {"$merge": copies, "$with": at_run_time},
        },
        {
            "name": "again",
            "run": {"image": image, "env": {"STAGE": "again"}},
            "copy": [{"source": "/out/plain", "destination": "made/plain.txt"}, "/out/aside"],
        },
        {"name": "read", "blubberfile": INLINE, "build": "read", "run": {"env": {"STAGE": "read"}}},
        {"name": "aside", "blubberfile": INLINE, "build": "read", "run": {"env": {"STAGE": "aside"}}},
    ]
    execution = [["name", "make", "again", "read"], ["name", "aside"]]
    return yaml_text({"pipelines": {"files": {"directory": "service", "stages": stages, "execution": execution}}})


@pytest.fixture(scope="module", params=ENGINES)
def done(containers: Containers, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Execution:
    """Return each execution in turn."""
    engine = ENGINES[request.param]
    require(absent(engine))
    folder = tmp_path_factory.mktemp("files")
    image = worlds.image(containers, folder, **ACTS)
    files = {
        CONFIG: config(image),
        "service/see": worlds.SEE.read_text("utf-8"),
        "service/act/read": ACTS["read"],
        "service/checked-in.txt": "checked in\n",
        "service/.dockerignore": "see.orig\n",
    }
    repository = worlds.repository(folder / "repository", files=files)
    return execute(engine, World(containers=containers, repository=repository, folder=folder / "world"))


def checkout() -> dict[str, str]:
    """Return the tracked files, relative to the pipeline's directory."""
    return {
        ".dockerignore": "see.orig\n",
        "act/read": ACTS["read"],
        "checked-in.txt": "checked in\n",
        "see": Path(worlds.SEE).read_text("utf-8"),
    }


def test_every_stage_succeeds(done: Execution) -> None:
    """`read` fails unless modes and links are those of the container."""
    assert dict.fromkeys(done.outcomes, "success") == done.outcomes, done.log


def test_copied_files_are_in_later_checkouts(done: Execution) -> None:
    """With any name, and run-time paths; the last copy remains, also over tracked files."""
    assert done.seen["read"].files == {
        **checkout(),
        "checked-in.txt": "first\n",
        "made/plain.txt": "second\n",
        "made/tree/run": "#!/bin/sh\n",
        "made/tree/link": "#!/bin/sh\n",
        "made/tree/.gitignore": "hidden",
        "made/tree/deep/with blank": "\0\udcff",
        "made/with blanks/with blank": "\0\udcff",
        f"made/{ODD}/{ODD}": "odd",
        f"out/odd/{ODD}": "odd",
        "made/run/at [run] * time $x/file": "first\n",
        "made/run/-dash/file": "first\n",
        "out/aside": "aside\n",
    }


def test_copied_files_are_not_in_parallel_branches(done: Execution) -> None:
    """Their checkout is unchanged."""
    assert done.seen["aside"].files == checkout()
