"""Stages with scripts behave the same on all engines: values, files, order, and errors with names."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import CONFIG, GITLAB_LOCAL, HERE, SCRIPTED, Engine, Execution, World, absent, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

pytestmark = pytest.mark.xdist_group("scripts")

ENGINES = {
    "gitlab": GITLAB_LOCAL,
    "scripted": SCRIPTED,
    "declarative": Engine(target="jenkins", style="declarative", interpreter=("busybox", "sh")),
    "here": HERE,
}
CANARY = "/tmp/pipegen-script-canary"  # noqa: S108 - nobody makes it
# Each is an output, and is read unquoted, in quotes of both kinds, in a document, and as a variable.
HOSTILE = {
    "command": f"'; touch {CANARY} #",
    "substitution": f"$(touch {CANARY})`touch {CANARY}`",
    "quotes": "'''\"\"\"",
    "lines": "one  \ntwo \t\n\nthree   \n\n",
    "backslash": "a lone backslash \\",
    "blanks": "  * ? [a-z]  ",
    "odd": "-n %s \\n ünïcödé 🎉 \r\n\x1b[31m",
    "empty": "",
    "large": "x'\"$" * 16_384,
}
WRITTEN = {f"written-{name}": value for name, value in HOSTILE.items()}
FROM_FILE = {f"file-{name}": value for name, value in HOSTILE.items()}
# The output of a command loses the line breaks at its end.
PRINTED = {f"printed-{name}": value.rstrip("\n") for name, value in HOSTILE.items()}
KEEP = 'mkdir -p "$RECORDS/{stage}"; printf %s {word} >"$RECORDS/{stage}/{name}"'


def spelt(name: str) -> str:
    """Return the file in the repository with the hostile text *name*."""
    return f"texts/{name}"


def config() -> str:
    """Return the config: one stage writes, others read; groups, artifacts, a folder, files of a selected stage."""
    names = list(HOSTILE)
    write = {
        "name": "write",
        "script": [f'for name in {" ".join(names)}; do cp "texts/$name" "$PIPEGEN_OUTPUTS/written-$name"; done'],
        "outputs": list(WRITTEN),
    }
    measure = {
        "name": "measure",
        "script": ["cd /", "exit 0", "false"],
        "outputs": {
            **{f"file-{name}": {"file": spelt(name)} for name in names},
            **{f"printed-{name}": {"command": f"cat {spelt(name)}"} for name in names},
        },
    }
    pack = {
        "name": "pack",
        "directory": "service",
        "env": {"GREETING": "it's ${setup.pipeline}", "EMPTY": ""},
        "before": ["mkdir dist", "folder=dist/deep"],
        "script": [
            "mkdir -p $folder 'blanks/two words'",
            'printf %s "$GREETING$EMPTY" >dist/greeting',
            "echo a >dist/deep/a.log; echo b >dist/deep/.b.log; echo c >dist/deep/c.txt",
            "echo left >'blanks/two words/file'; echo no >unkept",
            "printf '#!/bin/sh\\necho ran\\n' >dist/run; chmod 755 dist/run; ln -s run dist/link",
        ],
        "artifacts": ["dist/greeting", "dist/*u*", "dist/l*", "dist/**/*.log", "blanks/two words/", "nothing/"],
    }
    again = {
        "name": "again",
        "script": ["test -f service/dist/greeting", "echo changed >service/dist/greeting"],
        "artifacts": ["service/dist/greeting"],
    }
    return yaml_text(
        {
            "pipelines": {
                "scripts": {
                    "stages": [write, measure, pack, again, reader("read", "service"), *others()],
                    "execution": [
                        [["write", "measure", "pack"], ["read", "chosen"], "last"],
                        ["pack", "again", "read"],
                        ["again", "chosen"],
                    ],
                }
            }
        }
    )


def reader(stage: str, folder: str) -> dict[str, object]:
    """Return a stage that notes all values and the files in *folder*."""
    of = {**dict.fromkeys(WRITTEN, "write"), **dict.fromkeys((*FROM_FILE, *PRINTED), "measure")}
    forms = {"bare": "${%s}", "double": '"${%s}"', "single": "'${%s}'"}
    lines = [
        KEEP.format(stage=stage, name=f"{quotes}-{name}", word=form % f"{producer}.{name}")
        for name, producer in of.items()
        for quotes, form in forms.items()
    ]
    documents = [
        f'cat >"$RECORDS/{stage}/document-{name}" <<END\n<${{{producer}.{name}}}>\nEND' for name, producer in of.items()
    ]
    large = [name for name in of if name.endswith("large")]
    env = {name: f"<${{{producer}.{name}}}>" for name, producer in of.items() if name not in large}
    variables = {f"V{number}": value for number, value in enumerate(env.values())}
    texts = [KEEP.format(stage=stage, name=f"env-{name}", word=f'"$V{number}"') for number, name in enumerate(env)]
    files = [
        f'cd {folder} && find dist blanks unkept nothing 2>/dev/null | LC_ALL=C sort >"$RECORDS/{stage}/files"',
        f'./dist/run >"$RECORDS/{stage}/ran"; test -L dist/link; cp dist/greeting "$RECORDS/{stage}/greeting"',
    ]
    return {"name": stage, "env": variables, "script": [*lines, *documents, *texts, *files]}


def others() -> list[dict[str, object]]:
    """Return a stage that selects the stages whose files it gets, and one that comes last."""
    chosen: dict[str, object] = {
        "name": "chosen",
        "files_from": ["again"],
        "script": 'mkdir -p "$RECORDS/chosen"\n(cd service; find dist) >"$RECORDS/chosen/files"\n',
    }
    last: dict[str, object] = {
        "name": "last",
        "script": ["if true; then\n  echo 'two\n    lines' |\n    cat >last-file\nfi", "cp last-file $RECORDS/last"],
        "files_from": [],
    }
    return [chosen, last]


def executed(
    engine: Engine, containers: Containers, folder: Path, text: str, files: Mapping[str, str]
) -> tuple[Execution, Path]:
    """Return the execution of the config *text* on *engine*, and the folder with notes of its stages."""
    require(absent(engine))
    records = folder / "notes"
    records.mkdir()
    repository = worlds.repository(folder / "repository", files={CONFIG: text, **files})
    world = World(
        containers=containers,
        repository=repository,
        folder=folder / "world",
        variables={"RECORDS": str(records)},
    )
    return execute(engine, world), records


@pytest.fixture(scope="module", params=ENGINES)
def done(
    containers: Containers, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Execution, Path]:
    """Return each execution in turn."""
    Path(CANARY).unlink(missing_ok=True)
    folder = tmp_path_factory.mktemp("scripts")
    files = {"service/see": "", **{spelt(name): value for name, value in HOSTILE.items()}}
    return executed(ENGINES[request.param], containers, folder, config(), files)


def note(records: Path, stage: str, name: str) -> str:
    """Return the notes of *stage*."""
    return (records / stage / name).read_bytes().decode()


def test_every_stage_succeeds(done: tuple[Execution, Path]) -> None:
    """`exit 0` ends a script successfully, and outputs are still measured."""
    assert done[0].outcomes == dict.fromkeys(done[0].outcomes, "success"), done[0].log


def test_hostile_values_are_not_executed(done: tuple[Execution, Path]) -> None:
    """No canary exists."""
    assert done[1].exists()
    assert not Path(CANARY).exists()


@pytest.mark.parametrize("place", ["bare", "double", "single"])
def test_values_in_words_arrive_unchanged(done: tuple[Execution, Path], place: str) -> None:
    """Byte for byte, up to 64 KiB."""
    values = {**WRITTEN, **FROM_FILE, **PRINTED}

    assert {name: note(done[1], "read", f"{place}-{name}") for name in values} == values


def test_values_in_here_documents_and_variables_arrive_unchanged(done: tuple[Execution, Path]) -> None:
    """The shell does not expand `$` in a value, even where it expands it in the text around."""
    values = {**WRITTEN, **FROM_FILE, **PRINTED}
    variables = {name: value for name, value in values.items() if not name.endswith("large")}

    assert {name: note(done[1], "read", f"document-{name}") for name in values} == {
        name: f"<{value}>\n" for name, value in values.items()
    }
    assert {name: note(done[1], "read", f"env-{name}") for name in variables} == {
        name: f"<{value}>" for name, value in variables.items()
    }


def test_readers_get_exactly_the_artifacts(done: tuple[Execution, Path]) -> None:
    """Patterns match the same files on all engines; the last version of a file remains."""
    texts = note(done[1], "read", "files").splitlines()

    folders = ("dist", "dist/deep", "blanks", "blanks/two words")

    assert [name for name in texts if name not in folders] == [
        "blanks/two words/file",
        "dist/deep/.b.log",
        "dist/deep/a.log",
        "dist/greeting",
        "dist/link",
        "dist/run",
    ]
    assert (note(done[1], "read", "ran"), note(done[1], "read", "greeting")) == ("ran\n", "changed\n")


def test_files_from_selects_the_stages_to_read(done: tuple[Execution, Path]) -> None:
    """No other files are present."""
    assert note(done[1], "chosen", "files").splitlines() == ["dist", "dist/greeting"]
    assert (done[1] / "last").read_text("utf-8") == "two\n    lines\n"


def test_artifacts_can_be_downloaded(done: tuple[Execution, Path]) -> None:
    """In their last version."""
    names = {name for name in done[0].downloads if not name.startswith((".pipegen", "texts"))}

    assert names >= {f"service/dist/{name}" for name in ("greeting", "run", "link", "deep/a.log", "deep/.b.log")}
    assert not any(name.endswith(("unkept", "c.txt")) for name in names)


def test_stages_of_a_group_start_after_the_previous_group(done: tuple[Execution, Path]) -> None:
    """Each starts when all stages of the previous group have ended."""
    times = done[0].times
    arcs = [(earlier, later) for earlier in ("write", "measure", "pack") for later in ("read", "chosen")]

    for earlier, later in (*arcs, ("pack", "again"), ("again", "read"), ("read", "last"), ("chosen", "last")):
        assert times[earlier][1] <= times[later][0]


FAILING: dict[str, tuple[dict[str, object], str]] = {
    "written": ({"script": ["true"], "outputs": ["notes"]}, 'stage "written": output "notes" was not written'),
    "file": (
        {"script": ["true"], "outputs": {"notes": {"file": "no/file"}}},
        "no/file",
    ),
    "list": ({"script": ["true"], "outputs": {"notes": {"command": "false; echo x"}}}, ""),
    "last": ({"script": ["false && true"], "outputs": ["notes"]}, ""),
    "middle": ({"script": ["false", "true"]}, ""),
    "status": ({"script": ["exit 3"], "outputs": ["notes"]}, ""),
    "piped": ({"script": ["false | true"], "outputs": {"notes": {"command": "false | echo x"}}}, ""),
}


@pytest.mark.parametrize("name", ENGINES)
def test_failures_are_the_same_on_all_engines(containers: Containers, tmp_path: Path, name: str) -> None:
    """A missing output, a failing command, and the last command of a pipe."""
    read = {
        f"read-{stage}": {"script": f"echo ${{{stage}.notes}}"}
        for stage, (keys, _) in FAILING.items()
        if "outputs" in keys
    }
    stages = [{"name": stage, **keys} for stage, (keys, _) in FAILING.items()]
    readers = [{"name": stage, **keys} for stage, keys in read.items()]
    arcs = [[stage.removeprefix("read-"), stage] for stage in read] + [["middle"]]
    text = yaml_text({"pipelines": {"failing": {"stages": [*stages, *readers], "execution": arcs}}})

    done, _ = executed(ENGINES[name], containers, tmp_path, text, {})

    good = {"piped", "read-piped"}
    assert {stage for stage, outcome in done.outcomes.items() if outcome == "success"} == good, done.log
    assert {stage for stage, outcome in done.outcomes.items() if outcome == "skipped"} == set(read) - good
    for _, message in FAILING.values():
        assert message in re.sub("\x1b\\[[0-9;]*m", "", done.log)


def test_a_script_comes_before_other_steps(containers: Containers, tmp_path: Path) -> None:
    """Its files are in the build's context, and its outputs are arguments of the container."""
    variant = {"copies": ["local"], "entrypoint": ["sh", "see"]}
    stage = {
        "name": "both",
        "blubberfile": {"version": "v4", "base": "example/base", "variants": {"both": variant}},
        "script": ["echo made >made", 'printf "a\\n b" >"$PIPEGEN_OUTPUTS/text"'],
        "outputs": ["text"],
        "build": "both",
        "run": {"arguments": ["${.text}"], "env": {"STAGE": "both"}},
        "exports": {"twice": "${.text}${.text}"},
    }
    after = {"name": "after", "script": ['printf %s "${both.twice}" >"$RECORDS/twice"']}
    text = yaml_text({"pipelines": {"p": {"stages": [stage, after]}}})
    for name, engine in ENGINES.items():
        folder = tmp_path / name
        folder.mkdir()
        done, records = executed(engine, containers, folder, text, {})

        assert done.outcomes == {"both": "success", "after": "success"}, done.log
        assert (done.seen["both"].arguments, done.seen["both"].files["made"]) == (("a\n b",), "made\n")
        assert (records / "twice").read_text("utf-8") == "a\n ba\n b"


def test_a_shared_workspace_keeps_the_files_of_scripts(containers: Containers, tmp_path: Path) -> None:
    """Values are stored outside it."""
    stages: list[dict[str, object]] = [
        {
            "name": "a",
            "script": ["echo x >left", "printf 1 >$PIPEGEN_OUTPUTS/v"],
            "outputs": ["v"],
            "artifacts": ["left"],
        },
        {"name": "b", "script": ['cp left "$RECORDS/left"; ls -A >"$RECORDS/all"; printf %s ${a.v} >"$RECORDS/v"']},
    ]
    text = yaml_text({"pipelines": {"p": {"workspace": "shared", "stages": stages}}})

    done, records = executed(SCRIPTED, containers, tmp_path, text, {})

    assert done.outcomes == {"a": "success", "b": "success"}, done.log
    assert ((records / "left").read_text("utf-8"), (records / "v").read_text("utf-8")) == ("x\n", "1")
    assert ".pipegen" not in (records / "all").read_text("utf-8").splitlines()
    assert "left" in done.downloads
