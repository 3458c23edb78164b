"""Scripts for `sh` that set `pipefail`."""

from __future__ import annotations

import pytest
from lint.findings import findings

from pipegen.lint.rules.pipefail_in_sh import check


def config(script: str, more: str = "") -> str:
    """Return a config with *script* as a block."""
    lines = "".join(f"            {line}\n" for line in script.splitlines())
    return f"pipelines:\n  p:\n    stages:\n      - name: a\n{more}        script:\n          - |\n{lines}"


@pytest.mark.parametrize(
    "script",
    [
        "set -o pipefail",
        "set -euo pipefail",
        "set -e -u -o pipefail",
        "set -eu -o pipefail -x; make | cat",
        "set +o pipefail",
        "set -o pipefail || true",
        "make\nif x; then set -o pipefail; fi",
    ],
)
def test_setting_pipefail_in_sh_is_reported(script: str) -> None:
    """Dash stops at each of these, even with `|| true`: an error of a special builtin ends the shell."""
    assert [text for _, text in findings(check, config(script))] == ["pipefail"]


@pytest.mark.parametrize(
    "script",
    [
        "(set -o pipefail) 2>/dev/null && set -o pipefail",
        "case $(set -o) in *pipefail*) set -o pipefail ;; esac",
        "if set -o | grep -q pipefail; then set -o pipefail; fi",
        'if [ -n "$BASH_VERSION" ]; then set -o pipefail; fi',
        "bash -o pipefail -c 'make | cat'",
        "bash -c 'set -o pipefail; make | cat'",
        "# set -o pipefail",
        "set -o errexit # not pipefail",
        "echo set -o pipefail",
    ],
)
def test_other_scripts_are_not_reported(script: str) -> None:
    """They check whether the shell has the option, or another shell or no shell reads it."""
    assert findings(check, config(script)) == []


def test_bash_stages_are_not_reported() -> None:
    """Bash supports the option."""
    assert findings(check, config("set -o pipefail", "        shell: bash\n")) == []


@pytest.mark.parametrize("image", ["alpine", "docker:28-cli", "registry.example.org/node:22-alpine"])
def test_images_with_busybox_are_not_reported(image: str) -> None:
    """Its shell supports the option."""
    assert findings(check, config("set -o pipefail", f"        image: {image}\n")) == []
    assert findings(check, config("set -o pipefail", "        image: debian\n")) != []
