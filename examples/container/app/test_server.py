"""What the service says."""

import unittest

from server import greeting


class Greeting(unittest.TestCase):
    """It greets by name."""

    def test_name(self) -> None:
        """The name stands in it."""
        self.assertEqual(greeting("world"), "Hello, world!")
