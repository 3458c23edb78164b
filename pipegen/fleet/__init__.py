"""Fleets of runners: how long pipelines wait on given machines, queues and load."""
