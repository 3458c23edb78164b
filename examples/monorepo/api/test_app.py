"""Tests of the greeting."""

import unittest

from app import greeting


class Greeting(unittest.TestCase):
    """Tests of `greeting`."""

    def test_name(self) -> None:
        """The greeting contains the name."""
        self.assertEqual(greeting("world"), "Hello, world!")
