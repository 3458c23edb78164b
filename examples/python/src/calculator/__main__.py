"""Runs the program as a module, if its folder is not on PATH."""

from calculator import main

main()
