"""A helm that installs nothing: it writes its calls to $HELM_LOG, one JSON object per line.

`{"arguments": […], "files": [{"option": "--set-file", "key": "main.config", "content": BASE64}, …]}`: the files are
those of `--set-file KEY=PATH` and `--values PATH`, in order; `key` is null for `--values`. $HELM_FAIL is the exit
status, `SUBCOMMAND=STATUS` that of one subcommand.
"""

import re
import sys
from collections.abc import Iterator, Sequence

from engines.bin.recording import content, record, status

COMMANDS = ("install", "upgrade", "test", "uninstall", "repo", "template", "version")
OPTIONS = {"--set-file": "--set-file", "--values": "--values", "-f": "--values"}


def main(arguments: Sequence[str]) -> int:
    """Record one call of helm and return its exit status."""
    if not arguments or arguments[0] not in COMMANDS:
        sys.stderr.write(f'Error: unknown command "{" ".join(arguments[:1])}" for "helm"\n')
        return 1
    try:
        files = list(_files(arguments))
    except OSError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1
    record("HELM_LOG", {"arguments": list(arguments), "files": files})
    return status("HELM_FAIL", arguments[0])


def _files(arguments: Sequence[str]) -> Iterator[dict[str, str | None]]:
    """Yield each file that *arguments* name, with its option and key."""
    for option, value in _values(arguments):
        if option == "--values":
            yield {"option": option, "key": None, "content": content(value)}
            continue
        # helm separates pairs by commas, `\,` being a comma in a path
        for pair in re.split(r"(?<!\\),", value):
            key, _, path = pair.partition("=")
            yield {"option": option, "key": key, "content": content(re.sub(r"\\(.)", r"\1", path))}


def _values(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield option and value of each file option in *arguments*, as two words or with `=`."""
    words = iter(arguments)
    for word in words:
        option, equals, value = word.partition("=")
        if option in OPTIONS:
            yield OPTIONS[option], value if equals else next(words, "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
