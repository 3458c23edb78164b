"""Entry point of `pipegen` and `python -m pipegen`."""

import atexit
import gc
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the program and end the process."""
    # Nearly all objects of a compilation live until its end: garbage collection would take a third of the time.
    # `pipegen run` enables the collector again.
    gc.disable()
    # Python collects garbage twice more when it ends, even if the collector is disabled: an eighth of 10 stages.
    atexit.register(gc.freeze)
    try:
        from pipegen.cli.app import run  # noqa: PLC0415 - after gc.disable(), so that imports run without it

        status = run()
    except KeyboardInterrupt:  # during the imports, which are half of a short command
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
