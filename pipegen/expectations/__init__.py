"""Tests of a config: what users expect an event to start."""
