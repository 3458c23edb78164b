"""A repository's git configuration cannot make pipegen execute a program; every key that names one is tried.

The keys are those of git-config(1) whose description says that a command, program, hook or helper is run.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.program import Pipegen
from cli.repositories import commit, git, repository

from pipegen.cli.verbs import VERBS
from pipegen.source.git import ask, changed_files

IMPORTED, JENKINSFILE = "other/.gitlab-ci.yml", "other/Jenkinsfile"
CONFIG = """\
targets: { gitlab: {} }
pipelines:
  all:
    stages:
      - { name: api, when: { changes: ['api/**'] }, script: [make api] }
      - { name: web, script: [make web] }
"""
FILES = {
    "pipegen.yaml": CONFIG,
    "api/main.py": "1\n",
    "api/data.bin": "1\n",
    ".gitattributes": (
        "* filter=evil diff=evil merge=evil\n*.py filter=e=vil.clean diff=e=vil\n*.bin filter=-c\\ x\n"
        "*.txt filter=Evil\n"
    ),
    "api/x.txt": "1\n",
    IMPORTED: "include: {local: /other/more.yml}\na: {script: [x], rules: [{changes: [api/**], exists: [api/*]}]}\n",
    "other/more.yml": "b: {script: [x]}\n",
    JENKINSFILE: "pipeline { agent any\n stages { stage('a') { when { changeset 'api/**' }\n steps { sh 'x' } } } }\n",
}
DRIVERS = ("evil", "e=vil.clean", "Evil", "evil.clean=x")
# The verbs that call git, and all others.
CALLS = (
    ("check", "--all"),
    ("check",),
    ("compile",),
    ("compile", "--all"),
    ("compile", "--check"),
    ("compile", "--check", "--all"),
    ("compile", "-t", "jenkins", "-o", "-", "--changed-since", "HEAD~1"),
    ("plan", "--changed-since", "HEAD~1"),
    ("graph", "--changed-since", "HEAD~1"),
    ("plan", "--changed-since", "other"),
    ("run", "--dry-run"),
    ("run", "--dry-run", "--changed-since", "HEAD~1"),
    ("run", "--dry-run", "--isolated"),
    ("diff", "HEAD"),
    ("diff", "HEAD~1", "HEAD"),
    ("run", "--dry-run", "--resume"),
    ("simulate",),
    ("simulate", "--event", "push", "--changed", "api/main.py"),
    ("plan", "--events"),
    ("test", "--write"),
    ("test",),
    ("import", IMPORTED, "-o", "-"),
    ("import", IMPORTED, "-o", "imported.yaml", "--force", "--report", "html"),
    ("import", JENKINSFILE, "-o", "-"),
    ("import", "--audit", "."),
    ("init", "--template", "python", "-t", "gitlab", "--force"),
    ("explain", "PG301"),
    ("targets",),
    ("schema",),
)


# Each look at a file returns a new time.
_TIMES = itertools.count(1)


class Trap:
    """A program that creates a file when it runs, in the forms that keys accept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fired = folder / "fired"
        self.program = folder / "program"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >>{shlex.quote(str(self.fired))}\ncat 2>/dev/null\n')
        self.program.chmod(0o755)
        self.hooks = folder / "hooks"
        self.hooks.mkdir()
        for name in ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-commit"):
            (self.hooks / name).symlink_to(self.program)

    def settings(self) -> Iterator[tuple[str, ...]]:
        """Yield arguments for `git config`, with related keys together."""
        program = str(self.program)
        for key in (
            *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy"),
            *("core.alternateRefsCommand", "credential.helper", "diff.external", "gpg.program", "sequence.editor"),
            *("gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "interactive.diffFilter", "uploadpack.packObjectsHook"),
            *("pager.diff", "pager.config", "pager.ls-files", "web.browser", "diff.tool", "merge.tool"),
            *(
                "browser.x.cmd",
                "man.x.cmd",
                "trailer.x.command",
                "trailer.x.cmd",
                "guitool.x.cmd",
                "http.sslCertPasswordProtected",
            ),
        ):
            yield (key, program)
        yield ("core.hooksPath", str(self.hooks))
        for verb in ("ls-files", "diff", "rev-parse", "merge-base", "cat-file", "config", "describe", "symbolic-ref"):
            yield (f"alias.{verb}", f"!{program}")
        for name in DRIVERS:
            for kind in ("clean", "smudge", "process"):
                yield (f"filter.{name}.{kind}", program, f"filter.{name}.required", "true")
            yield (f"diff.{name}.command", program)
            yield (f"diff.{name}.textconv", program)
            yield (f"merge.{name}.driver", program)
        yield ("submodule.recurse", "true", "submodule.x.update", f"!{program}", "diff.submodule", "log")

    def remotes(self) -> Iterator[tuple[str, ...]]:
        """Yield remotes that git would contact for missing objects."""
        program = str(self.program)
        partial = (
            "core.repositoryFormatVersion",
            "1",
            "extensions.partialClone",
            "origin",
            "remote.origin.promisor",
            "true",
        )
        yield (*partial, "remote.origin.url", str(self.folder), "remote.origin.uploadpack", program)
        yield (*partial, "remote.origin.url", f"ext::{program}", "protocol.ext.allow", "always")
        yield (*partial, "remote.origin.url", "ssh://x/y", "core.sshCommand", program, "protocol.ssh.allow", "always")
        yield (*partial, "remote.origin.url", "git://x/y", "core.gitProxy", program)
        yield (*partial, "remote.origin.url", "x", "remote.origin.vcs", "ext", "protocol.allow", "always")
        yield (*partial, "remote.origin.url", "https://127.0.0.1:9/x", "credential.helper", f"!{program}")


@pytest.fixture
def trap(tmp_path_factory: pytest.TempPathFactory) -> Trap:
    """Return a program that records its execution."""
    return Trap(tmp_path_factory.mktemp("trap"))


@pytest.fixture
def root(empty: Path) -> Path:
    """Return the current folder, a repository with two commits."""
    repository(empty, FILES)
    commit(empty, {"api/main.py": "2\n"})
    git(empty, "branch", "other", "HEAD~1")
    return empty


def touch(root: Path) -> None:
    """Change the time of every file, so that git compares their content."""
    for name in FILES:
        if name != "pipegen.yaml":
            os.utime(root / name, (now := next(_TIMES), now))


def configure(root: Path, settings: tuple[str, ...]) -> None:
    """Write *settings*, alternating keys and values, to the configuration of the repository."""
    for key, value in zip(settings[::2], settings[1::2], strict=True):
        section, _, name = key.rpartition(".")
        group, _, sub = section.partition(".")
        head = f'[{group} "{sub}"]' if sub else f"[{group}]"
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        with (root / ".git/config").open("a") as config:
            config.write(f'{head}\n\t{name} = "{quoted}"\n')


def fires(pipegen: Pipegen, root: Path, trap: Trap) -> list[str]:
    """Call each verb, and return those that executed the program."""
    fired = []
    for verb in CALLS:
        touch(root)
        pipegen(*verb)
        if trap.fired.exists():
            fired.append(f"{' '.join(verb)}: {trap.fired.read_text()}")
            trap.fired.unlink()
    return fired


def everything(trap: Trap) -> tuple[str, ...]:
    """Return all settings at once."""
    return tuple(word for setting in trap.settings() for word in setting)


def test_every_verb_is_called() -> None:
    """A new verb of the program is missing here until it has a call."""
    assert {call[0] for call in CALLS} == set(VERBS)


def test_no_key_executes_a_program(root: Path, trap: Trap, pipegen: Pipegen) -> None:
    """All keys are set at once, and every verb is called."""
    configure(root, everything(trap))

    assert fires(pipegen, root, trap) == []


@pytest.mark.usefixtures("root")
def test_every_call_does_its_work(pipegen: Pipegen) -> None:
    """No call ends before it reads the repository, for example because of a wrong option."""
    ends = {call: pipegen(*call).status for call in CALLS}

    assert {call: status for call, status in ends.items() if status} == {}


def test_git_itself_executes_the_trap(root: Path, trap: Trap) -> None:
    """This shows that the other tests can fail."""
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.e=vil.clean.process"):
        configure(root, (key, str(trap.program)))
        touch(root)
        subprocess.run(["git", "-C", root, "diff", "--name-only"], check=False, capture_output=True, timeout=60)

        assert trap.fired.exists(), key
        trap.fired.unlink()
        git(root, "config", "--unset", key)


@pytest.mark.slow
def test_each_single_key_executes_nothing(root: Path, trap: Trap) -> None:
    """One key may hide the effect of another; `ask` is called directly, as the verbs call it."""
    before = (root / ".git/config").read_bytes()
    fired = []
    for settings in trap.settings():
        configure(root, settings)
        touch(root)
        ask(root, "ls-files", "-z", "-c", "-o", "--exclude-standard", "--deduplicate")
        names = changed_files(root, "HEAD~1").stdout
        if trap.fired.exists() or b"api/main.py" not in names:
            fired.append((settings, names))
            trap.fired.unlink(missing_ok=True)
        (root / ".git/config").write_bytes(before)

    assert fired == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(6))
def test_missing_objects_are_not_fetched(number: int, root: Path, trap: Trap, pipegen: Pipegen) -> None:
    """This holds for a partial clone with any kind of remote."""
    configure(root, tuple(trap.remotes())[number])
    missing = [git(root, "rev-parse", name) for name in ("HEAD~1:pipegen.yaml", "HEAD~1^{tree}", "HEAD:api/x.txt")]
    for name in missing:
        (root / ".git/objects" / name[:2] / name[2:]).unlink(missing_ok=True)

    assert fires(pipegen, root, trap) == []


def _included(root: Path, rest: Path) -> None:
    configure(root, ("include.path", str(rest)))


def _included_if(root: Path, rest: Path) -> None:
    configure(root, (f"includeIf.gitdir:{root}/.path", str(rest)))


def _of_work_tree(root: Path, rest: Path) -> None:
    configure(root, ("extensions.worktreeConfig", "true"))
    (root / ".git/config.worktree").write_bytes(rest.read_bytes())


def _elsewhere(root: Path, rest: Path) -> None:
    place = rest.parent / "store"
    (root / ".git").rename(place)
    (root / ".git").write_text(f"gitdir: {place}\n")
    with (place / "config").open("ab") as config:
        config.write(rest.read_bytes())


def _attributes(root: Path, rest: Path) -> None:
    (root / ".git/info/attributes").write_text("* filter=evil diff=evil\n")
    _included(root, rest)


def _hooks(root: Path, rest: Path) -> None:
    for hook in (rest.parent / "hooks").iterdir():
        (root / ".git/hooks" / hook.name).symlink_to(hook)


@pytest.mark.slow
@pytest.mark.parametrize("form", [_included, _included_if, _of_work_tree, _elsewhere, _attributes, _hooks])
def test_no_configuration_file_executes_a_program(
    form: Callable[[Path, Path], None], root: Path, trap: Trap, pipegen: Pipegen
) -> None:
    """The keys are in included files, in the configuration of a work tree, or in a moved git folder."""
    other = repository(trap.folder / "other", {})
    (other / ".git/config").write_text("")
    configure(other, everything(trap))
    rest = trap.folder / "rest"
    rest.write_bytes((other / ".git/config").read_bytes())
    form(root, rest)

    assert fires(pipegen, root, trap) == []


def test_the_configuration_of_a_submodule_executes_nothing(root: Path, trap: Trap, pipegen: Pipegen) -> None:
    """Git does not run in the submodule."""
    inner = repository(trap.folder / "inner", {"file": "1\n", ".gitattributes": "* filter=evil\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner), "inner")
    commit(root, {})
    real = root / ".git/modules/inner"
    (inner / ".git/config").write_text("")
    configure(inner, everything(trap))
    with (real / "config").open("ab") as config:
        config.write((inner / ".git/config").read_bytes())
    (root / "inner/file").write_text("2\n")

    assert fires(pipegen, root, trap) == []


def test_another_work_tree_is_not_read(root: Path, trap: Trap, pipegen: Pipegen) -> None:
    """The repository's files are those around its `.git`, for any value of `core.worktree`."""
    other = trap.folder / "private"
    other.mkdir()
    (other / "secret.yaml").write_text("pipelines: {}\n")
    configure(root, ("core.worktree", str(other)))

    assert b"secret" not in ask(root, "ls-files", "-o").stdout
    assert pipegen("check", "--all").status == 0


def test_changed_files_respect_line_end_conversion(root: Path) -> None:
    """The conversion by git needs no program."""
    (root / "api/x.txt").write_bytes(b"1\r\n")
    configure(root, ("core.autocrlf", "true"))
    touch(root)

    assert changed_files(root, "HEAD").stdout == b""
    assert changed_files(root, "HEAD~1").stdout == b"api/main.py\0"


def test_only_one_module_starts_git() -> None:
    """The protection would not apply to other modules."""
    root = Path(__file__).parents[2] / "pipegen"
    starting = re.compile(r"(?<!Call)[(\[]\s*\"git\",")  # a Call is a command in a script

    assert [path.name for path in root.rglob("*.py") if starting.search(path.read_text("utf-8"))] == ["git.py"]
