"""The program, as `pipegen` and `python -m pipegen` start it."""

import gc
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the program and end the process."""
    # Nearly all objects of a compilation live until its end: looking for cycles among them takes a third of its time.
    # `pipegen run` enables the collector again.
    gc.disable()
    from pipegen.cli.app import run  # noqa: PLC0415 - the collector is off while modules load

    sys.exit(run())


if __name__ == "__main__":
    main()
