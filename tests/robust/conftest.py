"""The program, called in a folder of its own, as the tests of the command line do."""

from cli.conftest import empty, here, open_folder, pipegen, powerless

__all__ = ["empty", "here", "open_folder", "pipegen", "powerless"]
