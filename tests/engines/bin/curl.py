"""A curl that connects to no server: it writes its calls to $CURL_LOG, one JSON object per line.

`{"arguments": […], "data": [BASE64, …]}`: `data` is the data to send, in the order of the options: the file (or
standard input) of `--upload-file`, and each `--data…` or `--form…` with the content of a file after `@` (in a form,
also after `<`). $CURL_RESPONSE is printed, $CURL_FAIL is the exit status.
"""

import os
import re
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path

from engines.bin.recording import record, status

# For each option, the form of a value that names a file: group 1 is sent literally, group 2 is the path.
WHOLE, AT_START, AFTER_NAME, AFTER_EQUALS = r"()(.*)", r"()@(.*)", r"([^=@]*)@(.*)", r"([^=]+=)[@<]([^;]*)"
NEVER = r"(?!)()()"
FILES = {
    "--upload-file": WHOLE,
    "-T": WHOLE,
    "--data": AT_START,
    "-d": AT_START,
    "--data-ascii": AT_START,
    "--data-binary": AT_START,
    "--json": AT_START,
    "--data-urlencode": AFTER_NAME,
    "--form": AFTER_EQUALS,
    "-F": AFTER_EQUALS,
    "--data-raw": NEVER,
    "--form-string": NEVER,
}


def main(arguments: Sequence[str]) -> int:
    """Record one call of curl, print the configured response and return the exit status."""
    try:
        data = [b64encode(part).decode("ascii") for part in _data(arguments)]
    except OSError as error:
        sys.stderr.write(f"curl: (26) {error}\n")
        return 26
    record("CURL_LOG", {"arguments": list(arguments), "data": data})
    sys.stdout.write(os.environ.get("CURL_RESPONSE", ""))
    return status("CURL_FAIL", "curl")


def _data(arguments: Sequence[str]) -> Iterator[bytes]:
    """Yield the bytes that *arguments* send."""
    words = iter(arguments)
    for word in words:
        if word in FILES:
            value = next(words, "")
            named = re.fullmatch(FILES[word], value, re.DOTALL)
            yield named[1].encode() + _read(named[2]) if named else value.encode()


def _read(path: str) -> bytes:
    """Return the bytes at *path*, `-` being standard input."""
    return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
