"""The program, as `pipegen` and `python -m pipegen` start it."""

import gc
import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the program and end the process."""
    # What a compilation makes lives until its end: looking for cycles in it is a third of its time. A run looks again.
    gc.disable()
    from pipegen.cli.app import run  # noqa: PLC0415 - what is imported lives as long
    from pipegen.cli.exits import Exit  # noqa: PLC0415

    status = run()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = Exit.FAILED
    # The system frees all at once what the interpreter would take apart one by one, for a sixth of a short call's time.
    os._exit(status)


if __name__ == "__main__":
    main()
