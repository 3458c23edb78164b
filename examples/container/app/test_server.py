"""Tests of the greeting."""

import unittest

from server import greeting


class Greeting(unittest.TestCase):
    """Tests of `greeting`."""

    def test_name(self) -> None:
        """The greeting contains the name."""
        self.assertEqual(greeting("world"), "Hello, world!")
