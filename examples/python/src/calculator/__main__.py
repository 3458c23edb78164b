"""Runs the program as a module, where its folder is not on PATH."""

from calculator import main

main()
