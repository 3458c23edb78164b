"""The scheduler, which consists of Kubernetes' queue and Volcano's session."""
