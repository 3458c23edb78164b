"""The scheduling queue of Kubernetes in one process: time is passed in, and nothing waits."""
