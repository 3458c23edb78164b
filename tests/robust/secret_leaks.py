"""No secret in generated files, output, state or reports: all commands, for a config full of secrets.

PYTHONPATH=.:tests python tests/robust/secret_leaks.py
"""

from __future__ import annotations

import gc
import os
import pty
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from robust.secret_search import Scanner
from robust.trial_result import Figures

from pipegen.cli.app import run
from pipegen.diagnostics.render import FORMATS

# None of them occurs by chance; each has a character that one of the encodings changes.
SECRETS = {
    "DEPLOY_TOKEN": 'tok/3n+with "quotes" & $igns, it\'s %20\\back',
    "SIGNING_KEY": "-----BEGIN TEST KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF+Kcw\nggSjAgEA/Ao=\n-----END TEST KEY-----\n",
    "SHORT": "Zq7!",
    "UNICODE": "pä$$wörd-🔑-\u2028-Ünïcode",
    "REGISTRY_PASSWORD": "hunter2-of-the-registry",
    "VAULT": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJwaXBlZ2VuIn0.c2lnbmVk",
    "PIPEGEN_REGISTRY_PASSWORD": "P4ss/for+images",
    # No part may remain of two overlapping secrets, or of a secret that begins like another one.
    "OVERLAP_ONE": "overlapping-first-part",
    "OVERLAP_TWO": "first-part-and-second",
    "LONGER": "prefix-of-a-longer-one",
    "LONG": "prefix-of-a-longer-one-is-this",
}
_FILE = "apiVersion: v9\nclient-key-data: Rm9yVGVzdHNPbmx5Tm90QVJlYWxLZXk=\n"
_BOUND = ("DEPLOY_TOKEN", "SIGNING_KEY", "SHORT", "UNICODE", "OVERLAP_ONE", "OVERLAP_TWO", "LONGER", "LONG")
# Files that stages write themselves may contain secrets.
_OWN = "handed"
_CONFIG = """\
pipelines:
  service:
    stages:
      - name: asks
        secrets:
          {{ {bound}, REG: {{ password: registry }}, VAULT: {{ id_token: vault }}, CLUSTER: {{ file: cluster }} }}
        script:
          - '{print} {names} REG_PASSWORD VAULT'
          - 'cat "$CLUSTER"; env; echo "overlapping-$OVERLAP_TWO"'
        outputs: {{ token: {{ command: 'printf %s "$DEPLOY_TOKEN"' }} }}
      - name: hands-on
        script: ['printf "%s\\n" "${{asks.token}}" | tee {own}; base64 {own}; env']
        outputs: {{ again: {{ file: {own} }} }}
        artifacts: [{own}]
        reuse: true
      - name: may
        allow_failure: true
        secrets: {{ DEPLOY_TOKEN: deploy-token }}
        script: ['echo "<$DEPLOY_TOKEN>"; exit 3']
        after: ['echo "$DEPLOY_TOKEN" >&2']
      - name: fails
        script: ['env; test -z "${{hands-on.again}}"']
"""
_TARGETS = "targets: { gitlab: {} }\n"
# Jenkins creates no tokens.
_VOUCHED = "VAULT: { id_token: vault }, "


class Scene:
    """A project in *folder* whose stages print secrets, with all output and state."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.kept, self.said = (folder / name for name in ("project", "kept", "said"))
        for path in (self.tree, self.kept, self.said):
            path.mkdir()
        bound = ", ".join(f"{name}: {name.lower().replace('_', '-')}" for name in _BOUND)
        names = " ".join(_BOUND)
        program = f"{sys.executable} {Path(__file__).with_name('print_secrets.py')}"
        config = _CONFIG.format(bound=bound, names=names, print=program, own=_OWN)
        (self.tree / "pipegen.yaml").write_text(_TARGETS + config, encoding="utf-8")
        (self.tree / "jenkins.yaml").write_text(config.replace(_VOUCHED, "").replace(" VAULT", ""), encoding="utf-8")
        (self.tree / "other.yaml").write_text(config.replace("exit 3", "exit 4"), encoding="utf-8")
        (self.tree / "broken.yaml").write_text(config + "    nothing: [here]\n", encoding="utf-8")
        (folder / "cluster").write_text(_FILE, encoding="utf-8")
        (folder / "bad.env").write_text(f"A=b\n{SECRETS['DEPLOY_TOKEN']}\n", encoding="utf-8")
        self._variables = {
            **SECRETS,
            **{name: str(self.kept / name.lower()) for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR")},
            "HOME": str(self.kept),
            "REGISTRY_USERNAME": "somebody",
            "CLUSTER": str(folder / "cluster"),
            "CI": "1",
            # The module that prints the secrets imports their encodings.
            "PYTHONPATH": str(Path(__file__).parents[1]),
        }
        (self.kept / "tmpdir").mkdir()
        for command in (("init", "-q"), ("add", ".")):
            subprocess.run(("git", *command), cwd=self.tree, check=True)

    def call(self, *arguments: str, terminal: bool = False, without: str = "") -> int:
        """Call the program and store its output; return its status."""
        location = self.said / f"{len(list(self.said.iterdir()))} {' '.join(arguments).replace('/', '_')}"
        process, screen = pty.fork() if terminal else (os.fork(), -1)
        if process == 0:
            self._work(arguments, None if terminal else location, without)
        with location.open("ab") as file, suppress(OSError):
            while terminal and (data := os.read(screen, 1 << 16)):
                file.write(data)
        if terminal:
            os.close(screen)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])

    def _work(self, arguments: Sequence[str], location: Path | None, without: str) -> None:
        status = 3
        try:
            gc.disable()
            os.chdir(self.tree)
            os.environ |= {"TERM": "xterm", **self._variables}
            os.environ.pop(without or "CI", None)
            if location is not None:
                os.environ["CI"] = "1"
                stream = os.open(location, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.dup2(stream, 1)
                os.dup2(stream, 2)
            for number, name in ((1, "stdout"), (2, "stderr")):
                setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115
            sys.argv = ["pipegen", *arguments]
            status = run()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)

    def places(self) -> Iterator[tuple[str, bytes]]:
        """Yield all output, files and state, each with its location; including names of files."""
        for folder in (self.said, self.tree, self.kept):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.name != _OWN and ".git" not in path.parts:
                    name = path.relative_to(folder.parent).as_posix()
                    yield name, path.read_bytes() + os.fsencode(name)


# Each call with its exit status.
_CALLS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (1, ("run", "--report", "run.json", "--report", "run.html", "--report", "run.xml")),
    (1, ("run", "--resume", "--report", "again.json")),
    (1, ("run", "--log-dir", "logs", "--no-cache", "-j", "1")),
    (1, ("run", "--isolated")),
    (1, ("run", "--isolated", "--resume")),
    (0, ("run", "--dry-run")),
    (2, ("run", "--env-file", "../bad.env")),
    (0, ("compile",)),
    (0, ("compile", "-t", "jenkins", "jenkins.yaml")),
    (0, ("compile", "-t", "gitlab", "--child", "-o", "child.yml")),
    (1, ("compile", "-t", "gitlab", "broken.yaml", "-o", "-")),
    (0, ("plan",)),
    (0, ("plan", "--format", "json")),
    (1, ("diff", "pipegen.yaml", "other.yaml")),
    (1, ("diff", "pipegen.yaml", "other.yaml", "--format", "json")),
    (0, ("simulate", "--html", "simulation.html")),
    (0, ("explain", "PG820")),
    (0, ("targets",)),
    *((0, ("graph", "--format", form)) for form in ("text", "dot", "mermaid", "json", "svg", "html")),
    *((0, ("check", "--format", form)) for form in FORMATS),
    *((1, ("check", "broken.yaml", "--format", form)) for form in FORMATS),
    (0, ("check", "--fix", "--diff")),
)


def scanned(
    calls: Sequence[tuple[int, tuple[str, ...]]] = _CALLS, *, is_whole: bool = True
) -> tuple[Scanner, list[str]]:
    """Return the scanner of the results of *calls*, and the faults: a secret that is found, or another status.

    The *whole* also includes a run on a terminal, and one that lacks a secret.
    """
    scanner = Scanner({**SECRETS, "CLUSTER": _FILE})
    with TemporaryDirectory() as folder:
        scene = Scene(Path(folder))
        ended = [(" ".join(call), expected, scene.call(*call)) for expected, call in calls]
        if is_whole:
            ended.append(("run on a terminal", 1, scene.call("run", terminal=True)))
            ended.append(("run without a secret", 1, scene.call("run", without="SIGNING_KEY")))
        wrong = [f"{call} ends with {status}, not {expected}" for call, expected, status in ended if status != expected]
        for location, data in scene.places():
            wrong += scanner.leaks(location, data)
    return scanner, wrong


def figures(*, is_nightly: bool) -> Figures:
    """Return the figures; without nightly, not of each format."""
    scanner, wrong = scanned(_CALLS if is_nightly else _CALLS[: -2 * len(FORMATS)])
    line = (
        f"{len(SECRETS) + 1} secrets in {scanner.forms} forms looked for in {scanner.scanned} places "
        f"({scanner.size:,} bytes): {len(wrong)} found"
    )
    return Figures("Secrets in what is made, said, kept and reported", (line, *wrong), len(wrong))


def main() -> int:
    """Print the figures; return 1 if a secret was found."""
    result = figures(is_nightly=True)
    print("\n".join(result.lines))
    return int(bool(result.wrong))


if __name__ == "__main__":
    sys.exit(main())
