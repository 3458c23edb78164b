"""The program, called in an empty folder, as in the tests of the command line."""

from cli.conftest import empty, here, open_folder, pipegen, powerless

__all__ = ["empty", "here", "open_folder", "pipegen", "powerless"]
